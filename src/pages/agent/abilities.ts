import { html, type SafeHtml } from '@remix-run/html-template';
import type { Accreditation, Capabilities, Metric } from '../../domain/capabilities.ts';
import { amountText, outward, said } from '../texts.ts';
import type { AgentView } from './view.ts';

const MOST_BODIES = 3;
const MOST_LABELS = 12;

/** The capabilities that the agent reports. Accreditations are self-declared. */
export function abilities({ agent: { capabilities }, most }: AgentView): SafeHtml {
  if (capabilities === undefined) return html`<p>No probe has read the capabilities of this agent yet.</p>`;
  const { tools, tools_count: count, measurement_capabilities: measured } = capabilities;
  const shown = tools.slice(0, most);
  return html`${measured === undefined ? '' : metricsTable(measured.metrics, most)}
${words(capabilities)}
<details${shown.length <= 8 ? html` open` : ''}><summary>${amountText(count, 'tool')}</summary><ul class="tools">${shown.map(
    ({ name, description }) =>
      html`<li><code>${said(name, 80)}</code> <span class="type">${said(description, 140)}</span></li>`,
  )}</ul>${more(count - shown.length)}</details>`;
}

function metricsTable(metrics: readonly Metric[], most: number): SafeHtml {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Metrics"><table class="stacks"><thead><tr><th scope="col">Metric</th><th scope="col">Unit</th><th scope="col">Method</th><th scope="col">Accreditation (self-declared)</th></tr></thead>
<tbody>${metrics.slice(0, most).map(
    ({
      metric_id: id,
      unit,
      description,
      methodology_url: method,
      accreditations,
    }) => html`<tr><th scope="row">${said(id, 80)}${
      description === undefined ? '' : html`<br><span class="type">${said(description, 140)}</span>`
    }</th><td data-label="Unit">${unit === undefined ? '' : said(unit, 30)}</td><td data-label="Method">${method === undefined ? '' : outward(method)}</td>
<td data-label="Accreditation (self-declared)">${accreditations.slice(0, MOST_BODIES).map((one, at) => html`${at === 0 ? '' : html`<br>`}${bodyText(one)}`)}${more(accreditations.length - MOST_BODIES)}</td></tr>`,
  )}</tbody></table></div>${more(metrics.length - most)}`;
}

function bodyText({
  accrediting_body: body,
  valid_until: until,
  evidence_url: evidence,
}: Accreditation): SafeHtml {
  const day = until === undefined ? '' : html` until ${said(until, 10)}`;
  return html`${evidence === undefined ? said(body, 60) : outward(evidence, body)}${day}`;
}

/** The capabilities that are true, in words. */
function words({
  standard_operations: sells,
  standard_operations_basis: bases,
  creative_capabilities: creative,
  signals_capabilities: signals,
  supported_versions: versions = [],
}: Capabilities): SafeHtml | string {
  const all = { ...sells, ...creative, ...signals };
  const isImplied = (name: string) => bases?.[name as keyof typeof bases]?.basis === 'implied';
  const can = Object.entries(all).flatMap(([name, value]) => (value === true ? [name] : []));
  const [yes, implied] = [can.filter((name) => !isImplied(name)), can.filter(isImplied)].map((names) =>
    names.map((name) => name.replace(/^can_/, '').replaceAll('_', ' ')),
  ) as [string[], string[]];
  const formats = (creative?.formats_supported ?? []).slice(0, MOST_LABELS);
  const audiences = (signals?.audience_types ?? []).slice(0, MOST_LABELS);
  return html`${yes.length === 0 ? '' : html`<p>Capabilities: ${yes.join(', ')}</p>`}
${implied.length === 0 ? '' : html`<p>Implied by its tools, not tested: ${implied.join(', ')}</p>`}
${formats.length === 0 ? '' : html`<p>Formats: ${listed(formats)}</p>`}${audiences.length === 0 ? '' : html`<p>Audiences: ${listed(audiences)}</p>`}
${versions.length === 0 ? '' : html`<p>Protocol versions (self-declared): ${listed(versions.slice(0, MOST_LABELS))}</p>${more(versions.length - MOST_LABELS)}`}`;
}

function listed(values: readonly string[]): SafeHtml[] {
  return values.map((value, at) => html`${at === 0 ? '' : ', '}${said(value, 40)}`);
}

function more(count: number): SafeHtml | string {
  return count <= 0 ? '' : html`<p class="type">and ${count.toLocaleString('en-GB')} more in the JSON</p>`;
}
