import { ownEntry } from '../../base/json.ts';
import type { AgentFilter, AgentHit, AgentPage, AgentQuery, RecordGroups } from '../../domain/agent-query.ts';
import {
  FACET_PARAMETERS,
  type FacetCount,
  type FacetParameter,
  type FoundBlock,
  type SearchQuery,
} from '../../domain/agent-search.ts';
import {
  MAX_UNKNOWN,
  nearestValues,
  nearestWords,
  relatedWords,
  stemmedForms,
  unknownValues,
} from '../query/nearest.ts';
import { askedValues } from '../query/search-filters.ts';
import type { Engine } from './client.ts';
import { isDigest } from './document.ts';
import {
  type Alternatives,
  BLOCK,
  countBody,
  countedBody,
  facetBody,
  formName,
  listBody,
  rankedBody,
  relevanceBody,
  sortedBody,
  spellingBody,
} from './query.ts';

interface ListAnswer {
  readonly hits: {
    /** Exact; present if requested. */
    readonly total?: { readonly value: number };
    readonly hits: readonly {
      readonly _index: string;
      readonly _source: Pick<AgentHit, 'url' | 'seq'> & RecordGroups;
    }[];
  };
}

/** One page of the list. `target` is an alias or an index. */
export async function listAgents(engine: Engine, target: string, query: AgentQuery): Promise<AgentPage> {
  const answer = await engine.query<ListAnswer>(target, listBody(query));
  const { hits, total } = answer.hits;
  return {
    hits: hits.slice(0, query.limit).map(({ _source: { url, seq, ...groups } }) => ({
      ...{ url, seq },
      ...(query.shown !== undefined && { groups }),
    })),
    more: hits.length > query.limit,
    ...(hits[0] !== undefined && { generation: hits[0]._index }),
    ...(total !== undefined && { total: total.value }),
  };
}

interface CountAnswer {
  readonly hits: { readonly total: { readonly value: number } };
}

/** The number of agents that match the filter. */
export async function countAgents(engine: Engine, target: string, filter: AgentFilter): Promise<number> {
  const answer = await engine.query<CountAnswer>(target, countBody(filter));
  return answer.hits.total.value;
}

interface BlockAnswer {
  readonly hits: {
    readonly hits: readonly {
      readonly _index: string;
      readonly _id: string;
      readonly _score: number;
      readonly _source: { readonly url: string; readonly card: string };
      readonly sort: readonly unknown[];
    }[];
  };
}

interface CountedAnswer {
  /** Whether there may be more matching agents than were counted. */
  readonly terminated_early?: boolean;
  readonly hits: { readonly total: { readonly value: number } };
  readonly aggregations?: Readonly<Record<string, Values>>;
}

interface RelevanceAnswer {
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _score: number }[] };
}

/** A terms aggregation. The key of a boolean is a number. */
interface Values {
  /** By how much a count may be wrong, because each shard returns its own most common values only. */
  readonly doc_count_error_upper_bound?: number;
  readonly buckets: readonly {
    readonly key: string | number;
    readonly key_as_string?: string;
    readonly doc_count: number;
  }[];
}

/** One block of a search. If nothing is found, words that no agent has are replaced by similar ones. */
export async function searchAgents(engine: Engine, target: string, query: SearchQuery): Promise<FoundBlock> {
  const found = await searchOnce(engine, target, query);
  if (found.total.agents > 0) return found;
  const { corrected, nearest } = await checkSpelling(engine, target, query);
  if (Object.keys(corrected).length === 0) return { ...found, nearest };
  const again = await searchOnce(engine, target, query, (word) => ownEntry(corrected, word) ?? [word]);
  return { ...again, corrected, ...(again.total.agents === 0 && { nearest }) };
}

async function searchOnce(
  engine: Engine,
  target: string,
  query: SearchQuery,
  alternatives?: Alternatives,
): Promise<FoundBlock> {
  if (query.totalOnly) {
    const answer = await engine.query<CountedAnswer>(target, countedBody(query, alternatives));
    return { agents: [], ...counted(answer), corrected: {} };
  }
  if (query.sort === 'relevance') {
    const answer = await engine.query<BlockAnswer & CountedAnswer>(target, rankedBody(query, alternatives));
    return { ...blockOf(answer, ({ _score }) => _score), ...counted(answer), corrected: {} };
  }
  const answer = await engine.query<BlockAnswer>(target, sortedBody(query, alternatives));
  const { hits } = answer.hits;
  // one answer is of one generation, also if another one becomes live in between
  const generation = hits[0]?._index ?? target;
  const ids = hits.map(({ _id }) => _id);
  const [counts, relevance] = await Promise.all([
    engine.query<CountedAnswer>(generation, countedBody(query, alternatives)),
    engine.query<RelevanceAnswer>(generation, relevanceBody(query, ids, alternatives)),
  ]);
  // an agent that was dropped from the index in between has no score
  const scores = new Map(relevance.hits.hits.map(({ _id, _score }) => [_id, _score]));
  return { ...blockOf(answer, ({ _id }) => scores.get(_id) ?? 1), ...counted(counts), corrected: {} };
}

