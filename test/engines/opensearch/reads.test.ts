import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FoundBlock, SearchSort } from '../../../src/domain/agent-search.ts';
import { createOpenSearchIndex } from '../../../src/index/opensearch/opensearch-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { liveId, livePut, saved, urlsOf } from '../../contract/agent-index-reference.ts';
import { type EngineProxy, startProxy } from './proxy.ts';
import {
  ask,
  describeIndex,
  makeOlder,
  type OpenedOpenSearch,
  openFresh,
  optionsOf,
  wipe,
} from './support.ts';

const URL_A = 'https://a.example/';
const UNAVAILABLE = { code: 'index_unavailable', retryable: true };
const MISSING = {
  code: 'index_missing',
  hint: expect.stringContaining('agent-registry index rebuild --yes'),
};

const reads = (index: AgentIndex) => [
  () => index.search({ filter: {}, limit: 10 }),
  () => index.count({}),
  () => index.facet('type', 1),
  () => index.check(),
];

describe('reads of an index in OpenSearch', () => {
  let proxy: EngineProxy;
  let opened: OpenedOpenSearch;
  let index: AgentIndex;
  beforeEach(async () => {
    proxy = await startProxy();
    opened = await openFresh({ nodes: [proxy.url] });
    index = opened.index;
    await livePut(index)(saved(1, { url: URL_A }));
  });
  afterEach(async () => {
    await opened.close();
    await proxy.close();
  });

  it.each(['hang', 'cut', { status: 503 }] as const)(
    'are whole or an error when the engine does: %j',
    async (verdict) => {
      const hasty = await createOpenSearchIndex({
        ...optionsOf(opened.prefix),
        nodes: [proxy.url],
        timeoutMs: 300,
      });
      proxy.judge = () => verdict;
      for (const read of reads(hasty)) await expect(read()).rejects.toMatchObject(UNAVAILABLE);
      proxy.judge = () => 'pass';
      expect(urlsOf(await index.search({ filter: {}, limit: 10 }))).toEqual([URL_A]);
      await hasty.close();
    },
  );

  it('are an error when a shard is not there', async () => {
    const [name, { aliases, mappings }] = await describeIndex(opened.prefix);
    await ask('DELETE', `/${name}`);
    const settings = { 'index.routing.allocation.require._name': 'nobody' };
    await ask('PUT', `/${name}?wait_for_active_shards=0`, { settings, aliases, mappings });
    const hasty = await createOpenSearchIndex({ ...optionsOf(opened.prefix), timeoutMs: 1_000, retries: 0 });
    for (const read of reads(hasty)) await expect(read()).rejects.toMatchObject(UNAVAILABLE);
    await hasty.close();
  });

  it('say that the index is missing after a wipe, and so do writes, which make nothing', async () => {
    const id = await liveId(index);
    await wipe(opened.prefix);
    for (const read of reads(index)) await expect(read()).rejects.toMatchObject(MISSING);
    await expect(index.generations.write(id, [saved(2, { url: URL_A })])).rejects.toMatchObject(MISSING);
    await expect(index.generations.applied(id, 2)).rejects.toMatchObject(MISSING);
    expect(await index.generations.list()).toEqual([]);
    expect(await ask('GET', `/_cat/indices/${opened.prefix}*?format=json`)).toEqual([]);
  });

  it('stay missing after a wipe while there is something in the records, until a rebuild', async () => {
    await wipe(opened.prefix);
    const again = await createOpenSearchIndex({
      ...optionsOf(opened.prefix),
      recordsEmpty: async () => false,
    });
    expect(await again.generations.list()).toEqual([]);
    for (const read of reads(again)) await expect(read()).rejects.toMatchObject(MISSING);
    const id = await again.generations.begin(5);
    await again.generations.write(id, [saved(1, { url: URL_A })]);
    for (const read of reads(again)) await expect(read()).rejects.toMatchObject(MISSING);
    await again.generations.built(id);
    await again.generations.promote(id, 6);
    expect(urlsOf(await index.search({ filter: {}, limit: 10 }))).toEqual([URL_A]);
    await again.close();
  });

  it('never answer with the agents of other records', async () => {
    const other = await createOpenSearchIndex({ ...optionsOf(opened.prefix), recordsId: 'others' });
    for (const read of reads(other)) await expect(read()).rejects.toMatchObject(MISSING);
    expect(await other.generations.list()).toEqual([]);
    const id = await other.generations.begin(5);
    await other.generations.built(id);
    await other.generations.promote(id, 6, { replaceForeign: true });
    expect(await other.count({})).toBe(0);
    for (const read of reads(index)) await expect(read()).rejects.toMatchObject(MISSING);
    expect((await index.generations.list()).map(({ state }) => state)).toEqual(['building']);
    await other.close();
  });

  it('do not need the engine when the index is opened, only when it is asked', async () => {
    const warnings: string[] = [];
    const prefix = `${opened.prefix}2`;
    proxy.judge = () => ({ status: 503 });
    const onWarning = (message: string) => void warnings.push(message);
    let isEmpty = true;
    const recordsEmpty = async () => isEmpty;
    const late = await createOpenSearchIndex({
      ...optionsOf(prefix),
      nodes: [proxy.url],
      retries: 0,
      onWarning,
      recordsEmpty,
    });
    isEmpty = false; // what is crawled meanwhile
    expect(warnings).toHaveLength(1);
    await expect(late.generations.list()).rejects.toMatchObject(UNAVAILABLE);
    proxy.judge = () => 'pass';
    expect(await late.generations.list()).toMatchObject([{ state: 'live', documents: 0 }]);
    await late.close();
    await wipe(prefix);
  });

  it('say that a live generation of an older layout has to be built again; it is not written to', async () => {
    const id = await liveId(index);
    const olderReads = await makeOlder(opened.prefix);
    const later = await createOpenSearchIndex(optionsOf(opened.prefix));
    const old = {
      ...MISSING,
      message: expect.stringMatching(/^generation \d+ has layout \d+, but this version/),
    };
    await expect(later.search({ filter: {}, limit: 10 })).rejects.toMatchObject(old);
    await expect(later.count({})).rejects.toMatchObject(old);
    await expect(later.check()).rejects.toMatchObject(old);
    await expect(later.generations.write(id, [saved(2, { url: URL_A })])).rejects.toMatchObject(old);
    expect(await later.generations.list()).toMatchObject([{ id, state: 'live', documents: 1, fault: old }]);
    const next = await later.generations.begin(1);
    await later.generations.write(next, [saved(2, { url: URL_A })]);
    await later.generations.built(next);
    await later.generations.promote(next, 2);
    expect(urlsOf(await later.search({ filter: {}, limit: 10 }))).toEqual([URL_A]);
    // processes of the version before still answer from the previous generation
    expect(await ask('GET', `/${olderReads}/_count`)).toMatchObject({ count: 1 });
    await later.close();
  });

  it('find an agent whose texts are longer than a term of the engine may be', async () => {
    const long = `${'x'.repeat(40_000)}needle${'é'.repeat(40_000)}`;
    await livePut(index)(saved(2, { url: 'https://b.example/', metricIds: [long], accreditations: [long] }));
    const found = async (filter: Parameters<AgentIndex['count']>[0]) => index.count(filter);
    expect(await found({ metricIds: [long] })).toBe(1);
    expect(await found({ accreditations: [long] })).toBe(1);
    expect(await found({ metricIds: [`${long}x`] })).toBe(0);
    expect(await found({ q: 'xneedleé' })).toBe(1);
    expect(await found({ q: 'needlex' })).toBe(0);
  });
});

