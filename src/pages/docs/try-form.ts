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

// A key stands in a field of text with dots for letters: browsers offer to keep what stands in a field for passwords.
/**
 * The parameters with a field each, filled with the example. Without script the example's line and link are there; with it the
 * form sends what stands in the fields to this registry, and to nobody else (`connect-src 'self'`).
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
<p id="api-key-about">Sent with this request only, and kept nowhere.</p>
<input id="api-key" type="text" class="secret" autocomplete="off" spellcheck="false" aria-describedby="api-key-about" disabled></div>
<p class="actions"><button type="submit" hidden>Send</button> ${isPlain ? link : ''}</p>
<h3>As a command</h3>
<pre class="wraps" tabindex="0" role="region" aria-label="As a command"><code data-curl>${curlLine(line, site)}</code></pre>
<p role="status" data-status></p>
<section data-answer hidden><h3>Answer</h3><details><summary>Headers</summary><pre class="wraps" tabindex="0" role="region" aria-label="Headers of the answer"><code data-headers></code></pre></details><pre tabindex="0" role="region" aria-label="Answer"><code data-body></code></pre></section>
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
  const about = html`<p id="${id}-about"><span class="type">${typeOf(site, document, one)}${repeats ? ', one a line' : ''}${place === 'path' ? ', in the path' : ''}${required ? html`, <span class="must">required</span>` : ''}</span>
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

/** Where the value of a parameter comes from that no document can name. */
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
  return html` It is in the answer of <a href="${site.root}${operationPath(operationId)}">${summary}</a>.`;
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
