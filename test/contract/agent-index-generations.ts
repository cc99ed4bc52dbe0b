import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter, AgentQuery } from '../../src/domain/agent-query.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import {
  agrees,
  liveId,
  livePut,
  newest,
  type OpenedIndex,
  pages,
  reference,
  saved,
  urlsOf,
} from './agent-index-reference.ts';
import { anyFilter, anyWrites } from './agent-index-samples.ts';

/** What the generations of every AgentIndex do. Their numbers grow and are never given twice; no more is said of them. */
export function describeGenerations(name: string, open: () => Promise<OpenedIndex>, numRuns: number): void {
  describe(`the generations of the agent index: ${name}`, () => {
    let opened: OpenedIndex;
    let index: AgentIndex;
    beforeEach(async () => {
      opened = await open();
      index = opened.index;
    });
    afterEach(() => opened.close());

    const put = (...documents: readonly SavedDocument[]) => livePut(index)(...documents);
    const write = async (id: number, ...documents: readonly SavedDocument[]) => {
      await index.generations.write(id, documents);
      await index.settle(id);
    };
    const found = async (filter: AgentFilter = {}) => urlsOf(await index.search({ filter, limit: 100 }));
    const foundIn = async (id: number, filter: AgentFilter = {}) =>
      urlsOf(await index.generations.searchIn(id, { filter, limit: 100 }));
    const states = async () => (await index.generations.list()).map(({ id, state }) => [id, state]);
    const build = async (now: number) => {
      const id = await index.generations.begin(now);
      await index.generations.built(id);
      return id;
    };
    const [a, b] = ['https://a.example/', 'https://b.example/'];

    it('begin empty, and remember the last change that was applied', async () => {
      const id = await index.generations.begin(1_000);
      const begun = { id, state: 'building', createdAt: 1_000, documents: 0, appliedSeq: 0 };
      expect((await index.generations.list()).at(-1)).toEqual(begun);
      await write(id, saved(1, { url: a }));
      await index.generations.applied(id, 12);
      await index.generations.applied(id, 11);
      expect((await index.generations.list()).at(-1)).toEqual({ ...begun, documents: 1, appliedSeq: 12 });
    });

    it('can be begun while an interrupted rebuild has left one', async () => {
      const left = await index.generations.begin(1_000);
      await write(left, saved(1, { url: a }));
      const id = await index.generations.begin(2_000);
      expect(id).toBeGreaterThan(left);
      expect(await foundIn(id)).toEqual([]);
      await index.generations.drop(left);
      expect((await states()).slice(1)).toEqual([[id, 'building']]);
    });

    it('are written to one by one', async () => {
      await put(saved(1, { url: a }));
      const id = await index.generations.begin(0);
      await write(id, saved(2, { url: b }));
      expect([await found(), await foundIn(id)]).toEqual([[a], [b]]);
      expect((await index.generations.list()).map(({ documents }) => documents)).toEqual([1, 1]);
    });

    it('count only what is listed, each agent once', async () => {
      const id = await index.generations.begin(0);
      await write(id, saved(1, { url: a }), saved(2, { url: b }));
      await write(
        id,
        saved(3, { url: a }),
        { agent: b, version: 4 },
        { agent: 'https://c.example/', version: 5 },
      );
      expect((await index.generations.list()).at(-1)).toMatchObject({ id, documents: 1 });
    });

    it('never let the copy undo what the change log brought', async () => {
      const id = await index.generations.begin(0);
      await write(id, saved(3, { url: a, type: 'brand' }), { agent: b, version: 4 });
      await write(id, saved(1, { url: a, type: 'sales' }), saved(2, { url: b }));
      expect(await foundIn(id)).toEqual([a]);
      expect(await foundIn(id, { type: 'brand' })).toEqual([a]);
    });

    it('take the same writes again', async () => {
      const id = await index.generations.begin(0);
      const documents = [saved(3, { url: a }), { agent: b, version: 4 }];
      await write(id, ...documents);
      await write(id, ...documents);
      expect(await foundIn(id)).toEqual([a]);
    });

    it('are built when the copy is complete, and stay so', async () => {
      const id = await build(10);
      await index.generations.built(id);
      expect((await index.generations.list()).at(-1)).toMatchObject({ id, state: 'built' });
      const next = await index.generations.begin(20);
      expect(next).toBeGreaterThan(id);
      expect((await states()).slice(1)).toEqual([
        [id, 'built'],
        [next, 'building'],
      ]);
      await index.generations.promote(id, 30);
      await index.generations.built(id);
      expect((await index.generations.list()).find((one) => one.id === id)).toMatchObject({
        state: 'live',
        createdAt: 10,
        promotedAt: 30,
      });
    });

    it('switch in one step, roll back, and keep the last two', async () => {
      await put(saved(1, { url: a, type: 'sales' }));
      const first = await liveId(index);
      const second = await build(10);
      expect(await found()).toEqual([a]);
      await index.generations.promote(second, 20);
      expect(await found()).toEqual([]);
      expect(await index.count({})).toBe(0);
      await put(saved(2, { url: a, type: 'brand' }));
      await index.generations.promote(first, 30);
      expect(await found({ type: 'sales' })).toEqual([a]);
      expect(await states()).toEqual([
        [first, 'live'],
        [second, 'previous'],
      ]);
      await index.generations.promote(second, 40);
      const third = await build(50);
      await index.generations.promote(third, 60);
      expect(await states()).toEqual([
        [second, 'previous'],
        [third, 'live'],
      ]);
      await expect(index.generations.promote(first, 70)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('are named by every page that found something', async () => {
      const named = async () => (await index.search({ filter: {}, limit: 1 })).generation;
      await put(saved(1, { url: a, type: 'sales' }));
      const before = await named();
      expect(before).toBeDefined();
      expect(await named()).toBe(before);
      const next = await build(10);
      await index.generations.promote(next, 20);
      await put(saved(2, { url: a, type: 'sales' }));
      expect([before, undefined]).not.toContain(await named());
    });

    it.each(['relevance', 'name', 'properties'] as const)(
      'do not end a search by %s that began before a switch',
      async (sort) => {
        const urls = Array.from({ length: 250 }, (_, at) => `https://a${at}.example/`);
        const documents = urls.map((url, at) => saved(at + 1, { url, metricIds: ['viewable'] }));
        await put(...documents);
        const query = { words: ['viewable'], filter: { listed: {}, labels: {} }, sort } as const;
        const first = await index.find(query);
        const id = await index.generations.begin(10);
        await write(id, ...documents);
        await index.generations.built(id);
        await index.generations.promote(id, 20);
        const second = await index.find({ ...query, place: first.next as string });
        const all = [...first.agents, ...second.agents].map(({ url }) => url);
        expect(all.toSorted()).toEqual(urls.toSorted());
        expect(second.next).toBeUndefined();
      },
    );

    it('change nothing when the live one is promoted once more', async () => {
      const id = await build(10);
      await index.generations.promote(id, 20);
      const before = await index.generations.list();
      await index.generations.promote(id, 30);
      expect(await index.generations.list()).toEqual(before);
    });

    it('are dropped when they are not live', async () => {
      const live = await liveId(index);
      const id = await index.generations.begin(0);
      await index.generations.drop(id);
      expect(await states()).toEqual([[live, 'live']]);
      await expect(index.generations.drop(live)).rejects.toMatchObject({ code: 'usage' });
      expect(await index.generations.begin(1)).toBeGreaterThan(id);
    });

    it('do not come back by a late write once they are dropped', async () => {
      const { generations } = index;
      const id = await generations.begin(0);
      await generations.drop(id);
      const late: readonly (() => Promise<unknown>)[] = [
        () => generations.write(id, [saved(1, { url: a })]),
        () => generations.applied(id, 5),
        () => generations.built(id),
        () => generations.searchIn(id, { filter: {}, limit: 10 }),
        () => generations.promote(id, 9),
        () => generations.drop(id),
      ];
      for (const call of late) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
      expect(await generations.list()).toHaveLength(1);
    });

    it('agree with the reference predicate while one is being built', async () => {
      await fc.assert(
        fc.asyncProperty(
          anyWrites(),
          fc.array(anyFilter(), { minLength: 4, maxLength: 8 }),
          async (batches, filters) => {
            const fresh = await open();
            try {
              const { generations } = fresh.index;
              const id = await generations.begin(0);
              for (const batch of batches.slice(1)) await generations.write(id, batch);
              await generations.write(id, batches[0] ?? []);
              await fresh.index.settle(id);
              const expected = newest(batches);
              const search = (query: AgentQuery) => generations.searchIn(id, query);
              for (const filter of filters)
                expect(await pages(search, filter, 3)).toEqual(reference(expected, filter));
              await generations.built(id);
              await generations.promote(id, 1);
              for (const filter of filters) await agrees(fresh.index, expected, filter, 4);
            } finally {
              await fresh.close();
            }
          },
        ),
        { numRuns },
      );
    });
  });
}
