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
<p id="problem-codes">Most operations need no key. Send an API key as <code>Authorization: Bearer …</code>.
Every refusal is <a href="${site.root}/docs/schemas/Problem">a problem</a> with a code, a reason and what to do.
The same as a file: <a href="${site.root}/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
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

/** The pages of these operations, with what each does. */
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

/** For an address below /docs that names nothing; the address is not repeated. */
export function notFoundPage({ root }: PageSite): HtmlPage {
  return {
    title: 'No such page',
    description: 'There is nothing at this address.',
    trail: [{ text: 'Documentation', path: '/docs' }, { text: 'No such page' }],
    content: html`<h1>No such page</h1><p>No document, operation or schema has this name. <a href="${root}/docs">The documentation</a> lists
all documents, and <a href="${root}/docs/api">the API reference</a> all operations.</p>`,
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

/** A path that may be broken before each of its slashes. */
export function breakable(path: string): SafeHtml {
  const [first = '', ...rest] = path.split('/');
  return html`${first}${rest.map((part) => html`<wbr>/${part}`)}`;
}
