import { expect, it } from 'vitest';
import { createEngine } from '../../../src/index/opensearch/client.ts';
import { searchAgents } from '../../../src/index/opensearch/search.ts';
import { startStubEngine } from './stub-engine.ts';

it('continues a search after the last agent, and reports a cursor of the embedded index as expired', async () => {
  const hits = { total: { value: 1 }, hits: [] };
  const stub = await startStubEngine(() => ({ status: 200, body: { hits } }));
  const engine = createEngine({ nodes: [stub.url], timeoutMs: 10_000, retries: 0 });
  const search = (place: string) =>
    searchAgents(engine, 'agents', {
      words: [],
      filter: { listed: {}, labels: {} },
      sort: 'name',
      place,
    });

  const found = await search('["a","https://a.example/"]');
  expect(found.isExpired).toBeUndefined();
  expect(JSON.parse(stub.requests[0]?.body ?? '')).toMatchObject({
    search_after: ['a', 'https://a.example/'],
  });

  const embedded = JSON.stringify({ generation: 1, afterId: 0, last: [7], returned: 200 });
  expect(await search(embedded)).toMatchObject({ agents: [], isExpired: true });
  expect(stub.requests).toHaveLength(1);
  await engine.close();
  await stub.close();
});
