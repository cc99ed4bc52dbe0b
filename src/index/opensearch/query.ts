import type { Types } from '@opensearch-project/opensearch';
import { type ClaimCondition, claimCondition, sameMetricIds } from '../../domain/accreditation-claim.ts';
import type { AgentFilter, AgentQuery } from '../../domain/agent-query.ts';
import {
  FACET_PARAMETERS,
  type FacetParameter,
  LABEL_NAMES,
  type SearchFilter,
  type SearchQuery,
  type SearchSort,
} from '../../domain/agent-search.ts';
import { joinedAround } from '../../domain/text.ts';
import { readGroups } from '../query/list-query.ts';
import { MAX_SUGGESTIONS, maxEdits, stemmedForms, stemOf } from '../query/nearest.ts';
import { RANKING, TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';
import type { AskedValue } from '../query/search-filters.ts';
import { joinedToken, SHORTEST_BEGINNING } from '../query/search-words.ts';
import { exactTerm, substringText } from './document.ts';

export type Query = Types.Common_QueryDsl.QueryContainer;

const LISTED: Query = { term: { listed: true } };

/** The listed agents that match a filter of the list operation (`query/filters.ts`). */
export function listQuery(filter: AgentFilter): Query {
  return { bool: { filter: [LISTED, ...filterClauses(filter)] } };
}

/** One clause for each filter in use; an agent must match all of them. */
function filterClauses(filter: AgentFilter): Query[] {
  const { type, metricIds, accreditations, q, verified, verificationModes, protocol, complianceStatus } =
    filter;
  const clauses: Query[] = [];
  if (type !== undefined) clauses.push({ term: { type } });
  if (metricIds !== undefined) clauses.push(anyOf('metric_id', metricIds));
  if (accreditations !== undefined) clauses.push(anyOf('accreditation', accreditations));
  if (q !== undefined) clauses.push(contains('metric_id_lower', q));
  clauses.push(...oneMetric(filter));
  if (verified !== undefined) clauses.push({ term: { verified: true } });
  if (verificationModes !== undefined) {
    const axes = verificationModes.map((axis) => ({ term: { 'badges.axes': axis } }));
    clauses.push(nested('badges', axes));
  }
  if (protocol !== undefined) clauses.push({ term: { protocol } });
  if (complianceStatus !== undefined) clauses.push({ term: { compliance_status: complianceStatus } });
  return clauses;
}

/** `same_metric` and `accreditation_valid`: one metric meets the conditions together. */
function oneMetric(filter: AgentFilter): Query[] {
  const { sameMetric, accreditations, accreditedOn } = filter;
  if (accreditedOn === undefined && sameMetric === undefined) return [];
  if (accreditedOn !== undefined || accreditations !== undefined)
    return [accreditedMetric(claimCondition(filter))];
  const ids = sameMetricIds(filter);
  return ids === undefined ? [] : [anyOf('metric_id', ids)];
}

/** Metric X accredited by Y, valid on a day. */
function accreditedMetric({ metricIds, part, bodies, on }: ClaimCondition): Query {
  const accreditation: Query[] = [];
  if (bodies !== undefined) accreditation.push(anyOf('metrics.accreditations.accrediting_body', bodies));
  if (on !== undefined) accreditation.push(validOn(on));

  const metric: Query[] = [];
  if (metricIds !== undefined) metric.push(anyOf('metrics.metric_id', metricIds));
  if (part !== undefined) metric.push(contains('metrics.metric_id_lower', part));
  metric.push(nested('metrics.accreditations', accreditation));
  return nested('metrics', metric);
}

/** An accreditation without `valid_until` does not expire. */
function validOn(day: string): Query {
  const field = 'metrics.accreditations.valid_until';
  return {
    bool: { should: [{ range: { [field]: { gte: day } } }, { bool: { must_not: { exists: { field } } } }] },
  };
}

function nested(path: string, filter: Query[]): Query {
  return { nested: { path, query: { bool: { filter } } } };
}

function anyOf(field: string, values: readonly string[]): Query {
  return { terms: { [field]: values.map(exactTerm) } };
}

/** `*`, `?` and `\` are the only special characters of a wildcard; a backslash makes them literal. */
function contains(field: string, q: string): Query {
  return { wildcard: { [field]: { value: `*${substringText(q).replace(/[\\*?]/g, '\\$&')}*` } } };
}

/** One page of the list, and one agent more to know whether others follow. */
export function listBody({ filter, after, limit, total, shown }: AgentQuery) {
  const _source = ['url', 'seq'];
  if (shown !== undefined) {
    const groups = readGroups(shown, filter);
    _source.push('base');
    for (const group of ['properties', 'capabilities', 'compliance'] as const)
      if (groups[group]) _source.push(group);
  }
  return {
    query: listQuery(filter),
    sort: [{ url: 'asc' }],
    size: limit + 1,
    track_total_hits: total === true,
    _source,
    ...(after !== undefined && { search_after: [after] }),
  };
}

export function countBody(filter: AgentFilter) {
  return { query: listQuery(filter), size: 0, track_total_hits: true };
}

/** Agents of one block of a search. */
export const BLOCK = 200;
/**
 * A search ranks and counts the first agents of each shard that match, this many at most. It bounds the cost of words that
 * most agents have: ranking a million agents by ten words takes more than a second.
 */
const MAX_COUNTED = 20_000;
/** Values that a search counts of each facet. */
const FACET_VALUES = 20;

const SORTS: Readonly<Record<SearchSort, object>> = {
  relevance: { _score: 'desc' },
  name: { sort_name: 'asc' },
  properties: { property_count: 'desc' },
  publishers: { publisher_count: 'desc' },
};

/** The alternatives of each word of a search: the word itself, or what it was corrected to. */
export type Alternatives = (word: string) => readonly string[];

/** A search by relevance: one block with its relevance, the total and the facets. */
export function rankedBody(query: SearchQuery, alternatives?: Alternatives) {
  const { words, filter } = query;
  const found = [LISTED, ...searchClauses(filter)];
  return {
    query: scored(found, wordClauses(words, alternatives)),
    ...blockOptions(query),
    ...countOptions(query),
  };
}

/**
 * A search in another order: one block, without scores, total and facets, so that OpenSearch can skip the agents that the sort
 * rules out. `countedBody` and `relevanceBody` ask for the rest.
 */
export function sortedBody(query: SearchQuery, alternatives?: Alternatives) {
  return { query: unscored(query, alternatives), ...blockOptions(query), track_total_hits: false };
}

/**
 * The total and the facets of a search. With `size: 0` OpenSearch would count agents in the total that are not in the facets,
 * beyond the number at which it terminates.
 */
export function countedBody(query: SearchQuery, alternatives?: Alternatives) {
  return { query: unscored(query, alternatives), size: 1, _source: false, ...countOptions(query) };
}

/** The relevance of agents that a search has found, by the ids of their documents. */
export function relevanceBody({ words }: SearchQuery, ids: readonly string[], alternatives?: Alternatives) {
  return {
    query: scored([{ ids: { values: [...ids] } }], wordClauses(words, alternatives)),
    size: ids.length,
    _source: false,
  };
}

/** One block, and one agent more to know whether others follow. */
function blockOptions({ sort, place }: SearchQuery) {
  return {
    sort: [SORTS[sort], { url: 'asc' }],
    size: BLOCK + 1,
    _source: ['url', 'card'],
    ...(place !== undefined && { search_after: JSON.parse(place) }),
  };
}

function countOptions({ facets }: SearchQuery) {
  return {
    track_total_hits: true,
    terminate_after: MAX_COUNTED,
    ...(facets && {
      aggs: Object.fromEntries(FACET_PARAMETERS.map((name) => [name, valuesOf(name, FACET_VALUES)])),
    }),
  };
}

function unscored({ words, filter }: SearchQuery, alternatives?: Alternatives): Query {
  return { bool: { filter: [LISTED, ...searchClauses(filter), ...wordClauses(words, alternatives)] } };
}

function scored(filter: Query[], words: Query[]): Query {
  return {
    function_score: {
      query: { bool: { filter, must: words.length > 0 ? words : [{ match_all: {} }] } },
      functions: RANKING_FUNCTIONS,
      score_mode: 'multiply',
      boost_mode: 'multiply',
    },
  };
}

/** One clause for each word; an agent must match all of them. */
function wordClauses(words: readonly string[], alternatives: Alternatives = (word) => [word]): Query[] {
  return words.map((word, at) => {
    const [first = '', ...others] = alternatives(word);
    const queries = [wordQuery(first, joinedAround(words, at)), ...others.map((other) => wordQuery(other))];
    return { dis_max: { queries } };
  });
}

function searchClauses({ listed, labels, hasTmp, minProperties, hosts }: SearchFilter): Query[] {
  const clauses = filterClauses(listed);
  for (const name of LABEL_NAMES) {
    const values = labels[name];
    if (values !== undefined) clauses.push(anyOf(name, values));
  }
  if (hasTmp !== undefined) clauses.push({ term: { has_tmp: hasTmp } });
  if (minProperties !== undefined) clauses.push({ range: { property_count: { gte: minProperties } } });
  if (hosts !== undefined) clauses.push(anyOf('host', hosts));
  return clauses;
}

/** The factors of RANKING that do not change with time. */
const RANKING_FUNCTIONS = [
  { filter: { term: { verified: true } }, weight: RANKING.verification.badge },
  ...Object.entries(RANKING.status).map(([status, weight]) => ({
    filter: { term: { compliance_status: status } },
    weight,
  })),
];

/** Without `joined`, whose tokens match as a whole only. */
const WORD_FIELDS = TEXT_NAMES.filter((field) => field !== 'joined').map(
  (field) => `text.${field}^${TEXT_FIELDS[field]}`,
);
/** Weight of a longer word that begins with the searched word. */
const PREFIX_BOOST = 0.4;

/** The word in any text, a longer word that begins with it, consecutive words that together spell it, or one of `joins`. */
function wordQuery(word: string, joins: readonly string[] = []): Query {
  const boost = TEXT_FIELDS.joined;
  const should: Query[] = [
    { multi_match: { query: word, fields: WORD_FIELDS, type: 'most_fields' } },
    { match: { 'text.joined': { query: joinedToken(word), boost } } },
    ...joins.map((join) => ({ match: { 'text.all': { query: join, boost } } })),
  ];
  if (word.length >= SHORTEST_BEGINNING) {
    const fields = WORD_FIELDS;
    should.push({ multi_match: { query: word, fields, type: 'bool_prefix', boost: PREFIX_BOOST } });
  }
  return { bool: { should } };
}

/** How many listed agents have each value of a facet. */
export function facetBody(name: FacetParameter, most: number) {
  return { size: 0, query: LISTED, aggs: { values: valuesOf(name, most) } };
}

function valuesOf(field: string, size: number) {
  return { terms: { field, size } };
}
/** Maximum number of known values that an unknown value is compared with. */
const COMPARED_VALUES = 1_000;

/**
 * Which words and values of a search without results no agent has, and what exists instead: `word0` and `value0` count the
 * agents with the first of each, an aggregation with the name of a parameter has its known values, and a suggestion with the
 * name of a word has similar words.
 */
export function spellingBody(words: readonly string[], values: readonly AskedValue[]) {
  return {
    size: 0,
    query: LISTED,
    aggs: Object.fromEntries<object>([
      ...words.map(
        (word, at) => [`word${at}`, { filter: wordQuery(word, joinedAround(words, at)) }] as const,
      ),
      ...values.map(
        ({ parameter, value }, at) => [`value${at}`, { filter: anyOf(parameter, [value]) }] as const,
      ),
      ...values.map(({ parameter }) => [parameter, valuesOf(parameter, COMPARED_VALUES)] as const),
    ]),
    suggest: suggestions(words),
  };
}

/** OpenSearch only proposes words; `nearestWords` decides. With its default accuracy it would not propose `new` for `neews`. */
function suggestions(words: readonly string[]) {
  const term = {
    ...{ field: 'text.all', suggest_mode: 'always', size: 10 * MAX_SUGGESTIONS },
    ...{ min_word_length: 3, accuracy: 0 },
  };
  return Object.fromEntries(
    words
      .filter((word) => maxEdits(word) > 0)
      .flatMap((word) => [
        [word, { text: word, term: { ...term, max_edits: maxEdits(word), prefix_length: 1 } }],
        ...stemmedForms(word).map((form, at) => [
          formName(word, at),
          { text: form, term: { ...term, max_edits: 2, prefix_length: stemOf(word)?.length } },
        ]),
      ]),
  );
}

/** The name of the suggestion for a shortened form of a word. No word has a space. */
export function formName(word: string, at: number): string {
  return `${word} ${at}`;
}
