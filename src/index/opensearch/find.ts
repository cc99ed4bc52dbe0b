import { ownEntry } from '../../base/json.ts';
import {
  FACET_PARAMETERS,
  type FacetCount,
  type FacetParameter,
  type FoundBlock,
  type SearchQuery,
  type SearchSort,
} from '../../domain/agent-search.ts';
import { joinedAround } from '../../domain/text.ts';
import { conditionMarks } from '../query/search-filters.ts';
import type { Engine } from './client.ts';
import { lookAround } from './look-around.ts';
import { exactTerm, type QueryClause } from './query.ts';
import { ensureWhole, type ShardsAnswer } from './search.ts';
import { wordClause } from './search-fields.ts';

/** Agents of one answer to the caller. */
const BLOCK = 200;
/**
 * The total is exact up to it, and facets are counted of so many of each shard. By relevance a shard scores so many and one
 * more: a word that everybody has would cost a look at everybody.
 */
const MOST_COUNTED = 10_000;
const MAX_VALUES = 20;

const SORTS: Readonly<Record<SearchSort, QueryClause>> = {
  relevance: { _score: 'desc' },
  name: { name: 'asc' },
  properties: { property_count: 'desc' },
  publishers: { publisher_count: 'desc' },
};

/** For each word that is searched for, the words that stand for it. */
type WordGroups = readonly (readonly string[])[];

/** The body of a search for one block, and one agent more to know whether others follow. */
function findBody(
  { words, filter, sort, place, facets, totalOnly }: SearchQuery,
  groups: WordGroups,
): Readonly<Record<string, unknown>> {
  const { minProperties } = filter;
  const conditions = [
    { term: { listed: true } },
    ...conditionMarks(filter).map((marks) => ({ terms: { marks: marks.map(exactTerm) } })),
    ...(minProperties === undefined ? [] : [{ range: { property_count: { gte: minProperties } } }]),
  ];
  const wanted =
    groups.length === 0
      ? [{ match_all: {} }]
      : groups.map((group, at) => anyWord(group, joinedAround(words, at)));
  return {
    query: {
      function_score: {
        query: { bool: { filter: conditions, must: wanted } },
        field_value_factor: { field: 'factor' },
        boost_mode: 'multiply',
      },
    },
    sort: [SORTS[sort], { url: 'asc' }],
    track_scores: true,
    track_total_hits: MOST_COUNTED + 1,
    ...(sort === 'relevance' && { terminate_after: MOST_COUNTED + 1 }),
    size: totalOnly ? 0 : BLOCK + 1,
    _source: ['url', 'card'],
    ...(place !== undefined && { search_after: JSON.parse(place) }),
    ...(facets && { aggs: { best: { sampler: { shard_size: MOST_COUNTED }, aggs: FACET_COUNTS } } }),
  };
}

const FACET_COUNTS = Object.fromEntries(
  FACET_PARAMETERS.map((name) => [name, { terms: { field: `facets.${name}`, size: MAX_VALUES } }]),
);

function anyWord(words: readonly string[], joins: readonly string[]): QueryClause {
  const [first = '', ...others] = words;
  const clause = wordClause(first, joins);
  return others.length === 0
    ? clause
    : { dis_max: { queries: [clause, ...others.map((word) => wordClause(word))] } };
}

interface FindAnswer {
  readonly timed_out: boolean;
  readonly _shards: ShardsAnswer;
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly {
      readonly _score: number;
      readonly _source: { readonly url: string; readonly card: string };
      readonly sort: readonly unknown[];
    }[];
  };
  readonly aggregations?: {
    readonly best: { readonly doc_count: number } & Readonly<Record<string, Buckets>>;
  };
}

interface Buckets {
  readonly buckets: readonly { readonly key: string; readonly doc_count: number }[];
}

/** One block of `target`, an alias or an index. Whole, or an EngineFault. */
export async function findInEngine(engine: Engine, target: string, query: SearchQuery): Promise<FoundBlock> {
  const asIs = query.words.map((word) => [word]);
  const found = await findOnce(engine, target, query, asIs);
  if (found.total.agents > 0) return found;
  const { corrected, nearest } = await lookAround(engine, target, query);
  if (Object.keys(corrected).length === 0) return { ...found, nearest };
  const groups = query.words.map((word) => ownEntry(corrected, word) ?? [word]);
  const again = await findOnce(engine, target, query, groups);
  return { ...again, corrected, ...(again.total.agents === 0 && { nearest }) };
}

async function findOnce(
  engine: Engine,
  target: string,
  query: SearchQuery,
  groups: WordGroups,
): Promise<FoundBlock> {
  const request = {
    method: 'POST',
    path: `/${target}/_search`,
    query: { allow_partial_search_results: false, timeout: `${engine.reads.withinMs}ms` },
    body: findBody(query, groups),
  } as const;
  const answer = await engine.send<FindAnswer>(request, engine.reads, ensureWhole);
  const { hits, total } = answer.hits;
  const block = hits.slice(0, BLOCK);
  const last = hits.length > BLOCK ? block.at(-1) : undefined;
  return {
    agents: block.map(({ _score, _source }) => ({ ..._source, relevance: _score })),
    ...(last !== undefined && { next: JSON.stringify(last.sort) }),
    total: { agents: Math.min(total.value, MOST_COUNTED), isExact: total.value <= MOST_COUNTED },
    ...(answer.aggregations && facetsOf(answer.aggregations.best)),
    corrected: {},
  };
}

function facetsOf(
  best: Required<FindAnswer>['aggregations']['best'],
): Required<Pick<FoundBlock, 'facets' | 'counted'>> {
  const facets: Record<string, readonly FacetCount[]> = {};
  for (const name of FACET_PARAMETERS) {
    const values = best[name]?.buckets.map(({ key, doc_count }) => ({ value: key, count: doc_count })) ?? [];
    if (values.length > 0) facets[name] = values;
  }
  return { facets, counted: best.doc_count };
}

/** Exact for a facet with so few values; of one with more the rare ones may be missing. */
const VALUES_OF_A_SHARD = 2_000;

/** How many agents of `target` have each value of a facet. */
export async function countedByEngine(
  engine: Engine,
  target: string,
  name: FacetParameter,
  most: number,
): Promise<readonly FacetCount[]> {
  const terms = { field: `facets.${name}`, size: most, shard_size: VALUES_OF_A_SHARD };
  const request = {
    method: 'POST',
    path: `/${target}/_search`,
    query: { allow_partial_search_results: false, timeout: `${engine.reads.withinMs}ms` },
    body: { size: 0, query: { term: { listed: true } }, aggs: { counts: { terms } } },
  } as const;
  const answer = await engine.send<{
    readonly timed_out: boolean;
    readonly _shards: ShardsAnswer;
    readonly aggregations: { readonly counts: Buckets };
  }>(request, engine.reads, ensureWhole);
  return answer.aggregations.counts.buckets.map(({ key, doc_count }) => ({ value: key, count: doc_count }));
}