describe('an index of more than 20,000 agents', () => {
  const AGENTS = 20_050;
  let opened: OpenedOpenSearch;
  beforeAll(async () => {
    opened = await openFresh();
    const urls = Array.from({ length: AGENTS }, (_, at) => `https://a${at}.example/`);
    await livePut(opened.index)(...urls.map((url, at) => saved(at + 1, { url })));
  });
  afterAll(() => opened.close());

  it('gives up to 10,000 agents at once, and says that more follow', async () => {
    const page = await opened.index.search({ filter: {}, limit: 10_000 });
    expect([page.hits.length, page.more]).toEqual([10_000, true]);
  });

  const walk = async (sort: SearchSort) => {
    const query = { words: ['example'], filter: { listed: {}, labels: {} }, sort };
    const first = await opened.index.find({ ...query, facets: true });
    const urls: string[] = [];
    for (let block: FoundBlock | undefined = first; block !== undefined; ) {
      urls.push(...block.agents.map(({ url }) => url));
      const place: string | undefined = block.next;
      block = place === undefined ? undefined : await opened.index.find({ ...query, place });
    }
    const { total, facets, counted } = first;
    return { total, counted, types: facets?.type, urls: urls.length, distinct: new Set(urls).size };
  };

  it('finds all of them by a word, each once, and counts the first 20,000', async () => {
    expect(await walk('name')).toEqual({
      total: { agents: 20_000, isExact: false },
      types: [{ value: 'measurement', count: 20_000 }],
      ...{ counted: 20_000, urls: AGENTS, distinct: AGENTS },
    });
  });

  it('ranks, counts and returns the first 20,000 by relevance, and says that there are more', async () => {
    expect(await walk('relevance')).toEqual({
      total: { agents: 20_000, isExact: false },
      types: [{ value: 'measurement', count: 20_000 }],
      ...{ counted: 20_000, urls: 20_000, distinct: 20_000 },
    });
  });
});
