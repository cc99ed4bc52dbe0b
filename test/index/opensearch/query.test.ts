import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import type { SearchQuery } from '../../../src/domain/agent-search.ts';
import { storedDocument } from '../../../src/index/opensearch/document.ts';
import {
  countedBody,
  listBody,
  listQuery,
  type Query,
  rankedBody,
  relevanceBody,
  sortedBody,
} from '../../../src/index/opensearch/query.ts';
import { FILTERS, matches } from '../../../src/index/query/filters.ts';
import { anyDocument, anyFilter } from '../../contract/agent-index-samples.ts';
import { anyCharacter } from '../../support/any-character.ts';

const URL_A = 'https://a.example/';
const LISTED = { term: { listed: true } };

const validOn = (day: string) => ({
  bool: {
    should: [
      { range: { 'metrics.accreditations.valid_until': { gte: day } } },
      { bool: { must_not: { exists: { field: 'metrics.accreditations.valid_until' } } } },
    ],
  },
});
const nested = (path: string, ...filter: object[]) => ({ nested: { path, query: { bool: { filter } } } });

const ROWS: readonly (readonly [AgentFilter, ...object[]])[] = [
  [{}],
  [{ type: 'sales' }, { term: { type: 'sales' } }],
  [{ metricIds: ['viewability', 'reach'] }, { terms: { metric_id: ['viewability', 'reach'] } }],
  [{ accreditations: ['MRC'] }, { terms: { accreditation: ['MRC'] } }],
  [{ q: 'view' }, { wildcard: { metric_id_lower: { value: '*view*' } } }],
  [{ q: 'a*b?c\\' }, { wildcard: { metric_id_lower: { value: '*a\\*b\\?c\\\\*' } } }],
  [{ verified: true }, { term: { verified: true } }],
  [
    { verificationModes: ['spec', 'live'] },
    nested('badges', { term: { 'badges.axes': 'spec' } }, { term: { 'badges.axes': 'live' } }),
  ],
  [{ protocol: 'a2a' }, { term: { protocol: 'a2a' } }],
  [{ complianceStatus: 'passing' }, { term: { compliance_status: 'passing' } }],
  [
    { accreditedOn: '2026-11-23' },
    nested('metrics', nested('metrics.accreditations', validOn('2026-11-23'))),
  ],
  [
    { metricIds: ['reach'], accreditations: ['MRC'], accreditedOn: '2026-11-23' },
    { terms: { metric_id: ['reach'] } },
    { terms: { accreditation: ['MRC'] } },
    nested(
      'metrics',
      nested(
        'metrics.accreditations',
        { terms: { 'metrics.accreditations.accrediting_body': ['MRC'] } },
        validOn('2026-11-23'),
      ),
    ),
  ],
  [
    { metricIds: ['reach'], accreditations: ['MRC'], q: 'r', sameMetric: true, accreditedOn: '2026-11-23' },
    { terms: { metric_id: ['reach'] } },
    { terms: { accreditation: ['MRC'] } },
    { wildcard: { metric_id_lower: { value: '*r*' } } },
    nested(
      'metrics',
      { terms: { 'metrics.metric_id': ['reach'] } },
      { wildcard: { 'metrics.metric_id_lower': { value: '*r*' } } },
      nested(
        'metrics.accreditations',
        { terms: { 'metrics.accreditations.accrediting_body': ['MRC'] } },
        validOn('2026-11-23'),
      ),
    ),
  ],
  [
    { metricIds: ['reach', 'viewability'], q: 'view', sameMetric: true },
    { terms: { metric_id: ['reach', 'viewability'] } },
    { wildcard: { metric_id_lower: { value: '*view*' } } },
    { terms: { metric_id: ['viewability'] } },
  ],
  [{ sameMetric: true }],
];

