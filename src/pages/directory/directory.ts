import { html, type SafeHtml } from '@remix-run/html-template';
import type { FacetCount, NearestValues } from '../../domain/agent-search.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { agentPath, amountText, said, sameAsJson, sentence } from '../texts.ts';
import { facetSections } from './facets.ts';
import { agentList, type ListedAgent } from './result.ts';
import {
  askedChips,
  filterTitle,
  searchForm,
  toggles,
  valueText,
  viewPath,
  withoutParameter,
  withValue,
} from './search-form.ts';
import { STRICT_FILTERS } from './strict-filters.ts';

/** A page of the directory. */
export interface DirectoryView {
  /** The parameters of the address, none of them empty, without those of paging. */
  readonly asked: URLSearchParams;
  /** The same with the defaults of the directory. */
  readonly effective: URLSearchParams;
  readonly agents: readonly ListedAgent[];
  readonly total: { readonly count: number; readonly exact: boolean };
  /** The cursor of the next page. */
  readonly cursor: string | null;
  readonly isFirst: boolean;
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  /** The number of agents that the facets count. */
  readonly facetsCounted: number;
  /** False if the facets are estimates, because there are more agents than they count. */
  readonly facetsExact: boolean;
  readonly corrected: Readonly<Record<string, readonly string[]>>;
  readonly nearest: readonly NearestValues[];
  /** Agents that have the words, where the filters exclude them all. */
  readonly withoutFilters?: DirectoryView['total'];
  /** Words that were ignored because no agent has them together with the others, and the words of the results. */
  readonly ignored?: { readonly words: readonly string[]; readonly searched: string };
  /** The path of the operation with the same answer, with its parameters. */
  readonly jsonPath: string;
}

/** `/`: the matching agents, and the filters. */
export function directoryPage(site: PlacedSite, view: DirectoryView): HtmlPage {
  const { asked, agents, total, facets } = view;
  const isNarrowed = [...asked.keys()].some((name) => name !== 'sort');
  return {
    title: isNarrowed ? 'Matching agents' : 'Agents',
    description:
      'Agents of the advertising protocol: their capabilities, the publishers that authorise them, and their test results.',
    trail: [{ text: 'Agents', path: '/' }],
    script: 'suggest.js',
    content: html`<h1>Find an agent</h1>
${isNarrowed ? '' : html`<p class="lead">Search the agents that publishers and brands declare in their files. The registry probes each agent for its capabilities.</p>`}
${searchForm(site, asked)}
${toggles(site, asked, view.effective)}
${askedChips(site, asked)}
${ignoredText(view)}${correctedText(view)}${agents.length > 0 ? addressAsked(site, asked.get('q')?.trim() ?? '') : ''}
<div class="narrowed">${Object.keys(facets).length === 0 ? '' : filters(site, view)}
<div>${agents.length === 0 ? nothingFound(site, view, isNarrowed) : html`<p class="found" id="found">${total.exact ? '' : 'At least '}${amountText(total.count, 'agent')}${view.isFirst ? '' : ' (next page)'}</p>${agentList(site, agents)}`}
${pager(site, view)}</div></div>
${sameAsJson(site, `${site.root}${view.jsonPath}`)}`,
  };
}

/** The filters: beside the list, or, on a phone, closed above it. */
function filters(site: PageSite, { asked, facets, facetsCounted, facetsExact }: DirectoryView): SafeHtml {
  const isOnline = asked.get('online') === 'true';
  return html`<nav class="narrow" aria-label="Filters"><details><summary>Filters</summary><h2>Filters</h2>
${facetsExact ? '' : html`<p class="type">Counts are estimates from the first ${amountText(facetsCounted, 'agent')}.</p>`}${isOnline ? html`<p class="type">Counts include agents that are offline.</p>` : ''}${facetSections(site, asked, facets)}</details></nav>`;
}

function correctedText({ corrected }: DirectoryView): SafeHtml[] {
  return Object.entries(corrected).map(
    ([word, known]) =>
      html`<p class="notice">No agent mentions “${said(word, 60)}”; showing results for ${list(known)}.</p>`,
  );
}

function ignoredText({ ignored }: DirectoryView): SafeHtml | string {
  if (ignored === undefined) return '';
  return html`<p class="notice">No results for ${ignored.words.map((word, at) => html`${at === 0 ? '' : ', '}“${said(word, 60)}”`)}; showing “${said(ignored.searched, 200)}”.</p>`;
}

function list(words: readonly string[]): SafeHtml[] {
  return words.map((word, at) => html`${at === 0 ? '' : ', '}<b>${said(word, 60)}</b>`);
}

