import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOpenSearchIndex } from '../../../src/index/opensearch/opensearch-index.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { liveId, livePut, saved, urlsOf } from '../../contract/agent-index-reference.ts';
import { freshIndexPrefix } from '../support/engines.ts';
import { type EngineProxy, startProxy, type Verdict } from './proxy.ts';
import { ask, describeIndex, indexName, type OpenedOpenSearch, openFresh, optionsOf } from './support.ts';

const OLD = 'https://old.example/';
const NEW = 'https://new.example/';

describe('generations in OpenSearch', () => {
  let proxy: EngineProxy;
  let opened: OpenedOpenSearch;
  /** Goes through the proxy; `opened.index` does not. */
  let fragile: AgentIndex;
  beforeEach(async () => {
    proxy = await startProxy();
    opened = await openFresh();
    fragile = await createOpenSearchIndex({
      ...optionsOf(opened.prefix),
      nodes: [proxy.url],
      retries: 0,
      deadlineMs: 700,
    });
    await livePut(opened.index)(saved(1, { url: OLD }));
  });
  afterEach(async () => {
    await fragile.close();
    await opened.close();
    await proxy.close();
  });

  const states = async () => (await opened.index.generations.list()).map(({ id, state }) => [id, state]);
  const found = async () => urlsOf(await opened.index.search({ filter: {}, limit: 10 }));
  const build = async () => {
    const id = await opened.index.generations.begin(10);
    await opened.index.generations.write(id, [saved(2, { url: NEW })]);
    await opened.index.generations.built(id);
    return id;
  };
  /** The first `number - 1` requests pass, and with the next one the connections break for good, as in a kill. */
  const dieAt = (number: number, how: Verdict) => {
    const before = proxy.seen.length;
    proxy.judge = (_, at) => (at - before < number ? 'pass' : at - before === number ? how : 'cut');
  };

  it.each(['cut', 'cut after'] as const)(
    'are old or new as a whole when a switch is killed: %s',
    async (how) => {
      const first = await liveId(opened.index);
      for (let step = 1, isDone = false; !isDone; step++) {
        const id = await build();
        const before = await states();
        dieAt(step, how);
        isDone = await fragile.generations.promote(id, 20).then(
          () => true,
          () => false,
        );
        proxy.judge = () => 'pass';
        const [live, ...others] = (await states()).filter(([, state]) => state === 'live');
        expect(others).toEqual([]);
        expect(await found()).toEqual(
          live?.[0] === id ? [NEW] : before.length === 2 && live?.[0] === first ? [OLD] : [NEW],
        );
        await opened.index.generations.promote(id, 30);
        expect(await liveId(opened.index)).toBe(id);
        expect(await states()).toHaveLength(2);
        expect((await states())[0]?.[1]).toBe('previous');
      }
    },
  );

  it.each(['cut', 'cut after'] as const)('are begun, or not at all, when that is killed: %s', async (how) => {
    for (let step = 1, isDone = false; !isDone; step++) {
      dieAt(step, how);
      isDone = await fragile.generations.begin(10).then(
        () => true,
        () => false,
      );
      proxy.judge = () => 'pass';
      const [, left, ...others] = await states();
      expect(others).toEqual([]);
      expect(left?.[1] ?? 'building').toBe('building');
      const id = await opened.index.generations.begin(10);
      expect((await states()).at(-1)).toEqual([id, 'building']);
      await opened.index.generations.drop(id);
      if (left !== undefined) await opened.index.generations.drop(Number(left[0]));
    }
  });

  it.each(['cut', 'cut after'] as const)('are built or not when that is killed: %s', async (how) => {
    for (let step = 1, isDone = false; !isDone; step++) {
      const id = await opened.index.generations.begin(10);
      dieAt(step, how);
      isDone = await fragile.generations.built(id).then(
        () => true,
        () => false,
      );
      proxy.judge = () => 'pass';
      expect(['building', 'built']).toContain((await states()).at(-1)?.[1]);
      await opened.index.generations.built(id);
      expect((await states()).at(-1)).toEqual([id, 'built']);
      await opened.index.generations.drop(id);
    }
  });

  it('switch with one request that changes names', async () => {
    const patient = await createOpenSearchIndex({ ...optionsOf(opened.prefix), nodes: [proxy.url] });
    await patient.generations.promote(await build(), 20);
    await patient.close();
    expect(proxy.seen.filter((request) => request === 'POST /_aliases')).toHaveLength(1);
    expect(proxy.seen.filter((request) => request.startsWith('DELETE'))).toEqual([]);
  });

  it('have one live among them when several are promoted at once', async () => {
    const ids = [await build(), await build(), await build()];
    await Promise.allSettled(ids.map((id) => opened.index.generations.promote(id, 20)));
    const all = await states();
    expect(all.filter(([, state]) => state === 'live')).toHaveLength(1);
    expect(all.filter(([, state]) => state === 'previous')).toHaveLength(1);
  });

  it('are whole for a reader that asks all the while', async () => {
    const seen = new Set<string>();
    let isOver = false;
    const look = async () => void seen.add((await found()).join(' '));
    const reading = (async () => {
      while (!isOver) await look();
    })();
    const [first, second] = [await liveId(opened.index), await build()];
    for (let round = 0; round < 10; round++) {
      await opened.index.generations.promote(round % 2 === 0 ? second : first, 20 + round);
      await look(); // the reader may be held up for as long as one of them is live
    }
    isOver = true;
    await reading;
    expect([...seen].sort()).toEqual([NEW, OLD]);
  });

  it('begin with one live one when many processes open an empty engine at once', async () => {
    const prefix = `${freshIndexPrefix()}agents`;
    const all = await Promise.all(Array.from({ length: 6 }, () => createOpenSearchIndex(optionsOf(prefix))));
    for (const index of all) {
      expect(await index.generations.list()).toMatchObject([{ id: 1, state: 'live' }]);
      await index.close();
    }
  });

  it('are copied to with no refresh and no other copies, and are searched with both', async () => {
    const settingsOf = async (id: number) =>
      (await describeIndex(indexName(opened.prefix, id)))[1].settings.index;
    const copies = await createOpenSearchIndex({ ...optionsOf(opened.prefix), replicas: 1 });
    const id = await copies.generations.begin(10);
    expect(await settingsOf(id)).toMatchObject({ refresh_interval: '-1', number_of_replicas: '0' });
    await copies.generations.built(id);
    expect(await settingsOf(id)).toMatchObject({
      refresh_interval: '1s',
      auto_expand_replicas: '0-1',
      number_of_replicas: '0', // there is no other node
    });
    await copies.close();
  });

  it('can be switched to after the number of shards in the settings was raised', async () => {
    const id = await build();
    const more = await createOpenSearchIndex({
      ...optionsOf(opened.prefix),
      shards: 2,
      replicasWaitMs: 2_000,
    });
    const first = await liveId(more);
    await more.generations.promote(id, 20);
    await more.generations.promote(first, 30); // as a rollback does
    expect(await liveId(opened.index)).toBe(first);
    await more.close();
  });

  it('leave alone what only begins like them', async () => {
    await ask('PUT', `/${opened.prefix}-more-000001`);
    expect(await states()).toHaveLength(1);
    expect(await opened.index.generations.begin(1)).toBe(2);
  });
});
