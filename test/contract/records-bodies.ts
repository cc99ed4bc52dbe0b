import { afterEach, describe, expect, it } from 'vitest';
import type { BodyStore } from '../../src/ports/body-store.ts';
import type { Records } from '../../src/ports/records.ts';
import { answered, NOW, type RecordsWorld, sha256 } from './records-fixtures.ts';
import { fileVisit, takeOne } from './records-steps.ts';

const DAY = 86_400_000;
const URL = 'https://news.example/.well-known/adagents.json';
const fine = (): void => {};

/** A store of bodies that can be away. */
function memoryBodies() {
  const kept = new Map<string, Uint8Array>();
  const state = { isAway: false };
  const reached = async (): Promise<Map<string, Uint8Array>> => {
    if (state.isAway) throw new Error('away');
    return kept;
  };
  const bodies: BodyStore = {
    name: 'memory',
    put: async (hash, bytes) => void (await reached()).set(hash, bytes),
    get: async (hash) => (await reached()).get(hash),
    drop: async (hash) => void (await reached()).delete(hash),
  };
  return { kept, state, bodies };
}

/** Bodies that are moved out of the records to a store beside them. */
export function describeBodies(world: () => RecordsWorld): void {
  describe('bodies', () => {
    let opened: Records | undefined;
    afterEach(async () => {
      await opened?.close();
      opened = undefined;
    });
    async function withBodies() {
      const beside = memoryBodies();
      const records = await world().harness.open(beside.bodies);
      opened = records;
      return { ...beside, records };
    }
    async function visit(records: Records, text: string, at: number): Promise<string> {
      const work = await takeOne(records, 'domain', 'news.example', at);
      const read = { captures: [answered(URL, text, at)], nextVisitAt: at + 1 };
      const files = [fileVisit(work, 'adagents', read), fileVisit(work, 'brand', { nextVisitAt: at + 1 })];
      await records.sources.commitDomainVisit({ domain: 'news.example', at, files, found: [] });
      return sha256(text);
    }
    const textOf = async (records: Records, hash: string) => {
      const bytes = await records.sources.body(hash);
      return bytes && new TextDecoder().decode(bytes);
    };

    it('stay in the records without one', async () => {
      const { records } = world();
      const hash = await visit(records, 'one', NOW);
      expect(await records.moveBodies(NOW, fine)).toBeUndefined();
      expect(await textOf(records, hash)).toBe('one');
    });

    it('leave no object behind when they are pruned while they are moved', async () => {
      const { records, kept, bodies } = await withBodies();
      const hash = await visit(records, 'one', NOW);
      const { put } = bodies;
      bodies.put = async (...object) => {
        await put(...object);
        await records.prune(NOW + 40 * DAY);
      };
      expect(await records.moveBodies(NOW + 40 * DAY, fine)).toMatchObject({ moved: 0 });
      expect([...kept.keys()]).toEqual([hash]);
      expect(await records.moveBodies(NOW + 71 * DAY, fine)).toMatchObject({ dropped: 1 });
      expect([...kept.keys()]).toEqual([]);
    });

    it('are moved once, and read from there, within bounds', async () => {
      const { records, kept } = await withBodies();
      const large = 'long '.repeat(100_000);
      const hashes = [await visit(records, 'one', NOW), await visit(records, large, NOW + 1)];
      expect(await records.moveBodies(NOW, fine)).toMatchObject({ moved: 2, dropped: 0 });
      expect([...kept.keys()].sort()).toEqual(hashes.toSorted());
      expect(await records.moveBodies(NOW, fine)).toEqual({ moved: 0, bytes: 0, dropped: 0 });
      expect(await textOf(records, hashes[0] ?? '')).toBe('one');
      expect(await textOf(records, hashes[1] ?? '')).toBe(large);
      expect(await records.sources.bodyWithin(hashes[1] ?? '', 1_000)).toBeUndefined();
      expect(await records.sources.bodyWithin(hashes[1] ?? '', large.length)).toHaveLength(large.length);
      expect(await records.sources.hasBody(hashes[0] ?? '')).toBe(true);
      // a visit that gets the same text again leaves it where it is
      await visit(records, 'one', NOW + 2);
      expect(await records.moveBodies(NOW, fine)).toMatchObject({ moved: 0 });
    });

    it('stay in the records while their store is away, and are moved afterwards', async () => {
      const { records, state } = await withBodies();
      state.isAway = true;
      const hash = await visit(records, 'one', NOW);
      await expect(records.moveBodies(NOW, fine)).rejects.toThrow('away');
      expect(await textOf(records, hash)).toBe('one');
      state.isAway = false;
      expect(await records.moveBodies(NOW, fine)).toMatchObject({ moved: 1 });
      state.isAway = true;
      await expect(records.sources.body(hash)).rejects.toThrow('away');
    });

    it('are left alone after the first fault of their store, but for those under way', async () => {
      const { records, kept, bodies } = await withBodies();
      for (let at = 0; at < 30; at += 1) await visit(records, `text ${at}`, NOW + at);
      const { put } = bodies;
      let puts = 0;
      Object.assign(bodies, {
        put: async (hash: string, bytes: Uint8Array) => {
          puts += 1;
          if (puts === 1) throw new Error('away');
          await put(hash, bytes);
        },
      });
      await expect(records.moveBodies(NOW, fine)).rejects.toThrow('away');
      const before = kept.size;
      expect(before).toBeLessThan(20);
      expect(await records.moveBodies(NOW, fine)).toMatchObject({ moved: 30 - before });
    });

    it('are moved by nobody who has lost the right to', async () => {
      const { records, kept } = await withBodies();
      await visit(records, 'one', NOW);
      const lost = (): void => {
        throw new Error('lost');
      };
      await expect(records.moveBodies(NOW, lost)).rejects.toThrow('lost');
      expect(kept.size).toBe(0);
    });

    it.each([
      ['changed', (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1)],
      ['of another file', () => new TextEncoder().encode('another')],
      ['empty', () => new Uint8Array()],
    ])('that were %s there are not shown', async (_name, change) => {
      const { records, kept } = await withBodies();
      const hash = await visit(records, 'one', NOW);
      await records.moveBodies(NOW, fine);
      kept.set(hash, change(kept.get(hash) ?? new Uint8Array()));
      expect(await records.sources.body(hash)).toBeUndefined();
    });

    it('cannot be read where their store is not named, and say so', async () => {
      const { records } = await withBodies();
      const hash = await visit(records, 'one', NOW);
      await records.moveBodies(NOW, fine);
      await expect(world().records.sources.body(hash)).rejects.toMatchObject({
        code: 'store_unavailable',
        hint: expect.stringContaining('REGISTRY_BODIES'),
      });
    });

    it('are deleted there 30 days after prune deleted them here, unless they came again', async () => {
      const { records, kept } = await withBodies();
      const gone = await visit(records, 'gone', NOW);
      const back = await visit(records, 'back', NOW + 1);
      const last = await visit(records, 'last', NOW + 40 * DAY);
      await records.moveBodies(NOW, fine);
      expect(await records.prune(NOW + 40 * DAY)).toMatchObject({ bodies: 2 });
      expect(await records.sources.body(gone)).toBeUndefined();
      expect(kept.size).toBe(3); // records of a backup still find them
      await visit(records, 'back', NOW + 41 * DAY);
      expect(await records.moveBodies(NOW + 60 * DAY, fine)).toMatchObject({ moved: 0, dropped: 0 });
      expect(await textOf(records, back)).toBe('back');
      expect(await records.moveBodies(NOW + 71 * DAY, fine)).toMatchObject({ moved: 1, dropped: 2 });
      expect([...kept.keys()].sort()).toEqual([back, last].sort());
      expect(await textOf(records, back)).toBe('back');
      expect(await records.moveBodies(NOW + 72 * DAY, fine)).toEqual({ moved: 0, bytes: 0, dropped: 0 });
    });
  });
}
