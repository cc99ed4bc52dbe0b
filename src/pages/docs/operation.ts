import { html, type SafeHtml } from '@remix-run/html-template';
import { type HtmlPage, type PageSite, type PlacedSite, sentenceOf } from '../layout.ts';
import {
  type ApiDocument,
  componentOf,
  type DescribedAnswer,
  type DescribedOperation,
  operationsOf,
  type ShownSchema,
} from './document.ts';
import { anchorOf, breakable, groupName, methodMark, operationList } from './overview.ts';
import { jsonBlock, shapeOf, typeOf } from './schema.ts';
import { tryForm } from './try-form.ts';

/** `/docs/api/{operationId}`: one operation, with a form to try it. */
export function operationPage(
  site: PlacedSite,
  document: ApiDocument,
  described: DescribedOperation,
): HtmlPage {
  const { path, method, operation } = described;
  const { operationId, summary, description = '', requestBody, responses } = operation;
  const group = groupName(described) ?? '';
  const near = operationsOf(document).filter((one) => groupName(one) === group);
  const asked = requestBody?.content['application/json']?.schema;
  return {
    title: summary,
    description: `${method.toUpperCase()} ${path}: ${summary}.`,
    script: 'try.js',
    trail: [
      { text: 'Documentation', path: '/docs' },
      { text: 'API reference', path: '/docs/api' },
      { text: group, path: `/docs/api#${anchorOf(group)}` },
      { text: operationId },
    ],
    aside: html`<h2>${group}</h2>${operationList(site, near, operationId)}`,
    content: html`<h1>${summary}</h1>
<p class="route">${methodMark(method)} <code>${breakable(path)}</code></p>
${description === '' ? '' : html`<p class="lead">${sentenceOf(description)}</p>`}
<p>${keyText(document, described)}</p>
<h2 id="try">Try it</h2>
${tryForm(site, document, described)}
${asked === undefined ? '' : html`<h2 id="body">Request body</h2>${schemaText(site, document, asked, 'Example of a request body')}`}
<h2 id="answers">Responses</h2>
${Object.entries(responses).map(([status, answer]) => answerSection(site, document, status, answer))}`,
  };
}

/** Whether the operation needs an API key. */
function keyText(document: ApiDocument, { operation }: DescribedOperation): SafeHtml {
  const ways = operation.security ?? document.security;
  const scopes = ways.flatMap((way) => way.apiKey ?? []);
  const scope =
    scopes.length === 0 ? '' : html` with the scope ${scopes.map((one) => html`<code>${one}</code>`)}`;
  if (!ways.some((way) => 'apiKey' in way)) return html`No API key needed.`;
  if (ways.some((way) => !('apiKey' in way)))
    return scopes.length === 0
      ? html`No API key needed. If you send a key, it must be valid.`
      : html`Send an API key${scope}. Without a key, only the callers described above are allowed.`;
  return html`Requires an API key${scope}.`;
}

function answerSection(
  site: PageSite,
  document: ApiDocument,
  status: string,
  answer: DescribedAnswer,
): SafeHtml {
  const { description, headers = {}, content = {} } = answer;
  const [first] = Object.entries(content);
  const isGood = status.startsWith('2');
  const head = html`<code class="status ${isGood ? 'good' : ''}">${status}</code> ${sentenceOf(description)}`;
  if (!isGood || first === undefined) return html`<p class="answer">${head}</p>`;
  const [mediaType, { schema }] = first;
  return html`<div class="answer"><p>${head}</p>
<p>Content type <code>${mediaType}</code>${Object.keys(headers).length === 0 ? '' : html`, with the headers ${Object.entries(headers).map(([name, header], at) => html`${at === 0 ? '' : ', '}<code title="${header.description}">${name}</code>`)}`}.</p>
${schemaText(site, document, schema, `Example of the response ${status}`)}</div>`;
}

function schemaText(site: PageSite, document: ApiDocument, schema: ShownSchema, label: string): SafeHtml {
  const component = componentOf(document, schema);
  const shown = component?.schema ?? schema;
  const [example] = shown.examples ?? [];
  return html`${component === undefined ? '' : html`<p>Schema: ${typeOf(site, document, schema)}</p>`}
<details><summary>Fields</summary>${shapeOf(site, document, shown)}</details>
${example === undefined ? '' : html`<details><summary>Example</summary>${jsonBlock(label, example)}</details>`}`;
}
