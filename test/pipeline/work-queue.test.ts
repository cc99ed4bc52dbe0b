import { describe, expect, it } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import { createWorkQueue } from '../../src/pipeline/work-queue.ts';
import { names, workList } from './support.ts';

const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the queue of work', () => {
  it('probes everything that there is, no more at a time than it may', async () => {
    const list = workList(names(50));
    const probed: string[] = [];
    let underWay = 0;
    let most = 0;
    const queue = createWorkQueue({
      ...list,
      concurrency: 4,
      signal: never,
      handle: async ({ key }) => {
        most = Math.max(most, ++underWay);
        await tick();
        underWay -= 1;
        probed.push(key);
        return false;
      },
    });
    await queue.idle();
    expect(probed.toSorted()).toEqual(names(50).toSorted());
    expect(most).toBe(4);
  });

  it('holds no more leases than it comes to soon', async () => {
    const list = workList(names(100));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handle = () => held.then(() => false);
    const queue = createWorkQueue({ ...list, concurrency: 2, batch: 8, signal: never, handle });
    await queue.pump();
    await queue.pump();
    expect(100 - list.waiting.length).toBe(8);
    release();
    await queue.idle();
    expect(list.waiting).toEqual([]);
  });

  it('goes on with agents that are found while it probes', async () => {
    const list = workList(['a.example']);
    const probed: string[] = [];
    const queue = createWorkQueue({
      ...list,
      concurrency: 2,
      signal: never,
      handle: async ({ key }) => {
        probed.push(key);
        if (key === 'a.example') list.waiting.push('b.example');
        return key === 'a.example';
      },
    });
    await queue.idle();
    expect(probed).toEqual(['a.example', 'b.example']);
  });

  it('gives no slot to an agent whose domain is being probed', async () => {
    const list = workList(['a.busy.example', 'b.busy.example', 'c.busy.example', 'x.example', 'y.example']);
    const begun: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const queue = createWorkQueue({
      ...list,
      concurrency: 2,
      signal: never,
      handle: async ({ key }) => {
        begun.push(key);
        if (key === 'a.busy.example') await held;
        if (key === 'y.example') release();
        return false;
      },
    });
    await queue.idle();
    expect(begun).toEqual(['a.busy.example', 'x.example', 'y.example', 'b.busy.example', 'c.busy.example']);
  });

  it('asks the store again when it is told of agents that were found while it asked', async () => {
    const list = workList([]);
    const probed: string[] = [];
    const queue = createWorkQueue({
      ...list,
      concurrency: 1,
      signal: never,
      handle: async ({ key }) => {
        probed.push(key);
        return false;
      },
    });
    await queue.pump();
    list.waiting.push('late.example');
    await queue.pump();
    await queue.idle();
    expect(probed).toEqual(['late.example']);
  });

  it('asks the store again for what was found while its answer was on its way', async () => {
    const list = workList([]);
    const { promise: nothing, resolve: answer } = Promise.withResolvers<readonly VisitWork[]>();
    const done: string[] = [];
    let asked = 0;
    const queue = createWorkQueue({
      ...list,
      take: (limit) => (++asked === 1 ? nothing : list.take(limit)),
      concurrency: 2,
      signal: never,
      handle: async ({ key }) => {
        done.push(key);
        return false;
      },
    });
    const pumps = [queue.pump(), queue.pump()];
    expect(asked).toBe(1); // for all who ask at the same time
    list.waiting.push('found.example');
    answer([]);
    await Promise.all(pumps);
    await queue.idle();
    expect(done).toEqual(['found.example']);
  });

  it('gives back what waits when it is stopped', async () => {
    const list = workList(names(6));
    const stop = new AbortController();
    const probed: string[] = [];
    const queue = createWorkQueue({
      ...list,
      concurrency: 1,
      signal: stop.signal,
      handle: async ({ key }) => {
        probed.push(key);
        stop.abort();
        return false;
      },
    });
    await queue.idle();
    expect(probed).toEqual(['d0.example']);
    expect([...probed, ...list.given, ...list.waiting].toSorted()).toEqual(names(6));
  });

  it('rejects with the first fault and probes nothing after it', async () => {
    const list = workList(names(6));
    const queue = createWorkQueue({
      ...list,
      concurrency: 1,
      signal: never,
      handle: ({ key }) => Promise.reject(new Error(`fault at ${key}`)),
    });
    await expect(queue.idle()).rejects.toThrow('fault at d0.example');
    expect([...list.given, ...list.waiting].toSorted()).toEqual(names(6).slice(1));
  });

  it('rejects when the store cannot hand out work', async () => {
    const queue = createWorkQueue({
      take: () => Promise.reject(new Error('the store is gone')),
      giveBack: async () => {},
      concurrency: 1,
      signal: never,
      handle: async () => false,
    });
    await queue.pump();
    await expect(queue.idle()).rejects.toThrow('the store is gone');
  });

  it('probes what others named before what one file named, once that has its share of slow agents', async () => {
    const evil = Array.from({ length: 60 }, (_, index) => `evil${index}.example`);
    const list = workList([...evil, ...names(8)], (key) => `${key.replace(/\d+/, '')} adagents`);
    const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
    const probed: string[] = [];
    const queue = createWorkQueue({
      ...list,
      concurrency: 4,
      patient: true,
      signal: never,
      handle: async ({ key }) => {
        if (key.startsWith('evil')) await silence;
        if (probed.push(key) === 8) speak(); // the slow ones wait for the others, however long these take
        return false;
      },
    });
    await queue.idle();
    expect(probed.slice(0, 8).toSorted()).toEqual(names(8).toSorted());
    expect(probed).toHaveLength(68);
  });
});
