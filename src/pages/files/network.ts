import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { amountText, moment, pill, plain, said, sameAsJson } from '../texts.ts';
import {
  domainLink,
  domainPath,
  howFresh,
  listPager,
  scrolling,
  visitNote,
  visitPill,
  wayText,
} from './file-parts.ts';
import type { ShownVisit } from './view.ts';

export interface NetworkView {
  readonly domain: string;
  /** `show`, `search` and the cursor; no empty values. */
  readonly asked: URLSearchParams;
  readonly network: {
    readonly show: string;
    readonly total: number;
    readonly total_exact: boolean;
    readonly looked_at: number;
    readonly file_changed_at?: string;
    readonly publishers: readonly {
      readonly domain: string;
      readonly states: readonly string[];
      readonly agents: number;
      readonly discovery_method?: string;
      readonly last_validated?: string;
    }[];
    readonly next_cursor: string | null;
    readonly visit: ShownVisit;
  };
}

const PARTS: readonly (readonly [string, string])[] = [
  ['all', 'All'],
  ['orphaned', 'Orphaned'],
  ['behind', 'Out of date'],
  ['missing', 'Missing'],
];
const MEANINGS: Readonly<Record<string, string>> = {
  all: 'Publishers whose adagents.json or ads.txt refers to the file of this domain.',
  orphaned: 'Publishers that refer to the file of this domain, which authorizes no agent for them.',
  behind:
    'Publishers last crawled before the file of this domain changed. Their next crawl reads the new version.',
  missing: 'Publishers that the file names, but that do not refer to it.',
};
/** `/networks/{domain}`: the publishers whose file is hosted by another domain. */
export function networkPage(site: PlacedSite, view: NetworkView): HtmlPage {
  const { domain, asked, network } = view;
  const path = domainPath(site, 'networks', domain);
  const { show, total, total_exact: isExact, file_changed_at: changed, visit } = network;
  return {
    title: `Network of ${domain}`,
    description: `The publishers whose adagents.json is hosted by ${domain}, and mismatches between the two sides.`,
    trail: [{ text: 'Agents', path: '/' }, { text: 'Publishers', path: '/publishers' }, { text: domain }],
    content: html`<h1>Network of ${said(domain, 253)}</h1>
<p class="pills">${visitPill(visit)}</p>
${visitNote(visit)}
<p class="lead">${isExact ? '' : 'At least '}${amountText(total, 'publisher')} ${total === 1 ? 'refers' : 'refer'} to the <a href="${domainPath(site, 'publishers', domain)}">file of this domain</a>${changed === undefined ? ', which has no valid version' : html`, unchanged since ${moment(changed)}`}.</p>
<nav aria-label="Parts of the network"><ul class="groups">${PARTS.map(([part, text]) => html`<li><a href="${path}?show=${part}"${part === show ? html` aria-current="true"` : ''}>${text}</a></li>`)}</ul></nav>
<p>${MEANINGS[show] ?? ''}</p>
<form class="search" role="search" action="${path}" method="get"><div class="words"><label for="search">Domain starts with</label><input type="search" id="search" name="search" value="${plain(asked.get('search') ?? '', 253)}" maxlength="253" autocomplete="off"></div><input type="hidden" name="show" value="${plain(show, 20)}"><button>Search</button></form>
${list(site, path, view)}
<section aria-labelledby="fresh"><h2 id="fresh">Last checked</h2>${howFresh(site, { domain, page: 'networks' }, visit)}</section>
${sameAsJson(site, `${site.root}/api/registry/network?${jsonQuery(domain, asked)}`)}`,
  };
}

function list(site: PageSite, path: string, { asked, network }: NetworkView): SafeHtml {
  const { publishers, next_cursor: cursor, looked_at: looked } = network;
  const pager = listPager(path, asked, { cursor });
  if (publishers.length === 0)
    return html`<p class="found">No matches among ${amountText(looked, 'publisher')}${cursor === null ? '.' : '. Continue with the next page.'}</p>${pager}`;
  const rows = publishers.map(({ domain, states, agents, discovery_method: method, last_validated: at }) => {
    const agrees = at === undefined ? pill('calm', 'Not crawled yet') : pill('good', 'Confirmed');
    const state = states.length === 0 ? agrees : states.map((one) => html`${pill('warn', nameOf(one))} `);
    return [
      domainLink(site, 'publishers', domain),
      state,
      wayText(method),
      agents.toLocaleString('en-GB'),
      moment(at),
    ];
  });
  return html`${scrolling('Publishers', ['Publisher', 'State', 'File location', 'Agents', 'Last checked'], rows)}${pager}`;
}

function nameOf(state: string): string {
  return PARTS.find(([part]) => part === state)?.[1] ?? state;
}

function jsonQuery(domain: string, asked: URLSearchParams): string {
  const query = new URLSearchParams([['domain', domain], ...asked]);
  return query.toString().replaceAll("'", '%27');
}
