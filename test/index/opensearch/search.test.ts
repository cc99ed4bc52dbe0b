import { afterEach, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/domain/agent-search.ts';
import { createEngine, type Engine } from '../../../src/index/opensearch/client.ts';
import { searchAgents } from '../../../src/index/opensearch/search.ts';
import { type StubEngine, startStubEngine } from './stub-engine.ts';

const BY_NAME: SearchQuery = { words: [], filter: { listed: {}, labels: {} }, sort: 'name' };
const HIT = {
  ...{ _index: 'agents-2', _id: '7', _score: 1.5, sort: ['b', 'https://b.example/'] },
  _source: { url: 'https://b.example/', card: '{}' },
};

let stub: StubEngine;
let engine: Engine;

async function start(body: object = { hits: { total: { value: 1 }, hits: [HIT] } }) {
  stub = await startStubEngine(() => ({ status: 200, body }));
  engine = createEngine({ nodes: [stub.url], timeoutMs: 10_000, retries: 0 });
}

afterEach(async () => {
  await engine.close();
  await stub.close();
});

it('continues a search after the last agent', async () => {
  await start();
  await searchAgents(engine, 'agents', { ...BY_NAME, place: '["a","https://a.example/"]' });
  expect(JSON.parse(stub.requests[0]?.body ?? '')).toMatchObject({
    search_after: ['a', 'https://a.example/'],
  });
});

it('reads the total and the relevance of a search by name from the generation that found its agents', async () => {
  await start();
  expect(await searchAgents(engine, 'agents', BY_NAME)).toEqual({
    agents: [{ url: 'https://b.example/', card: '{}', relevance: 1.5 }],
    total: { agents: 1, isExact: true },
    corrected: {},
  });
  const asked = stub.requests.map(({ path }) => new URL(path, stub.url).pathname);
  expect(asked).toEqual(['/agents/_search', '/agents-2/_search', '/agents-2/_search']);
});

it.each([
  [0, true],
  [3, false],
])(
  'reports facets as exact only if no shard may have left out counts: error bound %i',
  async (bound, exact) => {
    const type = { doc_count_error_upper_bound: 0, buckets: [{ key: 'sales', doc_count: 9 }] };
    const tags = { doc_count_error_upper_bound: bound, buckets: [{ key: 'premium', doc_count: 5 }] };
    const answer = { hits: { total: { value: 9 }, hits: [HIT] }, aggregations: { type, tags } };
    await start(answer);
    const found = await searchAgents(engine, 'agents', { ...BY_NAME, sort: 'relevance', facets: true });
    expect(found).toMatchObject({ counted: 9, areFacetsExact: exact, total: { agents: 9, isExact: true } });
  },
);

it.each([
  ['relevance', { ...BY_NAME, sort: 'relevance' }],
  ['nothing but the total', { ...BY_NAME, totalOnly: true }],
] as const)('asks once for %s', async (_what, query) => {
  await start();
  await searchAgents(engine, 'agents', query);
  expect(stub.requests).toHaveLength(1);
});
