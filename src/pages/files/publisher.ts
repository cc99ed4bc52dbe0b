import { html, type SafeHtml } from '@remix-run/html-template';
import { ATOM, type HtmlPage, type PageSite, type PlacedSite } from '../layout.ts';
import { amountText, outward, pill, said, sameAsJson } from '../texts.ts';
import { claimsTable, type ShownClaims } from './claims.ts';
import { type EntriesView, entriesTable } from './entries.ts';
import {
  domainLink,
  domainPath,
  howFresh,
  names,
  onThisPage,
  scrolling,
  visitNote,
  visitPill,
} from './file-parts.ts';
import { findingsInText } from './findings.ts';
import { historyText } from './history.ts';
import type { FileView } from './view.ts';

export interface PublisherView extends FileView {
  readonly publisher: {
    readonly adagents_valid: boolean | null;
    readonly discovery_method?: string;
    readonly manager_domain?: string;
    readonly hosting: { readonly resolved_url?: string; readonly expected_url: string };
    readonly properties: readonly {
      readonly id?: string;
      readonly name?: string;
      readonly type: string;
      readonly identifiers: readonly { readonly type: string; readonly value: string }[];
      readonly tags: readonly string[];
    }[];
    readonly properties_truncated?: boolean;
    readonly authorized_agents: readonly unknown[];
    readonly authorized_agents_truncated?: boolean;
    readonly claims?: ShownClaims;
  };
  readonly entries: EntriesView;
  /** Other publishers refer to its file, or it names them. */
  readonly isNetwork: boolean;
  readonly hasBrand: boolean;
}

/** `/publishers/{domain}`: the content of its adagents.json, and its state. */
export function publisherPage(site: PlacedSite, view: PublisherView): HtmlPage {
  const { domain, publisher, visit, findings, entries, isNetwork, hasBrand } = view;
  const path = domainPath(site, 'publishers', domain);
  const errors = findings.findings.filter(({ severity }) => severity === 'error').length;
  return {
    title: domain,
    description: `The adagents.json of ${domain}: authorized agents, properties, errors and history.`,
    trail: [{ text: 'Agents', path: '/' }, { text: 'Publishers', path: '/publishers' }, { text: domain }],
    atom: `${ATOM}?domain=${domain}`,
    content: html`<h1>${said(domain, 253)}</h1>
<p class="pills">${publisher.adagents_valid === null ? '' : publisher.adagents_valid ? pill('good', 'File in use') : pill('bad', 'No valid file')} ${visitPill(visit)}${errors > 0 ? html` ${pill('bad', amountText(errors, 'error'))}` : ''}</p>
<p class="lead">${inWords(site, view)}</p>
${visitNote(visit)}
<p>${hasBrand ? html`<a href="${domainPath(site, 'brands', domain)}">Brand of this domain</a> ` : ''}${isNetwork ? html`<a href="${domainPath(site, 'networks', domain)}">Network of this domain</a>` : ''}</p>
${onThisPage([
  ['sells', 'Authorized agents'],
  ...(publisher.claims === undefined ? [] : [['claims', 'Claims'] as const]),
  ['wrong', 'Errors and warnings'],
  ['properties', 'Properties'],
  ['history', 'History'],
  ['fresh', 'Last checked'],
])}
<section aria-labelledby="sells"><h2 id="sells">Authorized agents</h2>${publisher.adagents_valid === true || entries.entries.length > 0 ? entriesTable(site, path, entries) : html`<p>No valid file, so no agent is authorized.</p>`}</section>
${publisher.claims === undefined ? '' : html`<section aria-labelledby="claims"><h2 id="claims">Claims</h2>${claimsTable(site, publisher.claims)}</section>`}
<section aria-labelledby="wrong"><h2 id="wrong">Errors and warnings</h2>${findingsInText(site, view)}</section>
<section aria-labelledby="properties"><h2 id="properties">Properties</h2>${properties(site, view)}</section>
<section aria-labelledby="history"><h2 id="history">History</h2>${historyText(path, view)}</section>
<section aria-labelledby="fresh"><h2 id="fresh">Last checked</h2>${howFresh(site, { domain, page: 'publishers' }, visit)}</section>
${sameAsJson(site, `${site.root}/api/registry/publisher?domain=${encodeURIComponent(domain)}`)}`,
  };
}

function inWords(site: PageSite, { domain, publisher }: PublisherView): SafeHtml {
  const { adagents_valid: isValid, discovery_method: method, manager_domain: manager, hosting } = publisher;
  if (isValid !== true)
    return html`The registry has no valid <code>adagents.json</code> of ${said(domain, 253)}, so no agent is authorized to sell for it.`;
  const { authorized_agents: agents, properties, authorized_agents_truncated: isMore } = publisher;
  const url = hosting.resolved_url ?? hosting.expected_url;
  const from =
    method === 'ads_txt_managerdomain'
      ? html`Its ads.txt names the manager ${manager === undefined ? '' : domainLink(site, 'networks', manager)}. File in use: ${outward(url)}`
      : method === 'authoritative_location'
        ? html`Its own file refers to another one. File in use: ${outward(url)}`
        : html`File in use: ${outward(url)}`;
  const isCut = publisher.properties_truncated ? 'more than ' : '';
  const listed =
    properties.length === 0
      ? 'It lists no properties'
      : html`It lists ${isCut}${amountText(properties.length, 'property', 'properties')}${byType(properties)}`;
  const names = agents.length === 0 ? 'no agents' : amountText(agents.length, 'agent');
  return html`The file authorizes ${isMore ? 'more than ' : ''}${names} for properties of this publisher. ${listed}. ${from}`;
}

function byType(properties: readonly { readonly type: string }[]): SafeHtml {
  const counts = Map.groupBy(properties, ({ type }) => type);
  const shown = [...counts].slice(0, 6);
  if (counts.size === 1) return html` of type ${said(shown[0]?.[0] ?? '', 40)}`;
  return html`: ${shown.map(([type, all], at) => html`${at === 0 ? '' : ', '}${all.length} ${said(type, 40)}`)}${counts.size > shown.length ? ' and others' : ''}`;
}

function properties(site: PageSite, { domain, publisher, most }: PublisherView): SafeHtml {
  const { properties: all, properties_truncated: isMore, adagents_valid: isValid } = publisher;
  if (isValid !== true) return html`<p>No valid file, so no properties are known.</p>`;
  if (all.length === 0)
    return html`<p>The file lists no properties. An agent that is authorized for all properties may sell the site itself.</p>`;
  const shown = all.slice(0, most);
  const rows = shown.map(({ id, name, type, identifiers, tags }) => {
    const values = identifiers.map(({ value }) => value);
    const code = id === undefined ? '–' : html`<code>${said(id, 60)}</code>`;
    return [said(name ?? id ?? '–', 80), code, said(type, 40), names(values, 3), names(tags, 4)];
  });
  const json = `${site.root}/api/registry/publisher?domain=${encodeURIComponent(domain)}`;
  return html`${scrolling('Properties', ['Name', 'Id', 'Type', 'Identifiers', 'Tags'], rows)}
${isMore || all.length > shown.length ? html`<p>Showing the first ${shown.length}. <a href="${json}">Open JSON</a> for more.</p>` : ''}`;
}
