import { html, type SafeHtml } from '@remix-run/html-template';
import { checkBox } from '../check-command.ts';
import { crawlForm } from '../crawl.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { agentPath, plain, said, sameAsJson, sentence } from '../texts.ts';
import { type DomainPageKind, domainLink, listPager } from './file-parts.ts';

export interface DomainListView {
  readonly kind: Exclude<DomainPageKind, 'networks'>;
  /** The parameters of the address, none of them empty. */
  readonly asked: URLSearchParams;
  readonly domains: readonly { readonly domain: string; readonly about: string }[];
  readonly cursor: string | null;
  /** Those with the most agents, or all by their domain. */
  readonly order: 'leading' | 'domain';
  /** The path of the operation that lists the same domains, with its parameters. */
  readonly jsonPath: string;
}

const TEXTS = {
  publishers: {
    title: 'Publishers',
    lead: 'Domains with an adagents.json in use.',
    search: 'Search by domain or name',
    other: ['brands', 'Brands'],
  },
  brands: {
    title: 'Brands',
    lead: 'Domains with a brand.json in use, A–Z.',
    search: 'Domains that begin with',
    other: ['publishers', 'Publishers'],
  },
} as const;

/** `/publishers` and `/brands`. */
export function domainListPage(site: PlacedSite, view: DomainListView): HtmlPage {
  const { kind, asked, domains, cursor, order } = view;
  const { title, lead, search, other } = TEXTS[kind];
  const path = `${site.root}/${kind}`;
  return {
    title,
    description: lead,
    trail: [
      { text: 'Agents', path: '/' },
      { text: title, path: `/${kind}` },
    ],
    content: html`<h1>${title}</h1>
<p class="lead">${lead} See also <a href="${site.root}/${other[0]}">${other[1]}</a>.</p>
<form class="search" role="search" action="${path}" method="get"><div class="words"><label for="search">${search}</label><input type="search" id="search" name="search" value="${plain(asked.get('search') ?? '', 253)}" maxlength="253" autocomplete="off"></div><button>Search</button></form>
${kind === 'publishers' ? orders(path, asked, order) : ''}
${domains.length === 0 ? html`<p class="found">${asked.has('search') ? html`No results for “${said(asked.get('search') ?? '', 100)}”` : 'No domains yet'}</p>` : html`<ul class="places columns">${domains.map(({ domain, about }) => html`<li>${domainLink(site, kind, domain)} <span class="type">${said(about, 120)}</span></li>`)}</ul>`}
${listPager(path, asked, { cursor })}
${sameAsJson(site, `${site.root}${view.jsonPath}`)}`,
  };
}

/** A search is always in the order of the domains. */
function orders(path: string, asked: URLSearchParams, order: DomainListView['order']): SafeHtml | string {
  if (asked.has('search')) return '';
  const link = (to: string, text: string, isShown: boolean) =>
    html`<li><a href="${to}"${isShown ? html` aria-current="true"` : ''}>${text}</a></li>`;
  return html`<ul class="groups" aria-label="Sort">${link(path, 'Most agents', order === 'leading')}${link(`${path}?sort=domain`, 'A–Z', order === 'domain')}</ul>`;
}

export interface UnknownDomainView {
  readonly kind: DomainPageKind;
  /** As the visitor wrote it. */
  readonly asked: string;
  readonly reason: string;
  /** Whether it could be crawled. */
  readonly isDomain: boolean;
  /** Known domains with a similar spelling. */
  readonly near: readonly string[];
  /** Known agents whose URL has this host. */
  readonly agents: readonly string[];
  /** The record of the domain under another kind. */
  readonly elsewhere?: DomainPageKind;
}

const WHAT: Readonly<Record<DomainPageKind, string>> = {
  publishers: 'publisher',
  brands: 'brand',
  networks: 'network',
};

/** For a domain without a record: similar ones, and a button that crawls it. */
export function unknownDomainPage(site: PageSite, view: UnknownDomainView): HtmlPage {
  const { kind, asked, reason, isDomain, near, agents, elsewhere } = view;
  const title = !isDomain
    ? 'Not a domain name'
    : elsewhere === undefined
      ? 'Not in the registry yet'
      : `No ${WHAT[kind]} at this domain`;
  return {
    title,
    description: `The registry has no ${WHAT[kind]} of this domain.`,
    trail: [{ text: 'Agents', path: '/' }, { text: title }],
    content: html`<h1>${title}</h1>
<p class="place"><code dir="ltr">${plain(asked, 253)}</code></p>
<p>${sentence(reason, 200)}</p>
${elsewhere === undefined ? '' : html`<p>It is known as a ${WHAT[elsewhere]}: ${domainLink(site, elsewhere, asked)}</p>`}
${isDomain && elsewhere === undefined ? crawlIt(site, kind, asked) : ''}
${agents.length === 0 ? '' : html`<h2>Agents on this host</h2><ul class="places">${agents.map((agent) => html`<li><a href="${agentPath(site, agent)}">${said(agent, 160)}</a></li>`)}</ul>`}
${near.length === 0 ? '' : html`<h2>Similar domains</h2><ul class="places">${near.map((one) => html`<li>${domainLink(site, kind === 'networks' ? 'publishers' : kind, one)}</li>`)}</ul>`}`,
  };
}

function crawlIt(site: PageSite, kind: DomainPageKind, domain: string): SafeHtml {
  return html`<p>A crawl reads its <code>adagents.json</code> and <code>brand.json</code>, and probes the agents that they name. It usually takes less than a minute.</p>
${crawlForm(site, { domain, ...(kind === 'networks' && { page: kind }) }, 'Crawl now')}
<details><summary>As the operator</summary>${checkBox('The command', html`agent-registry crawl ${plain(domain, 253)}`)}</details>`;
}
