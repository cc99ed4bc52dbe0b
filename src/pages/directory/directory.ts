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
  valueText,
  viewPath,
  withoutParameter,
  withValue,
} from './search-form.ts';

/** What a page of the directory shows. */
export interface DirectoryView {
  /** The parameters that were asked for, none of them empty, without those of paging. */
  readonly asked: URLSearchParams;
  readonly agents: readonly ListedAgent[];
  readonly total: { readonly count: number; readonly exact: boolean };
  /** Of the next page. */
  readonly cursor: string | null;
  readonly isFirst: boolean;
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  /** How many agents the facets are counted of. */
  readonly facetsCounted: number;
  readonly corrected: Readonly<Record<string, readonly string[]>>;
  readonly nearest: readonly NearestValues[];
  /** Agents that have the words, where only the filters keep them out. */
  readonly withoutFilters?: DirectoryView['total'];
  /** Agents that have the words that somebody has, where nobody has the others. */
  readonly withoutWords?: DirectoryView['total'] & { readonly q: string };
  /** Of the operation with the same answer, with its parameters. */
  readonly jsonPath: string;
}

/** `/`: the agents that fit, and what to narrow them by. */
export function directoryPage(site: PlacedSite, view: DirectoryView): HtmlPage {
  const { asked, agents, total, facets } = view;
  const isNarrowed = [...asked.keys()].some((name) => name !== 'sort');
  return {
    title: isNarrowed ? 'Agents that fit' : 'Agents',
    description:
      'Agents of the advertising protocol: what they do, who authorises them, and how they do in tests.',
    trail: [{ text: 'Agents', path: '/' }],
    script: 'suggest.js',
    content: html`<h1>Find an agent</h1>
${isNarrowed ? '' : html`<p class="lead">Which agents there are, what they can do, and who authorises them: read in the files of publishers and brands, and asked of the agents themselves.</p>`}
${searchForm(site, asked)}
${askedChips(site, asked)}
${correctedText(view)}
<div class="narrowed">${Object.keys(facets).length === 0 ? '' : narrowing(site, view)}
<div>${agents.length === 0 ? nothingFound(site, view, isNarrowed) : html`<p class="found" id="found">${total.exact ? '' : 'At least '}${amountText(total.count, 'agent')}${view.isFirst ? '' : ', further on'}</p>${agentList(site, agents)}`}
${pager(site, view)}</div></div>
${sameAsJson(site, `${site.root}${view.jsonPath}`)}`,
  };
}

/** What to narrow the list by: beside it, and on a phone closed before it. */
function narrowing(site: PageSite, { asked, total, facets, facetsCounted }: DirectoryView): SafeHtml {
  const isPart = facetsCounted < total.count;
  return html`<nav class="narrow" aria-label="Narrow the list"><details><summary>Narrow the list</summary><h2>Narrow the list</h2>
${isPart ? html`<p class="type">Counted of the first ${amountText(facetsCounted, 'agent')}.</p>` : ''}${facetSections(site, asked, facets)}</details></nav>`;
}

function correctedText({ corrected }: DirectoryView): SafeHtml[] {
  return Object.entries(corrected).map(
    ([word, known]) =>
      html`<p class="notice">No agent has the word ${said(word, 60)}. These were searched for in its place: ${list(known)}.</p>`,
  );
}

function list(words: readonly string[]): SafeHtml[] {
  return words.map((word, at) => html`${at === 0 ? '' : ', '}<b>${said(word, 60)}</b>`);
}

function nothingFound(
  site: PageSite,
  { asked, nearest, isFirst, withoutFilters, withoutWords }: DirectoryView,
  isNarrowed: boolean,
): SafeHtml {
  if (!isFirst) return html`<p class="found">There are no further agents.</p>`;
  if (!isNarrowed)
    return html`<div class="empty"><h2>No agents yet</h2><p>The list fills as files of publishers and brands are read.
<a href="${site.root}/docs/api/requestCrawl">Ask for a domain to be visited</a>.</p></div>`;
  return html`<div class="empty"><h2>No agent fits all of this</h2>
${addressAsked(site, asked.get('q')?.trim() ?? '')}
${nearest.map(
  ({ parameter, value, nearest: known }) =>
    html`<p>No agent has <b>${said(filterTitle(parameter), 40)}: ${said(valueText(parameter, value), 80)}</b>.${
      known.length === 0
        ? ''
        : html` Nearest: ${known.map((one, at) => html`${at === 0 ? '' : ', '}<a href="${viewPath(site, withValue(asked, parameter, one))}">${said(valueText(parameter, one), 80)}</a>`)}.`
    }</p>`,
)}
${withoutFilters === undefined ? '' : html`<p><a href="${viewPath(site, new URLSearchParams({ q: asked.get('q') ?? '' }))}">Without the filters</a>: ${withoutFilters.exact ? '' : 'at least '}${amountText(withoutFilters.count, 'agent')}.</p>`}
${withoutWords === undefined ? '' : html`<p><a href="${viewPath(site, withValue(asked, 'q', withoutWords.q))}">Search for ${said(withoutWords.q, 80)} alone</a>: ${withoutWords.exact ? '' : 'at least '}${amountText(withoutWords.count, 'agent')}.</p>`}
<p>Take a filter away, or <a href="${site.root}/">see all agents</a>.</p></div>`;
}

/** An address is no word of a text: whoever pastes one wants to see what is behind it. */
function addressAsked(site: PageSite, text: string): SafeHtml | string {
  const agent = parseAgentUrl(text);
  if (agent.ok)
    return html`<p>This is an address. See <a href="${agentPath(site, agent.url)}">the agent at ${said(agent.url, 160)}</a>.</p>`;
  const domain = parseDomain(text);
  if (!domain.ok) return '';
  return html`<p>This is a domain. See <a href="${site.root}/publishers/${domain.domain}">the publisher ${said(domain.domain, 160)}</a>.</p>`;
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

/** For parameters that cannot be read: which one, why, and what would do. */
export function refusedPage(
  site: PageSite,
  { asked, detail, parameter, validValues = [] }: AskedProblem,
): HtmlPage {
  const rest = parameter === undefined ? new URLSearchParams() : withoutParameter(asked, parameter);
  return {
    title: 'This search cannot be read',
    description: 'A parameter of the search is outside its rule.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'This search cannot be read' }],
    script: 'suggest.js',
    content: html`<h1>This search cannot be read</h1>
<p class="notice" role="alert">${parameter === undefined ? sentence(detail, 300) : aboutParameter(parameter, detail)}</p>
${validValues.every((value) => detail.includes(value)) ? '' : html`<p>What would do: ${validValues.slice(0, MOST_VALID).map((value, at) => html`${at === 0 ? '' : ', '}<code>${said(value, 60)}</code>`)}.</p>`}
<p><a href="${viewPath(site, rest)}">Search without it</a></p>
${searchForm(site, rest)}`,
  };
}

/** Some sentences begin with the name of the parameter. */
function aboutParameter(parameter: string, detail: string): SafeHtml {
  const rest = detail.startsWith(`${parameter} `) ? detail.slice(parameter.length) : `: ${detail}`;
  return html`<b><code>${said(parameter, 60)}</code></b>${rest.charAt(0)}${said(rest.slice(1), 300)}.`;
}
