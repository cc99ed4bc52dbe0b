import { html, type SafeHtml } from '@remix-run/html-template';
import { domainLink, type Row, scrolling } from '../files/file-parts.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, amountText, moment, outward, pill, said } from '../texts.ts';
import type { AgentView, FilePlace, Looked } from './view.ts';

const SAYERS: Readonly<Record<string, string>> = {
  registration: 'what its owner registered',
  brand: 'the brand.json of its own domain',
};
/** What an entry names its properties by. */
const SCOPES: Readonly<Record<string, string>> = {
  all: 'everything that it has',
  property_ids: 'properties by their ids',
  property_tags: 'properties by their tags',
  inline_properties: 'properties in the entry itself',
  publisher_properties: 'properties of the publishers that it names',
  signal_ids: 'signals by their ids',
  signal_tags: 'signals by their tags',
};
const STATES: Readonly<Record<string, string>> = {
  fresh: 'read recently',
  stale: 'not read recently',
  absent: 'not there',
  unread: 'nothing that was read counts',
  unseen: 'not visited yet',
};
const FILES: Readonly<Record<string, string>> = { adagents: 'adagents.json', brand: 'brand.json' };

/** Who may say what it is, and who authorises it, each with the file and the line. */
export function sources(site: PageSite, { agent, most }: AgentView): SafeHtml {
  const { url, provenance } = agent;
  const {
    identity,
    declared_by: declared,
    authorized_by: authorised,
    authorized_by_total: total,
    findings,
  } = provenance;
  // of one that was never read, nothing is known but its address
  const isRead = provenance.probe.last_good_at !== null;
  const name = sayer(identity.name, isRead ? 'the agent itself' : 'its address');
  return html`<p>Its name is from ${name}, ${identity.type.by === 'inference' && !isRead ? 'and nobody says of which type it is' : html`its type from ${sayer(identity.type, 'what it can do')}`}.</p>
<h3>Files that describe it</h3>
${declared.length === 0 ? html`<p>None.</p>` : html`<ul class="places">${declared.slice(0, most).map((file) => place(site, file))}</ul>`}
<h3>Publishers that authorise it</h3>
${authorised.length === 0 ? html`<p>None.</p>` : html`<ul class="places">${authorised.slice(0, most).map((file) => place(site, file))}</ul>`}
${total === 0 ? '' : html`<p><a href="${agentPath(site, url)}/publishers">${total > authorised.slice(0, most).length ? `All ${amountText(total, 'publisher')}` : 'The list'}, with a search by how they begin</a></p>`}
${findings.length === 0 ? '' : html`<h3>What is odd</h3><ul class="places">${findings.slice(0, most).map(({ code, message, hint }) => html`<li><code>${said(code, 60)}</code> ${said(message, 240)}${hint === undefined ? '' : html`<p class="type">${said(hint, 240)}</p>`}</li>`)}</ul>`}`;
}

function sayer(
  { by, domain }: { readonly by: string; readonly domain?: string },
  inferred: string,
): SafeHtml {
  return html`${by === 'inference' ? inferred : (SAYERS[by] ?? said(by, 40))}${domain === undefined ? '' : html` (${said(domain, 100)})`}`;
}

function place(site: PageSite, file: FilePlace): SafeHtml {
  const { domain, url, line, entry, since, has_authority: hasAuthority, scope, authorized_for: sells } = file;
  return html`<li><b>${domainLink(site, file.file === 'brand' ? 'brands' : 'publishers', domain)}</b>${hasAuthority === undefined ? '' : html` ${hasAuthority ? pill('good', 'may say so') : pill('warn', 'has no say')}`}${
    scope === undefined ? '' : html` <span class="type">${SCOPES[scope] ?? said(scope, 40)}</span>`
  }${sells === undefined ? '' : html`<p>${said(sells, 200)}</p>`}
<p class="type">${url === undefined ? said(file.file, 40) : outward(url)}, ${line === undefined ? '' : html`line ${line}, `}<code>${said(entry, 120)}</code>${since === null ? '' : html`, since ${moment(since)}`}</p></li>`;
}

/** Of each thing that is known: how it stands, when it was read and tried last, and when somebody looks again. */
export function freshnessTable({ agent: { provenance, compliance }, most }: AgentView): SafeHtml {
  const files = [...provenance.declared_by, ...provenance.authorized_by].slice(0, most);
  const seen = new Map<string, Looked>(
    files.map((file) => [`${FILES[file.file] ?? file.file} of ${file.domain}`, file]),
  );
  const rows: readonly (readonly [string, Looked])[] = [['what the agent shows', provenance.probe], ...seen];
  const tested =
    compliance !== undefined && 'last_checked_at' in compliance ? compliance.last_checked_at : undefined;
  const facts: Row[] = rows.map(
    ([what, { state, last_good_at: good, last_tried_at: tried, why, next_at: next }]) => [
      said(what, 120),
      html`${STATES[state] ?? said(state, 20)}${why === null ? '' : html` <code>${said(why, 60)}</code>`}`,
      ...[moment(good), moment(tried), next === null ? '–' : moment(next)],
    ],
  );
  const good = moment(provenance.run?.last_good_at);
  if (tested != null) facts.push(['tests', 'tested', good, moment(tested), 'its owner is told']);
  return scrolling('How fresh each fact is', ['Fact', 'State', 'Last read', 'Last tried', 'Next'], facts);
}
