import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentFilter, AgentQuery } from '../../src/domain/agent-query.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import type { SavedDocument } from '../../src/ports/agent-store.ts';
import {
  agrees,
  newest,
  type OpenedIndex,
  pages,
  reference,
  saved,
  urlsOf,
} from './agent-index-reference.ts';
import { anyFilter, anyWrites } from './agent-index-samples.ts';

/** What the generations of every AgentIndex do. */
export function describeGenerations(name: string, open: () => Promise<OpenedIndex>): void {
  describe(`the generations of the agent index: ${name}`, () => {
    let opened: OpenedIndex;
    let index: AgentIndex;
    beforeEach(async () => {
      opened = await open();
      index = opened.index;
    });
    afterEach(() => opened.close());

    const put = (...documents: readonly SavedDocument[]) => index.put(documents);
    const found = async (filter: AgentFilter = {}) => urlsOf(await index.search({ filter, limit: 100 }));

    it('resumes the one that an interrupted rebuild left', async () => {
      const begun = await index.generations.begin(1_000);
      expect(begun).toMatchObject({ state: 'building', createdAt: 1_000, documents: 0, appliedSeq: 0 });
      await index.generations.copy(begun.id, [saved(1, { url: 'https://a.example/' })], 'https://a.example/');
      await index.generations.applied(begun.id, 12);
      await index.generations.applied(begun.id, 11);
      const resumed = await index.generations.begin(2_000);
      expect(resumed).toEqual({ ...begun, documents: 1, appliedSeq: 12, copiedUpTo: 'https://a.example/' });
    });

    it('writes what happens during a rebuild to both, and the copy never undoes it', async () => {
      const [a, b] = ['https://a.example/', 'https://b.example/'];
      await put(saved(1, { url: a, type: 'sales' }), saved(2, { url: b, type: 'sales' }));
      const { id } = await index.generations.begin(0);
      await put(saved(3, { url: a, type: 'brand' }), { agent: b, seq: 4 });
      await index.generations.copy(id, [saved(1, { url: a, type: 'sales' }), saved(2, { url: b })], b);
      const page = await index.generations.searchIn(id, { filter: { type: 'brand' }, limit: 10 });
      expect(urlsOf(page)).toEqual([a]);
      expect(await found()).toEqual([a]);
      await index.generations.promote(id, 9);
      expect(await found()).toEqual([a]);
    });

    it('switches in one step, rolls back, and keeps the last two', async () => {
      const url = 'https://a.example/';
      await put(saved(1, { url, type: 'sales' }));
      const first = (await index.generations.list())[0]?.id as number;
      const second = (await index.generations.begin(10)).id;
      expect(await found()).toEqual([url]);
      await index.generations.promote(second, 20);
      expect(await found()).toEqual([]);
      await put(saved(2, { url, type: 'brand' }));
      await index.generations.promote(first, 30);
      expect(await found({ type: 'sales' })).toEqual([url]);
      await index.generations.promote(second, 40);
      const third = (await index.generations.begin(50)).id;
      await index.generations.promote(third, 60);
      expect((await index.generations.list()).map(({ id, state }) => [id, state])).toEqual([
        [second, 'previous'],
        [third, 'live'],
      ]);
      await expect(index.generations.promote(first, 70)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('drops one that is not live', async () => {
      const { id } = await index.generations.begin(0);
      const live = (await index.generations.list()).find(({ state }) => state === 'live')?.id as number;
      await index.generations.drop(id);
      expect((await index.generations.list()).map((generation) => generation.id)).toEqual([live]);
      await expect(index.generations.drop(live)).rejects.toMatchObject({ code: 'usage' });
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
              await fresh.index.put(batches[0] ?? []);
              const { id } = await generations.begin(0);
              for (const batch of batches.slice(1)) await fresh.index.put(batch);
              await generations.copy(id, batches[0] ?? [], undefined);
              const expected = newest(batches);
              const search = (query: AgentQuery) => generations.searchIn(id, query);
              for (const filter of filters)
                expect(await pages(search, filter, 3)).toEqual(reference(expected, filter));
              await generations.promote(id, 1);
              for (const filter of filters) await agrees(fresh.index, expected, filter, 4);
            } finally {
              await fresh.close();
            }
          },
        ),
        { numRuns: 30 },
      );
    });
  });
}