describe('the query for a list filter', () => {
  it.each(ROWS)('%j', (filter, ...clauses) => {
    expect(listQuery(filter)).toEqual({ bool: { filter: [LISTED, ...clauses] } });
  });

  it('is in the table for every filter', () => {
    const inTable = new Set(ROWS.flatMap(([filter]) => Object.keys(filter)));
    expect([...inTable].toSorted()).toEqual(Object.keys(FILTERS).toSorted());
  });

  it('has the texts of a user only as values', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1 });
    const keys =
      /^(bool|filter|should|must_not|exists|nested|path|query|terms?|wildcard|value|range|gte|listed)$/;
    const fields = /^(metric_id|accreditation|metric_id_lower|metrics\.[a-z_.]+|field)$/;
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 3 }), (q, values) => {
        const filter = { q, metricIds: values, accreditations: values, sameMetric: true } as const;
        const found = keysOf(listQuery({ ...filter, accreditedOn: '2026-11-23' }));
        expect(found.filter((key) => !keys.test(key) && !fields.test(key))).toEqual([]);
      }),
    );
  });

  it('matches the documents that the reference predicate matches', () => {
    fc.assert(
      fc.property(anyDocument(), anyFilter(), (document, filter) => {
        const stored = storedDocument({ agent: document.url, version: 1, document });
        expect(holds(listQuery(filter), stored)).toBe(matches(filter, document));
      }),
      { numRuns: 1_000 },
    );
  });
});

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

/** Whether a stored document matches a query, as OpenSearch evaluates it. Objects of a nested path are matched one by one. */
function holds(query: Query, source: object, within = ''): boolean {
  const valuesOf = (field: string) => {
    const names = field.slice(within.length).split('.');
    return names.reduce<unknown[]>(
      (objects, name) => objects.flatMap((object) => (object as Record<string, unknown>)[name] ?? []),
      [source],
    );
  };
  const { bool, nested: inner, term, terms, wildcard, range, exists } = query as Record<string, never>;
  if (bool !== undefined) {
    const {
      filter = [],
      should,
      must_not,
    } = bool as { filter?: Query[]; should?: Query[]; must_not?: Query };
    return (
      filter.every((one) => holds(one, source, within)) &&
      (should?.some((one) => holds(one, source, within)) ?? true) &&
      (must_not === undefined || !holds(must_not, source, within))
    );
  }
  if (inner !== undefined) {
    const { path, query: innerQuery } = inner as { path: string; query: Query };
    return valuesOf(path).some((object) => holds(innerQuery, object as object, `${path}.`));
  }
  if (exists !== undefined) return valuesOf((exists as { field: string }).field).length > 0;
  const [[field, asked] = ['', {}]] = Object.entries(term ?? terms ?? wildcard ?? range ?? {});
  const values = valuesOf(field);
  if (term !== undefined) return values.includes(asked);
  if (terms !== undefined) return (asked as unknown[]).some((one) => values.includes(one));
  if (range !== undefined) return values.some((value) => String(value) >= (asked as { gte: string }).gte);
  if (wildcard === undefined) throw new Error(`unknown query ${JSON.stringify(query)}`);
  const part = (asked as { value: string }).value.slice(1, -1).replace(/\\(.)/gs, '$1');
  return values.some((value) => String(value).includes(part));
}

describe('a page of the list', () => {
  it('is one agent more than wanted, sorted by URL, without a total', () => {
    expect(listBody({ filter: {}, after: URL_A, limit: 10_000 })).toEqual({
      query: { bool: { filter: [LISTED] } },
      sort: [{ url: 'asc' }],
      size: 10_001,
      track_total_hits: false,
      _source: ['url', 'seq'],
      search_after: [URL_A],
    });
  });

  it('has the groups that are shown', () => {
    const shown = { health: true, properties: true, capabilities: false, compliance: true };
    expect(listBody({ filter: {}, limit: 1, total: true, shown })).toMatchObject({
      track_total_hits: true,
      _source: ['url', 'seq', 'base', 'properties', 'compliance'],
    });
  });
});