function nothingFound(
  site: PageSite,
  { asked, effective, nearest, isFirst, withoutFilters }: DirectoryView,
  isNarrowed: boolean,
): SafeHtml {
  if (!isFirst) return html`<p class="found">No more agents.</p>`;
  if (!isNarrowed)
    return html`<div class="empty"><h2>No agents yet</h2><p>The registry adds agents when it reads the files of publishers and brands.
<a href="${site.root}/docs/api/requestCrawl">Request a crawl of a domain</a>.</p></div>`;
  return html`<div class="empty"><h2>No matching agents</h2>
${addressAsked(site, asked.get('q')?.trim() ?? '')}
${nearest.map(
  ({ parameter, value, nearest: known }) =>
    html`<p>No results for ${parameter === 'q' ? '' : html`${said(filterTitle(parameter), 40)} `}“${said(valueText(parameter, value), 80)}”.${
      known.length === 0
        ? ''
        : html` Similar: ${known.map((one, at) => html`${at === 0 ? '' : ', '}<a href="${viewPath(site, withValue(asked, parameter, one))}">${said(valueText(parameter, one), 80)}</a>`)}.`
    }</p>`,
)}
${withoutFilters === undefined ? '' : html`<p><a href="${viewPath(site, new URLSearchParams({ q: asked.get('q') ?? '' }))}">Search without filters</a>: ${withoutFilters.exact ? '' : 'at least '}${amountText(withoutFilters.count, 'agent')}.</p>`}
${STRICT_FILTERS.filter((name) => effective.get(name) === 'true').map((name) => html`<p><a href="${viewPath(site, withValue(asked, name, 'false'))}">${LESS_STRICT[name]}</a></p>`)}
${(['online', 'verified'] as const).filter((name) => asked.get(name) === 'true').map((name) => html`<p><a href="${viewPath(site, withoutParameter(asked, name))}">${LESS_STRICT[name]}</a></p>`)}
<p>Remove a filter, or <a href="${site.root}/">show all agents</a>.</p></div>`;
}

const LESS_STRICT = {
  accreditation_valid: 'Include expired accreditations',
  same_metric: 'Include agents that are accredited for another metric',
  online: 'Include agents that are offline',
  verified: 'Include agents that are not verified',
} as const;

/** A pasted address or domain is not a search: it leads to its page. */
function addressAsked(site: PageSite, text: string): SafeHtml | string {
  const agent = parseAgentUrl(text);
  if (agent.ok)
    return html`<p>This is the URL of an agent. Open <a href="${agentPath(site, agent.url)}">${said(agent.url, 160)}</a>.</p>`;
  const domain = parseDomain(text);
  if (!domain.ok) return '';
  return html`<p>This is a domain. Open <a href="${site.root}/publishers/${domain.domain}">the publisher ${said(domain.domain, 160)}</a>.</p>`;
}

function pager(site: PageSite, { asked, cursor, isFirst }: DirectoryView): SafeHtml | string {
  if (isFirst && cursor === null) return '';
  return html`<nav class="pager" aria-label="Pages">${isFirst ? '' : html`<a href="${viewPath(site, asked)}">First page</a> `}${
    cursor === null
      ? ''
      : html`<a rel="next" href="${viewPath(site, withValue(asked, 'cursor', cursor))}">Next page</a>`
  }</nav>`;
}

/** Why a search is refused. */
export interface AskedProblem {
  readonly asked: URLSearchParams;
  readonly detail: string;
  readonly parameter?: string;
  readonly validValues?: readonly string[];
}

const MOST_VALID = 60;

/** For a search with an invalid parameter: which one, why, and its valid values. */
export function refusedPage(
  site: PageSite,
  { asked, detail, parameter, validValues = [] }: AskedProblem,
): HtmlPage {
  const rest = parameter === undefined ? new URLSearchParams() : withoutParameter(asked, parameter);
  return {
    title: 'Invalid search',
    description: 'A parameter of the search is invalid.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Invalid search' }],
    script: 'suggest.js',
    content: html`<h1>Invalid search</h1>
<p class="notice" role="alert">${parameter === undefined ? sentence(detail, 300) : aboutParameter(parameter, detail)}</p>
${validValues.every((value) => detail.includes(value)) ? '' : html`<p>Valid values: ${validValues.slice(0, MOST_VALID).map((value, at) => html`${at === 0 ? '' : ', '}<code>${said(value, 60)}</code>`)}.</p>`}
<p><a href="${viewPath(site, rest)}">Search without this parameter</a></p>
${searchForm(site, rest)}`,
  };
}

/** Some sentences begin with the name of the parameter. */
function aboutParameter(parameter: string, detail: string): SafeHtml {
  const rest = detail.startsWith(`${parameter} `) ? detail.slice(parameter.length) : `: ${detail}`;
  return html`<b><code>${said(parameter, 60)}</code></b>${rest.charAt(0)}${said(rest.slice(1), 300)}.`;
}
