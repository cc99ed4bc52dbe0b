import { html, type SafeHtml } from '@remix-run/html-template';
import { type PageSite, type PlacedSite, sentenceOf } from '../layout.ts';
import {
  type ApiDocument,
  bodyExample,
  type DescribedOperation,
  exampleRequest,
  operationsOf,
  type Parameter,
} from './document.ts';
import { operationPath } from './overview.ts';
import { typeOf } from './schema.ts';

// The key is in a masked text field, because browsers offer to save the content of password fields.
/**
 * A field for each parameter, filled with the example. Without script the page shows the example's command and link; with it the
 * form sends the fields to this registry only (`connect-src 'self'`).
 */
export function tryForm(site: PlacedSite, document: ApiDocument, described: DescribedOperation): SafeHtml {
  const { path, method, operation } = described;
  const { parameters = [], requestBody } = operation;
  const fields = parameters.filter((one) => one.in !== 'header');
  const first = fields.filter(({ required, example }) => required === true || example !== undefined);
  const more = fields.filter((one) => !first.includes(one));
  const request = exampleRequest(document, described);
  const line = request ?? { method: method.toUpperCase(), target: path };
  const isPlain = request !== undefined && method === 'get';
  const link = html`<a href="${site.root}${line.target}">Open the example</a>`;
  return html`<form class="try" data-method="${method.toUpperCase()}" data-path="${site.root}${path}" data-origin="${site.origin}">
${first.map((one) => field(site, document, described, one))}
${more.length === 0 ? '' : html`<details class="more"><summary>More parameters (${more.length})</summary>${more.map((one) => field(site, document, described, one))}</details>`}
${requestBody === undefined ? '' : bodyField(bodyExample(document, operation))}
<div class="field key"><label for="api-key">API key</label>
<p id="api-key-about">Sent with this request only, and not stored.</p>
<input id="api-key" type="text" class="secret" autocomplete="off" spellcheck="false" aria-describedby="api-key-about" disabled></div>
<p class="actions"><button type="submit" hidden>Send</button> ${isPlain ? link : ''}</p>
<h3>As a command</h3>
<pre class="wraps" tabindex="0" role="region" aria-label="As a command"><code data-curl>${curlLine(line, site)}</code></pre>
<p role="status" data-status></p>
<section data-answer hidden><h3>Response</h3><details><summary>Headers</summary><pre class="wraps" tabindex="0" role="region" aria-label="Response headers"><code data-headers></code></pre></details><pre tabindex="0" role="region" aria-label="Response"><code data-body></code></pre></section>
</form>`;
}

function field(
  site: PageSite,
  document: ApiDocument,
  described: DescribedOperation,
  parameter: Parameter,
): SafeHtml {
  const { name, in: place, required = false, description = '', schema, example } = parameter;
  const repeats = schema.type === 'array';
  const one = repeats && typeof schema.items === 'object' ? schema.items : schema;
  const value = example === undefined ? '' : [example].flat().join('\n');
  const id = `field-${name}`;
  const about = html`<p id="${id}-about"><span class="type">${typeOf(site, document, one)}${repeats ? ', one per line' : ''}${place === 'path' ? ', in the path' : ''}${required ? html`, <span class="must">required</span>` : ''}</span>
${sentenceOf(description)}${example === undefined && required ? linkedFrom(site, document, described) : ''}</p>`;
  const common = html`id="${id}" name="${name}" data-in="${place}" aria-describedby="${id}-about" disabled${required ? html` required` : ''}`;
  const choices = one.enum ?? (one.type === 'boolean' ? [true, false] : undefined);
  const input =
    choices !== undefined && !repeats
      ? html`<select ${common}>${required ? '' : html`<option value=""></option>`}${choices.map(
          (choice) =>
            html`<option${String(choice) === value ? html` selected` : ''}>${String(choice)}</option>`,
        )}</select>`
      : repeats
        ? html`<textarea ${common} rows="2" spellcheck="false">${value}</textarea>`
        : html`<input ${common} value="${value}" spellcheck="false" autocomplete="off">`;
  return html`<div class="field"><label for="${id}"><code>${name}</code></label>${about}${input}</div>`;
}

/** The operation whose answer contains the value of a parameter without an example. */
function linkedFrom(
  site: PageSite,
  document: ApiDocument,
  { operation }: DescribedOperation,
): SafeHtml | string {
  const source = operationsOf(document).find((one) =>
    Object.values(one.operation.responses).some(({ links = {} }) => operation.operationId in links),
  );
  if (source === undefined) return '';
  const { operationId, summary } = source.operation;
  return html` Returned by <a href="${site.root}${operationPath(operationId)}">${summary}</a>.`;
}

function bodyField(example: unknown): SafeHtml {
  return html`<div class="field"><label for="field-body">Body</label><p id="field-body-about"><span class="type">JSON</span></p>
<textarea id="field-body" data-in="body" rows="8" spellcheck="false" aria-describedby="field-body-about" disabled>${JSON.stringify(example, null, 2)}</textarea></div>`;
}

/** For a shell. */
function curlLine(
  { method, target, body }: { method: string; target: string; body?: unknown },
  { origin, root }: PlacedSite,
): string {
  const send = method === 'GET' ? '' : ` -X ${method}`;
  const data =
    body === undefined
      ? ''
      : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted(JSON.stringify(body))}'`;
  return `curl${send} '${origin}${quoted(root + target)}'${data}`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
