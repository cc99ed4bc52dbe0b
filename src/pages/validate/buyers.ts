import { html, type SafeHtml } from '@remix-run/html-template';
import { limitsInWords } from '../../domain/limits-in-words.ts';
import { scrolling } from '../files/file-parts.ts';
import { amountText, outward, pill, said, sentence } from '../texts.ts';
import type { ShownSeller, ValidateView } from './view.ts';

/** What each agent may sell by the file, and its limits; of a brand.json, the agents that it lists. */
export function buyersTable({ report: { kind, variant, summary }, most }: ValidateView): SafeHtml {
  const { basis, publishers, outOfTime, withoutEffect, agents, more } = summary;
  if (kind === 'brand') {
    if (agents.length === 0) return html`<p>The file lists no agents.</p>`;
    return html`<ul class="places">${agents.slice(0, most).map(({ agent, type }) => html`<li><span class="kind">${said(type, 30)}</span> <code>${outward(agent)}</code></li>`)}</ul>${left(agents.length - most + more)}`;
  }
  if (variant === 'reference')
    return html`<p>The file at <code>authoritative_location</code> lists the authorized agents.</p>`;
  if (publishers.length === 0)
    return html`<p>None: ${variant === undefined ? 'buyers cannot read the file' : 'the file authorizes no agent'}.</p>`;
  const hidden = publishers.reduce((sum, { sellers }) => sum + Math.max(0, sellers.length - most), more);
  return html`<p>${sentence(basis, 200)}</p>
${publishers.slice(0, Math.max(1, most)).map(({ publisher, onlyIf, sellers, revoked }) => {
  const of =
    publisher === null
      ? html`<b>the domain that publishes the file</b>`
      : html`<b>${said(publisher, 100)}</b>`;
  return html`<h3>For ${of}${onlyIf === undefined ? '' : `, ${onlyIf}`}</h3>${
    revoked === true
      ? html`<p>No agent may sell: <code>revoked_publisher_domains</code> lists this domain.</p>`
      : sellers.length === 0
        ? html`<p>No agent may sell today.</p>`
        : sellerRows(sellers.slice(0, Math.max(1, most)))
  }`;
})}
${outOfTime.length === 0 ? '' : html`<h3>Not in force today</h3><ul class="places">${outOfTime.slice(0, most).map(({ agent, entry, limits }) => html`<li><code>${outward(agent)}</code> valid ${said(limitsInWords(limits), 300)} <code class="type">${said(entry, 120)}</code></li>`)}</ul>`}
${withoutEffect.length === 0 ? '' : html`<h3>Ignored entries</h3><p>These entries authorize no agent; see their findings: ${withoutEffect.slice(0, most).map((one, at) => html`${at === 0 ? '' : ', '}<code>${said(one, 120)}</code>`)}.</p>`}
${left(hidden)}`;
}

function sellerRows(sellers: readonly ShownSeller[]): SafeHtml {
  const rows = sellers.map(({ agent, entry, sells, limits, lenient }) => {
    const words = limitsInWords(limits);
    const more =
      lenient === undefined
        ? ''
        : html`<br>${pill('warn', 'strict clients differ')} <span class="type">${said(lenient, 200)}</span>`;
    return [
      html`<code>${outward(agent)}</code><br><code class="type">${said(entry, 120)}</code>`,
      html`${said(sells, 300)}${more}`,
      words === '' ? 'none' : said(words, 400),
    ];
  });
  return scrolling('Authorized agents', ['Agent', 'May sell', 'Limits'], rows);
}

function left(count: number): SafeHtml | string {
  return count <= 0 ? '' : html`<p class="type">${amountText(count, 'further line')} not shown.</p>`;
}
