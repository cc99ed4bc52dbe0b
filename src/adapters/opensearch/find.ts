import type { AgentDocument } from '../../domain/agent-document.ts';
import type { FacetCount, FoundBlock, SearchQuery, SearchSort } from '../../domain/agent-search.ts';
import { FACET_PARAMETERS } from '../../query/index-fields.ts';
import { lastingFactor, searchDocument, TEXT_FIELDS, TEXT_NAMES } from '../../query/search-document.ts';
import { conditionMarks } from '../../query/search-filters.ts';
import { SHORTEST_BEGINNING } from '../../query/search-words.ts';
import type { Engine } from './client.ts';
import { exactTerm, type QueryClause } from './query.ts';
import { ensureWhole, type ShardsAnswer } from './search.ts';

/** Agents of one answer to the caller. */
const BLOCK = 200;
/** The total is exact up to it, and facets are counted of the best so many of each shard. */
const MOST_COUNTED = 10_000;
const MAX_VALUES = 20;
/** Longer values of a facet are not counted. */
const MAX_FACET = 256;
/** Of a word that begins with the one that is searched for. */
const COMPLETION_SHARE = 0.4;
const MAX_COMPLETIONS = 7;

const KEYWORD = { type: 'keyword', doc_values: false };
const TEXT = { type: 'text', analyzer: 'whitespace', index_options: 'freqs' };

/** The fields of a search, and those of them that no answer needs. */
export const SEARCH_FIELDS = {
  marks: KEYWORD,
  texts: { properties: Object.fromEntries(TEXT_NAMES.map((field) => [field, TEXT])) },
  facets: { properties: Object.fromEntries(FACET_PARAMETERS.map((name) => [name, { type: 'keyword' }])) },
  factor: { type: 'float', index: false },
  property_count: { type: 'integer' },
  publisher_count: { type: 'integer', index: false },
  name: { type: 'keyword', index: false },
  card: { type: 'object', enabled: false },
} as const;
export const UNSHOWN_FIELDS = [
  'marks',
  'texts',
  'facets',
  'factor',
  'property_count',
  'publisher_count',
  'name',
];

/** What the search looks at in a document: the other side of `findBody`. */
export function searchFields(document: AgentDocument): object {
  const { texts, marks, facets, card } = searchDocument(document);
  const counted: Record<string, string[]> = {};
  for (const [parameter, value] of facets) {
    if (value.length > MAX_FACET) continue;
    counted[parameter] ??= [];
    counted[parameter].push(value.toWellFormed());
  }
  return {
    marks: marks.map(exactTerm),
    texts: Object.fromEntries(TEXT_NAMES.map((field) => [field, texts[field].join(' ')])),
    facets: counted,
    factor: lastingFactor(card),
    property_count: card.property_count,
    publisher_count: card.publisher_count,
    name: card.name.toLowerCase().slice(0, 64).toWellFormed(),
    card: JSON.stringify(card),
  };
}

const SORTS: Readonly<Record<SearchSort, QueryClause>> = {
  relevance: { _score: 'desc' },
  name: { name: 'asc' },
  properties: { property_count: 'desc' },
  publishers: { publisher_count: 'desc' },
};

/** The body of a search for one block, and one agent more to know whether others follow. */
function findBody({ words, filter, sort, place, facets }: SearchQuery): Readonly<Record<string, unknown>> {
  const { minProperties } = filter;
  const conditions = [
    { term: { listed: true } },
    ...conditionMarks(filter).map((marks) => ({ terms: { marks: marks.map(exactTerm) } })),
    ...(minProperties === undefined ? [] : [{ range: { property_count: { gte: minProperties } } }]),
  ];
  const wanted = words.length === 0 ? [{ match_all: {} }] : words.map(wordClause);
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
    size: BLOCK + 1,
    _source: ['url', 'card'],
    ...(place !== undefined && { search_after: JSON.parse(place) }),
    ...(facets && { aggs: { best: { sampler: { shard_size: MOST_COUNTED }, aggs: FACET_COUNTS } } }),
  };
}

const FACET_COUNTS = Object.fromEntries(
  FACET_PARAMETERS.map((name) => [name, { terms: { field: `facets.${name}`, size: MAX_VALUES } }]),
);

/** The word in any of the texts, or one that begins with it. */
function wordClause(word: string): QueryClause {
  const isBeginning = word.length >= SHORTEST_BEGINNING;
  const should = TEXT_NAMES.flatMap((field) => {
    const [name, boost] = [`texts.${field}`, TEXT_FIELDS[field]];
    const rewrite = `top_terms_blended_freqs_${MAX_COMPLETIONS}`;
    const prefix = { value: word, boost: boost * COMPLETION_SHARE, rewrite };
    return [
      { term: { [name]: { value: word, boost } } },
      ...(isBeginning ? [{ prefix: { [name]: prefix } }] : []),
    ];
  });
  return { bool: { should, minimum_should_match: 1 } };
}

interface FindAnswer {
  readonly timed_out: boolean;
  readonly _shards: ShardsAnswer;
  readonly hits: {
    readonly total: { readonly value: number };
    readonly hits: readonly {
      readonly _index: string;
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
  const request = {
    method: 'POST',
    path: `/${target}/_search`,
    query: { allow_partial_search_results: false, timeout: `${engine.reads.withinMs}ms` },
    body: findBody(query),
  } as const;
  const answer = await engine.send<FindAnswer>(request, engine.reads, ensureWhole);
  const { hits, total } = answer.hits;
  const block = hits.slice(0, BLOCK);
  const last = hits.length > BLOCK ? block.at(-1) : undefined;
  return {
    agents: block.map(({ _score, _source }) => ({ ..._source, relevance: _score })),
    ...(last !== undefined && { next: JSON.stringify(last.sort) }),
    generation: hits[0]?._index ?? '',
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