function blockOf({ hits: { hits } }: BlockAnswer, relevanceOf: (hit: (typeof hits)[number]) => number) {
  const block = hits.slice(0, BLOCK);
  const last = hits.length > BLOCK ? block.at(-1) : undefined;
  return {
    agents: block.map((hit) => ({ ...hit._source, relevance: relevanceOf(hit) })),
    ...(last !== undefined && { next: JSON.stringify(last.sort) }),
  };
}

function counted({ hits: { total }, terminated_early, aggregations }: CountedAnswer) {
  const isExact = terminated_early !== true;
  return {
    total: { agents: total.value, isExact },
    ...(aggregations && {
      facets: facetsOf(aggregations),
      counted: total.value,
      areFacetsExact: isExact && Object.values(aggregations).every(hasExactCounts),
    }),
  };
}

function hasExactCounts({ doc_count_error_upper_bound: error = 0 }: Values): boolean {
  return error === 0;
}

function facetsOf(aggregations: Readonly<Record<string, Values>>): NonNullable<FoundBlock['facets']> {
  const facets: Record<string, readonly FacetCount[]> = {};
  for (const name of FACET_PARAMETERS) {
    const counts = countsOf(aggregations[name]);
    if (counts.length > 0) facets[name] = counts;
  }
  return facets;
}

function countsOf(values: Values | undefined): readonly FacetCount[] {
  return (values?.buckets ?? [])
    .map(({ key, key_as_string, doc_count }) => ({ value: key_as_string ?? String(key), count: doc_count }))
    .filter(({ value }) => !isDigest(value));
}

/** How many agents have each value of a facet, the commonest first. */
export async function countFacet(
  engine: Engine,
  target: string,
  name: FacetParameter,
  most: number,
): Promise<readonly FacetCount[]> {
  type Answer = { readonly aggregations: { readonly values: Values } };
  const answer = await engine.query<Answer>(target, facetBody(name, most));
  return countsOf(answer.aggregations.values);
}

interface SpellingAnswer {
  readonly aggregations: Readonly<Record<string, { readonly doc_count: number } & Values>>;
  readonly suggest?: Readonly<Record<string, readonly { readonly options: readonly Suggestion[] }[]>>;
}

interface Suggestion {
  readonly text: string;
  /** The number of agents with this word. */
  readonly freq: number;
}

/** The words and values that no agent has, and similar ones that agents have. */
async function checkSpelling(
  engine: Engine,
  target: string,
  { words, filter }: SearchQuery,
): Promise<Required<Pick<FoundBlock, 'corrected' | 'nearest'>>> {
  const values = askedValues(filter);
  const answer = await engine.query<SpellingAnswer>(target, spellingBody(words, values));
  const { aggregations, suggest = {} } = answer;
  const suggested = (name: string) =>
    (ownEntry(suggest, name) ?? []).flatMap(({ options }) =>
      options.map(({ text, freq }) => ({ word: text, agents: freq })),
    );

  const unknown = words.filter((_, at) => aggregations[`word${at}`]?.doc_count === 0);
  const corrected: Record<string, readonly string[]> = {};
  for (const word of unknown) {
    const similar = nearestWords(word, suggested(word));
    const forms = stemmedForms(word).flatMap((_, at) => suggested(formName(word, at)));
    const distinct = [...new Map(forms.map((form) => [form.word, form])).values()];
    const meant = similar.length > 0 ? similar : relatedWords(word, distinct);
    if (meant.length > 0) corrected[word] = meant.map((one) => one.word);
  }

  const unknownWords = unknownValues(unknown.filter((word) => ownEntry(corrected, word) === undefined));
  const nearestOfValues = values
    .filter((_, at) => aggregations[`value${at}`]?.doc_count === 0)
    .slice(0, MAX_UNKNOWN - unknownWords.length)
    .map(({ parameter, value }) => {
      const known = countsOf(aggregations[parameter]).map((one) => one.value);
      return { parameter, value, nearest: nearestValues(value, known) };
    });
  return { corrected, nearest: [...unknownWords, ...nearestOfValues] };
}
