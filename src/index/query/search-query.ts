import {
  LABEL_NAMES,
  type SearchFilter,
  type SearchQuery,
  type SearchSort,
} from '../../domain/agent-search.ts';
import { wordsOf } from '../../domain/text.ts';
import { filterParameters, wantedOf } from './list-query.ts';
import { firstProblem } from './parameter-problem.ts';
import type { QueryProblem } from './query-problem.ts';
import { LABEL_ALIASES, SEARCH_PARAMETERS, USUAL_FOUND, withoutAliases } from './search-filters.ts';

/** Maximum number of alternatives of a label, and of words in a search. */
const MAX_LABELS = 20;
const MAX_WORDS = 12;

/** A search as it was requested. */
export interface AskedSearch extends Omit<SearchQuery, 'place'> {
  readonly limit: number;
  /** The text that has the words, as given. */
  readonly q?: string;
  /** Only agents that answered their last probe. Applied to the results of the index, which does not store it. */
  readonly online?: true;
  /** As given. */
  readonly cursor?: string;
  /** The names of the parameters that narrow the search, in the order of the documentation. */
  readonly narrowing: readonly string[];
}

export type ReadSearchQuery =
  | { readonly ok: true; readonly query: AskedSearch }
  | { readonly ok: false; readonly problem: QueryProblem };

/**
 * Reads the parameters of the search by the strict rules of the list operation. Measurement filters do not imply a type here: they
 * are AND'd with it. A text without a letter or digit is a problem, so that it does not match every agent.
 */
export function readSearchQuery(given: URLSearchParams, now: number): ReadSearchQuery {
  // first, because it limits the length of the texts that are split next
  const malformed = firstProblem(given, SEARCH_PARAMETERS) ?? aliasProblem(given);
  if (malformed !== undefined) return { ok: false, problem: malformed };
  const parameters = withoutAliases(given);
  const words = [...new Set(wordsOf(parameters.get('q') ?? ''))];
  const problem = wordsProblem(parameters, words) ?? labelsProblem(parameters);
  if (problem !== undefined) return { ok: false, problem };
  const cursor = parameters.get('cursor');
  const q = parameters.get('q');
  const narrowing = SEARCH_PARAMETERS.map(({ name }) => name).filter(
    (name) =>
      !['sort', 'facets', 'limit', 'cursor'].includes(name) &&
      given.has(name) &&
      (name === 'has_tmp' || given.get(name) !== 'false'),
  );
  const query: AskedSearch = {
    words,
    narrowing,
    filter: searchFilter(parameters, now),
    sort: (parameters.get('sort') ?? 'relevance') as SearchSort,
    limit: Number(parameters.get('limit') ?? USUAL_FOUND),
    ...(parameters.get('facets') === 'true' && { facets: true as const }),
    ...(q !== null && { q }),
    ...(parameters.get('online') === 'true' && { online: true as const }),
    ...(cursor !== null && { cursor }),
  };
  return { ok: true, query };
}

function aliasProblem(parameters: URLSearchParams): QueryProblem | undefined {
  for (const [alias, name] of Object.entries(LABEL_ALIASES)) {
    if (!parameters.has(alias) || !parameters.has(name)) continue;
    const detail = `${alias} and ${name} are the same filter: use only one of them, with commas between alternatives`;
    return { code: 'repeated_parameter', parameter: alias, detail };
  }
  return undefined;
}

function wordsProblem(parameters: URLSearchParams, words: readonly string[]): QueryProblem | undefined {
  if (!parameters.has('q')) return undefined;
  if (words.length === 0)
    return { code: 'invalid_value', parameter: 'q', detail: 'q must contain a letter or a digit' };
  if (words.length <= MAX_WORDS) return undefined;
  const detail = `q accepts at most ${MAX_WORDS} different words, ${words.length} were given`;
  return { code: 'too_many_values', parameter: 'q', detail };
}

function labelsProblem(parameters: URLSearchParams): QueryProblem | undefined {
  for (const name of LABEL_NAMES) {
    if (!parameters.has(name)) continue;
    const { length } = labelsIn(parameters, name);
    const detail = `${name} accepts 1 to ${MAX_LABELS} values, separated by commas; ${length} were given`;
    if (length === 0) return { code: 'invalid_value', parameter: name, detail };
    if (length > MAX_LABELS) return { code: 'too_many_values', parameter: name, detail };
  }
  return undefined;
}

function labelsIn(parameters: URLSearchParams, name: string): readonly string[] {
  const values = (parameters.get(name) ?? '').split(',').map((value) => value.trim().toLowerCase());
  return [...new Set(values)].filter((value) => value !== '').sort();
}

function searchFilter(parameters: URLSearchParams, now: number): SearchFilter {
  const { q: _, ...listed } = wantedOf(parameters, now);
  const labels = LABEL_NAMES.filter((name) => parameters.has(name)).map((name) => [
    name,
    labelsIn(parameters, name),
  ]);
  const hasTmp = parameters.get('has_tmp');
  const minProperties = parameters.get('min_properties');
  return {
    listed,
    labels: Object.fromEntries(labels),
    ...(hasTmp !== null && { hasTmp: hasTmp === 'true' }),
    ...(minProperties !== null && { minProperties: Number(minProperties) }),
  };
}

/** The same text for equivalent searches: what may not change from page to page. */
export function canonicalSearch({ words, filter, sort }: Omit<SearchQuery, 'place'>): string {
  const parameters = filterParameters(filter.listed);
  for (const name of LABEL_NAMES)
    for (const value of filter.labels[name] ?? []) parameters.append(name, value);
  for (const host of filter.hosts ?? []) parameters.append('host', host);
  if (filter.hasTmp !== undefined) parameters.append('has_tmp', String(filter.hasTmp));
  if (filter.minProperties !== undefined) parameters.append('min_properties', String(filter.minProperties));
  parameters.append('sort', sort);
  parameters.append('words', words.join(' '));
  return `search?${parameters}`;
}
