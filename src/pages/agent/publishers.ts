import { html } from '@remix-run/html-template';
import { domainLink, listPager, type Row, scrolling, wayText } from '../files/file-parts.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { agentPath, amountText, moment, plain, said, sameAsJson, segmentOf } from '../texts.ts';

export interface AgentPublishersView {
  readonly agent: string;
  /** `search`, `status` and the cursor; no empty values. */
  readonly asked: URLSearchParams;
  readonly publishers: readonly {
    readonly publisher_domain: string;
    readonly discovery_method: string | null;
    readonly properties_authorized: number;
    readonly properties_total: number;
    readonly last_verified_at: string | null;
  }[];
  readonly cursor: string | null;
}

const PARTS: readonly (readonly [string, string])[] = [
  ['authorized', 'Authorize it now'],
  ['revoked', 'No longer'],
];

/** `/agents/{encodedUrl}/publishers`: the publishers that authorize an agent, or did. */
export function agentPublishersPage(site: PlacedSite, view: AgentPublishersView): HtmlPage {
  const { agent, asked, publishers, cursor } = view;
  const path = `${agentPath(site, agent)}/publishers`;
  const shown = asked.get('status') ?? 'authorized';
  const query = asked.toString().replaceAll("'", '%27');
  return {
    title: `Publishers of ${plain(agent, 100)}`,
    description: `The publishers whose adagents.json authorizes ${plain(agent, 200)}.`,
    trail: [
      { text: 'Agents', path: '/' },
      { text: plain(agent, 80), path: `/agents/${segmentOf(agent)}` },
      { text: 'Publishers' },
    ],
    content: html`<h1>Publishers of this agent</h1>
<p class="place"><a href="${agentPath(site, agent)}">${said(agent, 160)}</a></p>
<nav aria-label="Which publishers"><ul class="groups">${PARTS.map(([part, text]) => html`<li><a href="${path}?status=${part}"${part === shown ? html` aria-current="true"` : ''}>${text}</a></li>`)}</ul></nav>
<form class="search" role="search" action="${path}" method="get"><div class="words"><label for="search">Domain starts with</label><input type="search" id="search" name="search" value="${plain(asked.get('search') ?? '', 253)}" maxlength="253" autocomplete="off"></div><input type="hidden" name="status" value="${plain(shown, 20)}"><button>Search</button></form>
${publishers.length === 0 ? html`<p class="found">${cursor === null ? 'No publishers.' : 'No matches on this page. Continue with the next page.'}</p>` : scrolling('Publishers', ['Publisher', 'Authorized for', 'File location', 'Last checked'], rows(site, view))}
${listPager(path, asked, { cursor })}
${sameAsJson(site, `${site.root}/v1/agents/${segmentOf(agent)}/publishers${query === '' ? '' : `?${query}`}`)}`,
  };
}

function rows(site: PageSite, { publishers }: AgentPublishersView): Row[] {
  return publishers.map(
    ({
      publisher_domain: domain,
      properties_authorized: sold,
      properties_total: all,
      discovery_method: method,
      last_verified_at: at,
    }) => [
      domainLink(site, 'publishers', domain),
      all === 0
        ? 'The file lists no properties'
        : `${sold.toLocaleString('en-GB')} of ${amountText(all, 'property', 'properties')}`,
      wayText(method),
      moment(at),
    ],
  );
}
