import { html, type SafeHtml } from '@remix-run/html-template';
import { type HtmlPage, type PageSite, prose } from '../layout.ts';
import { type ApiDocument, type DescribedOperation, operationsOf } from './document.ts';

/** `/docs/api`: all operations, by group. */
export function overviewPage(site: PageSite, document: ApiDocument): HtmlPage {
  const operations = operationsOf(document);
  return {
    title: 'API reference',
    description: document.info.description,
    trail: [{ text: 'Documentation', path: '/docs' }, { text: 'API reference' }],
    content: html`<h1>API reference</h1>
<p class="lead">${document.info.description}</p>
<p id="problem-codes">Most operations need no API key. Send a key as <code>Authorization: Bearer …</code>.
Every error is <a href="${site.root}/docs/schemas/Problem">a problem document</a> with a code and a message. If a parameter is invalid, it also has the parameter and the valid values.
OpenAPI 3.1 document: <a href="${site.root}/openapi.json">openapi.json</a>.</p>
<ul class="groups">${document.tags.map(
      ({ name }) => html`<li><a href="#${anchorOf(name)}">${name}</a></li>`,
    )}</ul>
${document.tags.map(
  ({ name, description }) => html`<section aria-labelledby="${anchorOf(name)}">
<h2 id="${anchorOf(name)}">${name}</h2>
<p>${prose(description)}</p>
${operationList(
  site,
  operations.filter((one) => groupName(one) === name),
)}
</section>`,
)}`,
  };
}

/** Links to these operations with their summaries. */
export function operationList(
  site: PageSite,
  operations: readonly DescribedOperation[],
  current?: string,
): SafeHtml {
  return html`<ul class="operations">${operations.map(
    ({
      path,
      method,
      operation: { operationId, summary },
    }) => html`<li><a href="${site.root}${operationPath(operationId)}"${
      operationId === current ? html` aria-current="page"` : ''
    }>${summary}</a>
<span class="route">${methodMark(method)} <code>${breakable(path)}</code></span></li>`,
  )}</ul>`;
}

/** For an unknown address below /docs. The address is not repeated. */
export function notFoundPage({ root }: PageSite): HtmlPage {
  return {
    title: 'Page not found',
    description: 'This page does not exist.',
    trail: [{ text: 'Documentation', path: '/docs' }, { text: 'Page not found' }],
    content: html`<h1>Page not found</h1><p>No document, operation or schema has this name. See <a href="${root}/docs">all documents</a>
or <a href="${root}/docs/api">all operations</a>.</p>`,
  };
}

export function groupName({ operation }: DescribedOperation): string | undefined {
  return operation.tags?.[0];
}

export function operationPath(operationId: string): string {
  return `/docs/api/${operationId}`;
}

export function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

export function methodMark(method: string): SafeHtml {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** A path with a line break opportunity before each slash. */
export function breakable(path: string): SafeHtml {
  const [first = '', ...rest] = path.split('/');
  return html`${first}${rest.map((part) => html`<wbr>/${part}`)}`;
}
