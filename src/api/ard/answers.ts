import type { FacetCount, FacetParameter, SearchSort } from '../../domain/agent-search.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import { readSearchQuery } from '../../index/query/search-query.ts';
import { type SearchSources, searchAs } from '../operations/search-agents.ts';
import { invalidValue, queryProblem } from '../problem.ts';
import type { RankedAgent } from '../render/search-results.ts';
import { type ArdEntry, entryOf, TYPE_OF_PROTOCOL } from './entry.ts';
import type { ArdQuery } from './query-model.ts';
import { type MeantWords, meantWords, narrowed } from './words.ts';

/** A page of entries, as the search and the list ask for it. */
export interface AskedPage {
  readonly query: ArdQuery;
  readonly sort: SearchSort;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly now: number;
  /** The address of this registry. */
  readonly origin: string;
}

interface FoundEntry {
  readonly entry: ArdEntry | undefined;
  readonly relevance: number;
}

export interface FoundPage {
  /** With a score from 0 to 100: how much of the text an entry matches, and how well. */
  readonly entries: readonly { readonly entry: ArdEntry; readonly score: number }[];
  readonly pageToken?: string;
  /** Present when it is exact. */
  readonly total?: number;
}

/** Finds a page of entries. Throws an HttpProblem for a query, a text or a token that cannot be read. */
export async function foundPage(sources: SearchSources, asked: AskedPage): Promise<FoundPage> {
  const { query, sort, pageSize, now, origin } = asked;
  const [top, cursor] = placeIn(asked.pageToken);
  const { words, filters, share } = await meantBy(sources, query, now);
  const [filter, ...others] = filters;
  if (share === 0 || filter === undefined) return { entries: [], total: 0 };
  const resultOf = ({ found, card, factors }: RankedAgent): FoundEntry => ({
    entry: entryOf(found.url, card, origin),
    relevance: found.relevance / (factors.verification * factors.status),
  });
  // a search has one protocol or any: with several, agents that no probe has reached are removed below
  const { protocol: _, ...listed } = filter.listed;
  const of = others.length === 0 ? filter : { ...filter, listed };
  const search = {
    words,
    filter: of,
    sort,
    limit: pageSize,
    narrowing: [],
    ...(cursor !== undefined && { cursor }),
  };
  const page = await searchAs(sources, search, now, resultOf);
  const best = Math.max(top, ...page.results.map(({ relevance }) => relevance));
  const entries = page.results.flatMap(({ entry, relevance }) =>
    entry === undefined ? [] : [{ entry, score: scoreOf(share, relevance / best) }],
  );
  if (sort === 'relevance') entries.sort((a, b) => b.score - a.score);
  return {
    entries,
    ...(page.cursor !== null && { pageToken: `${best}~${page.cursor}` }),
    ...(page.total.exact && others.length === 0 && { total: page.total.count }),
  };
}

/** Relevance only (ARD v0.91, 5.3.2): one half for how much of the text is matched, one half for how well. */
function scoreOf(share: number, relevance: number): number {
  return Math.min(100, Math.max(1, Math.round(100 * share * (0.5 + relevance / 2))));
}

/** The relevance that the best of earlier pages had, and the cursor of our search. */
function placeIn(token: string | undefined): readonly [number, string | undefined] {
  if (token === undefined) return [0, undefined];
  const [, top, cursor] = /^([\d.e-]{1,30})~([\w-]+)$/.exec(token) ?? [];
  if (cursor === undefined || !Number.isFinite(Number(top)))
    throw invalidValue('pageToken', 'the token was not issued by this registry');
  return [Number(top), cursor];
}

/** The query for our index: a filter for each kind of artefact, and the words to search for. */
async function meantBy({ index }: Pick<SearchSources, 'index'>, query: ArdQuery, now: number) {
  const { text, hosts } = query;
  const filters = query.protocols.map((protocol) => {
    const parameters = new URLSearchParams({ protocol });
    for (const [name, value] of query.parameters) parameters.append(name, value);
    const read = readSearchQuery(parameters, now);
    if (!read.ok) throw queryProblem({ ...read.problem, parameter: 'query.filter' });
    return { ...read.query.filter, ...(hosts && { hosts }) };
  });
  const meant: MeantWords =
    text === undefined ? { words: [], share: 1 } : await meantWords(index, text, filters);
  return { ...meant, filters: filters.map((filter) => narrowed(filter, meant)) };
}

/** How many of the entries that a query finds have each value. */
export interface Counts {
  readonly facets: Partial<Record<FacetParameter, readonly FacetCount[]>>;
  /** Whether the counts are exact and of all entries. */
  readonly isWhole: boolean;
}

/** Counts over all that a query finds (ARD v0.91, 5.3.3), each kind of artefact by itself where several are asked for. */
export async function countsOf(sources: SearchSources, query: ArdQuery, now: number): Promise<Counts> {
  const { words, filters, share } = await meantBy(sources, query, now);
  let all: Counts = { facets: {}, isWhole: true };
  for (const filter of share === 0 ? [] : filters) {
    const { facets = {}, areFacetsExact: isWhole = false } = await sources.index.find({
      ...{ words, filter, sort: 'relevance' as const, facets: true as const },
    });
    all = joined(all, { facets, isWhole });
  }
  return all;
}

function joined(a: Counts, b: Counts): Counts {
  const names = [...new Set([...Object.keys(a.facets), ...Object.keys(b.facets)])] as FacetParameter[];
  const facets = names.map((name) => {
    const sums = new Map<string, number>();
    for (const { value, count } of [...(a.facets[name] ?? []), ...(b.facets[name] ?? [])])
      sums.set(value, (sums.get(value) ?? 0) + count);
    return [name, [...sums].map(([value, count]) => ({ value, count }))];
  });
  return {
    facets: Object.fromEntries(facets),
    isWhole: a.isWhole && b.isWhole,
  };
}

/** The counts of one term, in its words: media types for protocols. */
export function bucketsOf({ facets }: Counts, name: FacetParameter): readonly FacetCount[] {
  const counts = (facets[name] ?? []).toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  if (name !== 'protocol') return counts;
  return counts.map(({ value, count }) => ({ value: TYPE_OF_PROTOCOL[value as Protocol], count }));
}
