import { html, type SafeHtml } from '@remix-run/html-template';
import { type HtmlPage, type PageSite, prose } from '../layout.ts';
import { type ApiDocument, componentOf, type ShownSchema } from './document.ts';

/** `/docs/schemas/{name}`: one shape of the API. */
export function schemaPage(
  site: PageSite,
  document: ApiDocument,
  name: string,
  schema: ShownSchema,
): HtmlPage {
  const [example] = schema.examples ?? [];
  return {
    title: name,
    description: schema.description ?? `The schema ${name} of the API.`,
    trail: [
      { text: 'Documentation', path: '/docs' },
      { text: 'API reference', path: '/docs/api' },
      { text: name },
    ],
    content: html`<h1>${name}</h1>
<p class="lead">${prose(schema.description ?? '')}</p>
${shapeOf(site, document, schema)}
${example === undefined ? '' : html`<h2>Example</h2>${jsonBlock('Example', example)}`}`,
  };
}

/** The fields of this schema in their order, with nested fields. */
export function shapeOf(site: PageSite, document: ApiDocument, schema: ShownSchema): SafeHtml {
  const forms = schema.oneOf ?? schema.anyOf;
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  return html`${names.length === 0 ? '' : html`<ul class="members">${names.map((name) => memberItem(name, properties[name]))}</ul>`}
${forms === undefined || names.length > 0 ? '' : html`<ul class="members">${forms.map((form) => html`<li>${typeOf(site, document, form)} ${inside(form)}</li>`)}</ul>`}
${schema.items === undefined || typeof schema.items === 'boolean' ? '' : inside(schema.items)}`;

  function memberItem(name: string, value: ShownSchema | boolean | undefined): SafeHtml {
    if (value === undefined || typeof value === 'boolean')
      return html`<li><code class="member">${name}</code> ${value === false ? 'never present' : 'any value'}</li>`;
    return html`<li><code class="member">${name}</code> <span class="type">${typeOf(site, document, value)}</span>${
      required.includes(name) ? html`<span class="type">, <span class="must">required</span></span>` : ''
    }${value.description === undefined ? '' : html`<p>${prose(value.description)}</p>`}${inside(value)}</li>`;
  }

  /** The nested fields; a component has its own page. */
  function inside(value: ShownSchema): SafeHtml | string {
    if (value.$ref !== undefined) return '';
    const { items } = value;
    const nested = value.properties !== undefined || value.oneOf !== undefined || value.anyOf !== undefined;
    const listed =
      typeof items === 'object' &&
      items.$ref === undefined &&
      (items.properties !== undefined || items.oneOf !== undefined);
    return nested || listed ? shapeOf(site, document, value) : '';
  }
}

/** The type in words, with a link if it has its own page. */
export function typeOf(site: PageSite, document: ApiDocument, schema: ShownSchema): SafeHtml {
  const { $ref, type, items, format } = schema;
  const component = componentOf(document, schema);
  if (component !== undefined)
    return html`<a href="${site.root}/docs/schemas/${component.name}">${component.name}</a>`;
  // a part of a component
  if ($ref !== undefined)
    return html`see <a href="${site.root}/docs/schemas/${$ref.split('/')[3] ?? ''}">${$ref.split('/')[3] ?? ''}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, at) => html`${at === 0 ? '' : ' | '}<code>${value === null ? 'null' : String(value)}</code>`)}`;
  if (type === 'array')
    return typeof items === 'object' ? html`array of ${typeOf(site, document, items)}` : html`array`;
  const base = [type ?? ((schema.oneOf ?? schema.anyOf) ? 'one of' : 'any value')].flat().join(' or ');
  return html`${format ?? base}${bounds(schema)}`;
}

function bounds({ minimum, maximum, minLength = 0, maxLength, default: usual }: ShownSchema): string {
  const parts = [
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : '',
    maxLength === undefined
      ? ''
      : minLength > 1
        ? `${minLength} to ${maxLength} characters`
        : `up to ${maxLength} characters`,
    usual === undefined ? '' : `default ${JSON.stringify(usual)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/** JSON in a scrollable box that can be reached with the keyboard. */
export function jsonBlock(label: string, value: unknown): SafeHtml {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${JSON.stringify(value, null, 2)}</code></pre>`;
}
