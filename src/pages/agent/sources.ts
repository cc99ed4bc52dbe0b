import { html, type SafeHtml } from '@remix-run/html-template';
import { parseDomain } from '../../domain/domain-name.ts';
import { checkAgain, crawlForm } from '../crawl.ts';
import { domainLink, type Row, scrolling, visitPill } from '../files/file-parts.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, amountText, moment, outward, pill, said, sentence } from '../texts.ts';
import type { AgentView, FilePlace, Looked } from './view.ts';

const SAYERS: Readonly<Record<string, string>> = {
  registration: 'the registration of its owner',
  brand: 'the brand.json of its own domain',
};
/** How an entry selects properties. */
const SCOPES: Readonly<Record<string, string>> = {
  all: 'All properties',
  property_ids: 'Properties by id',
  property_tags: 'Properties by tag',
  inline_properties: 'Properties listed in the entry',
  publisher_properties: 'Properties of other publishers',
  signal_ids: 'Signals by id',
  signal_tags: 'Signals by tag',
};
const FILES: Readonly<Record<string, string>> = { adagents: 'adagents.json', brand: 'brand.json' };

/** The files that declare the agent and those that authorize it, with line numbers. */
export function sources(site: PageSite, { agent, most }: AgentView): SafeHtml {
  const { url, provenance } = agent;
  const {
    identity,
    declared_by: declared,
    authorized_by: authorised,
    authorized_by_total: total,
    findings,
  } = provenance;
  // for one that was never read, only its URL is known
  const isRead = provenance.probe.last_good_at !== null;
  const name = sayer(identity.name, isRead ? 'the agent itself' : 'its URL');
  const { name: named, type: typed } = identity;
  const isOneFile = named.by === typed.by && named.domain === typed.domain && typed.by !== 'inference';
  const type =
    typed.by === 'inference' && !isRead
      ? 'the type is unknown'
      : html`the type comes from ${sayer(typed, 'its capabilities')}`;
  return html`<p>${isOneFile ? html`The name and the type come from ${name}` : html`The name comes from ${name}; ${type}`}.</p>
<h3>Declared by</h3>
${declared.length === 0 ? html`<p>No brand.json declares this agent.</p>` : html`<ul class="places">${declared.slice(0, most).map((file) => place(site, file))}</ul>`}
<h3>Authorized by</h3>
${authorised.length === 0 ? html`<p>No publisher authorizes this agent.</p>` : html`<ul class="places">${authorised.slice(0, most).map((file) => place(site, file))}</ul>`}
${total === 0 ? '' : html`<p><a href="${agentPath(site, url)}/publishers">${total > authorised.slice(0, most).length ? `All ${amountText(total, 'publisher')}` : 'Search these publishers'}</a></p>`}
${findings.length === 0 ? '' : html`<h3>Warnings</h3><ul class="places">${findings.slice(0, most).map(({ code, message, hint }) => html`<li><code>${said(code, 60)}</code> ${sentence(message, 240)}${hint === undefined ? '' : html`<p class="type">${sentence(hint, 240)}</p>`}</li>`)}</ul>`}`;
}

function sayer(
  { by, domain }: { readonly by: string; readonly domain?: string },
  inferred: string,
): SafeHtml {
  return html`${by === 'inference' ? inferred : (SAYERS[by] ?? said(by, 40))}${domain === undefined ? '' : html` (${said(domain, 100)})`}`;
}

function place(site: PageSite, file: FilePlace): SafeHtml {
  const { domain, url, line, entry, since, has_authority: hasAuthority, scope, authorized_for: sells } = file;
  return html`<li><b>${domainLink(site, file.file === 'brand' ? 'brands' : 'publishers', domain)}</b>${hasAuthority === undefined ? '' : html` ${hasAuthority ? pill('good', 'Authoritative') : pill('warn', 'Not authoritative')}`}${
    scope === undefined ? '' : html` <span class="type">${SCOPES[scope] ?? said(scope, 40)}</span>`
  }${sells === undefined ? '' : html`<p>${said(sells, 200)}</p>`}
<p class="type">${url === undefined ? said(file.file, 40) : outward(url)}, ${line === undefined ? '' : html`line ${line}, `}<code>${said(entry, 120)}</code>${since === null ? '' : html`, since ${moment(since)}`}</p></li>`;
}

/** No file names it any more, so only a crawl can bring it back. */
function crawlDomain(site: PageSite, agent: string): SafeHtml | string {
  const host = parseDomain(URL.parse(agent)?.hostname ?? '');
  if (!host.ok) return '';
  return html`<p>The registry probes listed agents only. Crawl the domain of this agent to read its files again.</p>${crawlForm(site, { domain: host.domain, agent }, 'Crawl now')}`;
}

/** For each source: its state, its last and its next visit; and a button for a new probe. */
export function freshnessTable(
  site: PageSite,
  { agent: { url, listed, provenance, compliance }, most, checkFrom }: AgentView,
): SafeHtml {
  const files = [...provenance.declared_by, ...provenance.authorized_by].slice(0, most);
  const seen = new Map<string, Looked>(
    files.map((file) => [`${FILES[file.file] ?? file.file} of ${file.domain}`, file]),
  );
  const rows: readonly (readonly [string, Looked])[] = [['Probe of the agent', provenance.probe], ...seen];
  const tested =
    compliance !== undefined && 'last_checked_at' in compliance ? compliance.last_checked_at : undefined;
  const facts: Row[] = rows.map(
    ([
      what,
      { state, last_good_at: good, last_tried_at: tried, why, reason, next_at: next, is_due: isDue },
    ]) => [
      said(what, 120),
      html`${visitPill({ state })}${why === null ? '' : html`<p class="type">${reason === undefined ? '' : html`${sentence(reason, 200)} `}<code>${said(why, 60)}</code></p>`}`,
      ...[moment(good), moment(tried), next === null ? '–' : isDue ? 'Due now' : moment(next)],
    ],
  );
  const good = moment(provenance.run?.last_good_at);
  if (tested != null) facts.push(['Tests', 'Tested', good, moment(tested), 'Visible to the owner']);
  return html`${listed ? checkAgain(site, { agent: url }, checkFrom) : crawlDomain(site, url)}
${scrolling('Last checked', ['Source', 'State', 'Last success', 'Last try', 'Next check'], facts)}`;
}