describe('a search', () => {
  const query: SearchQuery = {
    words: ['morning', 'tv'],
    filter: {
      listed: { type: 'sales' },
      labels: { channels: ['ctv', 'display'] },
      hasTmp: true,
      minProperties: 3,
      hosts: ['a.example'],
    },
    sort: 'relevance',
  };
  const fields = [
    ...['text.name^8', 'text.metrics^5', 'text.accreditations^5', 'text.specialisms^4'],
    ...['text.domains^3', 'text.tools^2', 'text.tags^2', 'text.description^1'],
  ];
  const anyText = (word: string) => ({ multi_match: { query: word, fields, type: 'most_fields' } });
  const joined = (word: string) => ({ match: { 'text.joined': { query: `__${word}`, boost: 5 } } });
  const asOneWord = { match: { 'text.all': { query: 'morningtv', boost: 5 } } };

  const filter = [
    LISTED,
    { term: { type: 'sales' } },
    { terms: { channels: ['ctv', 'display'] } },
    { term: { has_tmp: true } },
    { range: { property_count: { gte: 3 } } },
    { terms: { host: ['a.example'] } },
  ];
  const words = [
    {
      dis_max: {
        queries: [
          {
            bool: {
              should: [
                anyText('morning'),
                joined('morning'),
                asOneWord,
                { multi_match: { query: 'morning', fields, type: 'bool_prefix', boost: 0.4 } },
              ],
            },
          },
        ],
      },
    },
    // two letters are no beginning of a word
    { dis_max: { queries: [{ bool: { should: [anyText('tv'), joined('tv'), asOneWord] } }] } },
  ];
  const ranking = {
    functions: [
      { filter: { term: { verified: true } }, weight: 1.2 },
      { filter: { term: { compliance_status: 'passing' } }, weight: 1.1 },
      { filter: { term: { compliance_status: 'degraded' } }, weight: 0.95 },
      { filter: { term: { compliance_status: 'failing' } }, weight: 0.8 },
      { filter: { term: { compliance_status: 'unknown' } }, weight: 1 },
      { filter: { term: { compliance_status: 'opted_out' } }, weight: 1 },
    ],
    score_mode: 'multiply',
    boost_mode: 'multiply',
  };

  it('filters, requires every word, and ranks by relevance and trust', () => {
    expect(rankedBody(query)).toEqual({
      query: { function_score: { query: { bool: { filter, must: words } }, ...ranking } },
      sort: [{ _score: 'desc' }, { url: 'asc' }],
      track_total_hits: true,
      terminate_after: 20_000,
      size: 201,
      _source: ['url', 'card'],
    });
  });

  it.each([
    ['name', { sort_name: 'asc' }],
    ['properties', { property_count: 'desc' }],
    ['publishers', { publisher_count: 'desc' }],
  ] as const)('by %s finds the first of all agents, without scores', (sort, first) => {
    expect(sortedBody({ ...query, sort })).toEqual({
      query: { bool: { filter: [...filter, ...words] } },
      sort: [first, { url: 'asc' }],
      track_total_hits: false,
      size: 201,
      _source: ['url', 'card'],
    });
  });

  it('counts the first 20,000 matches, with an aggregation for the parameter of each facet', () => {
    const { aggs, ...body } = countedBody({ ...query, facets: true });
    expect(body).toEqual({
      query: { bool: { filter: [...filter, ...words] } },
      size: 1,
      _source: false,
      track_total_hits: true,
      terminate_after: 20_000,
    });
    expect(aggs).toMatchObject({
      metric_id: { terms: { field: 'metric_id', size: 20 } },
      channels: { terms: { field: 'channels', size: 20 } },
      has_tmp: { terms: { field: 'has_tmp', size: 20 } },
    });
    expect(countedBody(query)).not.toHaveProperty('aggs');
  });

  it('scores the agents of a block by the same words', () => {
    expect(relevanceBody(query, [URL_A])).toEqual({
      query: {
        function_score: {
          query: { bool: { filter: [{ ids: { values: [URL_A] } }], must: words } },
          ...ranking,
        },
      },
      size: 1,
      _source: false,
    });
  });

  it('goes on after the last agent of a block', () => {
    expect(rankedBody({ ...query, place: '[1.5,"https://a.example/"]' }).search_after).toEqual([1.5, URL_A]);
    expect(sortedBody({ ...query, sort: 'name', place: '["a","https://a.example/"]' }).search_after).toEqual([
      'a',
      URL_A,
    ]);
  });
});
