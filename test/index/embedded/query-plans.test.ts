import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import type { SearchFilter } from '../../../src/domain/agent-search.ts';
import { openSqliteIndex } from '../../../src/index/embedded/sqlite-index.ts';
import { FILTERS } from '../../../src/index/query/filters.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { livePut } from '../../contract/agent-index-reference.ts';
import { BESIDE, documentOf } from '../../contract/agent-index-samples.ts';

/** What a query may read as a whole: the few generations, rows that it has made itself, and matches of words. */
const SMALL =
  /^SCAN (?:index_generation|matched|scored|ranked|block|page|agents|counts|\(subquery-\d+\)|json_each)/;
const MATCHES = /^SCAN index_(?:text_\d+ VIRTUAL TABLE INDEX \d+:M|word_\d+ VIRTUAL TABLE INDEX [1-9])/;

const DOCUMENT = documentOf({
  url: 'https://a.example/',
  metricIds: ['viewable_rate'],
  accreditations: ['MRC'],
  badges: [{ role: 'measurement', axes: ['spec', 'live'] }],
});

let records: SqliteRecords;
let index: AgentIndex;
const texts = new Set<string>();

beforeAll(async () => {
  records = await openSqliteRecords({ path: ':memory:' });
  const query = (text: string) => {
    texts.add(text);
    return records.database.query(text);
  };
  index = await openSqliteIndex(createSqliteStore({ ...records.database, query }), {
    clock: { now: () => 0 },
  });
  await livePut(index)({ agent: DOCUMENT.url, version: 1, document: DOCUMENT });
});
afterAll(() => records.close());

/** The steps of the queries that are run meanwhile which read a whole table. */
async function scansOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  texts.clear();
  await work();
  const queries = [...texts].filter((text) => /^\s*(?:SELECT|WITH)/.test(text));
  expect(queries.length).toBeGreaterThan(1);
  const steps = queries.flatMap((text) =>
    records.database.statement(`EXPLAIN QUERY PLAN ${text}`).all(),
  ) as unknown as { readonly detail: string }[];
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith('SCAN') && !SMALL.test(detail) && !MATCHES.test(detail));
}

const MEMBERS = Object.keys(FILTERS) as (keyof AgentFilter)[];
const SAMPLES = MEMBERS.flatMap((member) =>
  (FILTERS[member].samples([DOCUMENT]) as readonly unknown[]).map(
    (wanted) => [`${member} ${JSON.stringify(wanted)}`, { ...BESIDE[member], [member]: wanted }] as const,
  ),
);

it('has a case for every filter', () => {
  const missing = MEMBERS.filter((member) => FILTERS[member].samples([DOCUMENT]).length === 0);
  expect(missing, 'give DOCUMENT a value for them').toEqual([]);
});

it.each<readonly [string, AgentFilter]>([['no filter', {}], ...SAMPLES])(
  'a page and a count of the list read no table as a whole: %s',
  async (_, filter) => {
    const shown = { health: true, capabilities: true, properties: true, compliance: true };
    expect(await scansOf(() => index.search({ filter, limit: 10, shown }))).toEqual([]);
    if (Object.keys(filter).length === 0) return; // the number of all agents
    expect(await scansOf(() => index.count(filter))).toEqual([]);
    expect(await scansOf(() => index.count({ type: 'measurement', ...filter }))).toEqual([]);
  },
);

it.each<readonly [string, readonly string[], SearchFilter]>([
  ['words', ['viewable', 'rate'], { listed: {}, labels: {} }],
  ['an unknown word', ['viewabel'], { listed: {}, labels: {} }],
  ['words and filters', ['mrc'], { listed: { type: 'measurement' }, labels: { channels: ['ctv'] } }],
  ['labels and properties', [], { listed: {}, labels: { tags: ['a'], channels: ['b'] }, minProperties: 5 }],
  ['hosts and trusted match', [], { listed: {}, labels: {}, hosts: ['a.example'], hasTmp: true }],
  ['accreditations on a day', [], { listed: { accreditedOn: '2026-11-23' }, labels: {} }],
  [
    'one metric with an accreditation on a day',
    [],
    { listed: { sameMetric: true, metricIds: ['a'], accreditedOn: '2026-11-23' }, labels: {} },
  ],
  ['a value that no agent has', [], { listed: { metricIds: ['unknown'] }, labels: {} }],
])('a search with facets reads no table as a whole: %s', async (_, words, filter) => {
  for (const sort of ['relevance', 'name', 'properties'] as const)
    expect(await scansOf(() => index.find({ words, filter, sort, facets: true }))).toEqual([]);
});

it('a search without words and filters reads the first agents, and no other table as a whole', async () => {
  const query = { words: [], filter: { listed: {}, labels: {} }, facets: true } as const;
  for (const sort of ['relevance', 'name'] as const)
    expect(await scansOf(() => index.find({ ...query, sort }))).toEqual(['SCAN index_agent_1']);
  expect([...texts].filter((text) => /FROM "index_agent_1" ORDER BY id LIMIT/.test(text))).toHaveLength(1);
});

it('the counts of a facet read the values of that facet only', async () => {
  expect(await scansOf(() => index.facet('type', 10))).toEqual([]);
});
