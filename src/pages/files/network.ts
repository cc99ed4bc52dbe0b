import { html, type SafeHtml } from '@remix-run/html-template';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { amountText, moment, pill, plain, said, sameAsJson } from '../texts.ts';
import { domainLink, domainPath, howFresh, listPager, scrolling, visitPill, wayText } from './file-parts.ts';
import type { ShownVisit } from './view.ts';

export interface NetworkView {
  readonly domain: string;
  /** `show`, `search` and the cursor, none of them empty. */
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
  ['behind', 'Behind'],
  ['missing', 'Missing'],
];
const MEANINGS: Readonly<Record<string, string>> = {
  all: 'Publishers whose file or ads.txt leads to the file of this domain.',
  orphaned: 'They lead here, and the file authorises nobody for them.',
  behind: 'They were read before the file of this domain changed. Their next visit brings the new one.',
  missing: 'The file names them, and they do not lead here.',
};
/** `/networks/{domain}`: the publishers whose file another domain keeps. */
export function networkPage(site: PlacedSite, view: NetworkView): HtmlPage {
  const { domain, asked, network } = view;
  const path = domainPath(site, 'networks', domain);
  const { show, total, total_exact: isExact, file_changed_at: changed, visit } = network;
  return {
    title: `Network of ${domain}`,
    description: `The publishers whose adagents.json ${domain} keeps, and which of them do not agree.`,
    trail: [{ text: 'Agents', path: '/' }, { text: 'Publishers', path: '/publishers' }, { text: domain }],
    content: html`<h1>Network of ${said(domain, 253)}</h1>
<p class="pills">${visitPill(visit)}</p>
<p class="lead">${isExact ? '' : 'At least '}${amountText(total, 'publisher')} ${total === 1 ? 'leads' : 'lead'} to the <a href="${domainPath(site, 'publishers', domain)}">file of this domain</a>${changed === undefined ? ', of which none counts now' : html`, which says what it says since ${moment(changed)}`}.</p>
<nav aria-label="Parts of the network"><ul class="groups">${PARTS.map(([part, text]) => html`<li><a href="${path}?show=${part}"${part === show ? html` aria-current="true"` : ''}>${text}</a></li>`)}</ul></nav>
<p>${MEANINGS[show] ?? ''}</p>
<form class="search" role="search" action="${path}" method="get"><div class="words"><label for="search">Publishers that begin with</label><input type="search" id="search" name="search" value="${plain(asked.get('search') ?? '', 253)}" maxlength="253" autocomplete="off"></div><input type="hidden" name="show" value="${plain(show, 20)}"><button>Search</button></form>
${list(site, path, view)}
<section aria-labelledby="fresh"><h2 id="fresh">How fresh the file of this domain is</h2>${howFresh(site, domain, visit)}</section>
${sameAsJson(site, `${site.root}/api/registry/network?${jsonQuery(domain, asked)}`)}`,
  };
}

function list(site: PageSite, path: string, { asked, network }: NetworkView): SafeHtml {
  const { publishers, next_cursor: cursor, looked_at: looked } = network;
  const pager = listPager(path, asked, { cursor });
  if (publishers.length === 0)
    return html`<p class="found">None among ${amountText(looked, 'publisher')} that ${looked === 1 ? 'was' : 'were'} looked at${cursor === null ? '' : '; there are more'}.</p>${pager}`;
  const rows = publishers.map(({ domain, states, agents, discovery_method: method, last_validated: at }) => {
    const agrees = at === undefined ? pill('calm', 'not read yet') : pill('good', 'agrees');
    const state = states.length === 0 ? agrees : states.map((one) => html`${pill('warn', one)} `);
    return [
      domainLink(site, 'publishers', domain),
      state,
      wayText(method),
      agents.toLocaleString('en-GB'),
      moment(at),
    ];
  });
  return html`${scrolling('Publishers', ['Publisher', 'State', 'Way', 'Agents', 'Last read'], rows)}${pager}`;
}

function jsonQuery(domain: string, asked: URLSearchParams): string {
  const query = new URLSearchParams([['domain', domain], ...asked]);
  return query.toString().replaceAll("'", '%27');
}
