import { describe, expect, it } from 'vitest';
import { runInBulk } from '../../src/pipeline/work-queue.ts';
import { names, workList } from './support.ts';

const never = new AbortController().signal;

describe('a bulk run', () => {
  it('visits everything once, and no more at a time than it may', async () => {
    const list = workList(names(40));
    const visited: string[] = [];
    let underWay = 0;
    let most = 0;
    await runInBulk({
      ...list,
      concurrency: 5,
      signal: never,
      handle: async ({ key }) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        visited.push(key);
        return false;
      },
    });
    expect(visited.toSorted()).toEqual(names(40).toSorted());
    expect(most).toBe(5);
    expect(list.given).toEqual([]);
  });

  it('goes on with what the visits find', async () => {
    const list = workList(['a.example']);
    const visited: string[] = [];
    await runInBulk({
      ...list,
      concurrency: 2,
      signal: never,
      handle: async ({ key }) => {
        visited.push(key);
        if (key !== 'a.example') return false;
        list.waiting.push('b.example', 'c.example');
        return true;
      },
    });
    expect(visited).toEqual(['a.example', 'b.example', 'c.example']);
  });

  it('gives no slot to a host whose domain is being visited', async () => {
    const hosts = Array.from({ length: 9 }, (_, index) => `h${index}.busy.example`);
    const list = workList([...hosts, ...names(3)]);
    const begun: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await runInBulk({
      ...list,
      concurrency: 2,
      signal: never,
      handle: async ({ key }) => {
        begun.push(key);
        if (key === 'h0.busy.example') await held;
        if (key === 'd2.example') release();
        return false;
      },
    });
    expect(begun.slice(0, 4)).toEqual(['h0.busy.example', ...names(3)]);
    expect(begun.slice(4).toSorted()).toEqual(hosts.slice(1));
  });

  it('begins the next host of a domain as soon as the visit before it has left the domain', async () => {
    const list = workList(['a.one.example', 'b.one.example']);
    let arrived = () => {};
    const second = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await runInBulk({
      ...list,
      concurrency: 2,
      signal: never,
      handle: async ({ key }, leaveDomain) => {
        if (key === 'b.one.example') arrived();
        leaveDomain();
        await second; // the first goes on until the second has begun
        return false;
      },
    });
    expect(list.given).toEqual([]);
  });

  it('asks for no more of the domains that it has in hand', async () => {
    const asked: boolean[] = [];
    const list = workList(['a.one.example']);
    let askedMeanwhile = () => {};
    const meanwhile = new Promise<void>((resolve) => {
      askedMeanwhile = resolve;
    });
    await runInBulk({
      ...list,
      take: (limit, busy) => {
        asked.push(busy.has('one.example'));
        if (asked.at(-1)) askedMeanwhile();
        return list.take(limit);
      },
      concurrency: 2,
      signal: never,
      handle: async () => {
        await meanwhile;
        return false;
      },
    });
    expect([asked[0], asked[1], asked.at(-1)]).toEqual([false, true, false]);
  });

  it('does nothing when there is nothing to do', async () => {
    await runInBulk({
      ...workList([]),
      concurrency: 2,
      signal: never,
      handle: () => Promise.reject(new Error('there is no work')),
    });
  });

  it('finishes what is under way on a stop, begins nothing new, and gives the rest back', async () => {
    const list = workList(names(30));
    const stop = new AbortController();
    const finished: string[] = [];
    await runInBulk({
      ...list,
      concurrency: 3,
      signal: stop.signal,
      handle: async ({ key }) => {
        stop.abort();
        await new Promise((resolve) => setImmediate(resolve));
        finished.push(key);
        return false;
      },
    });
    expect(finished.length).toBeLessThanOrEqual(3);
    expect([...finished, ...list.given, ...list.waiting].toSorted()).toEqual(names(30).toSorted());
  });

  it('begins nothing under a signal that has fired', async () => {
    const list = workList(names(3));
    const handle = () => Promise.reject(new Error('visited all the same'));
    await runInBulk({ ...list, concurrency: 2, signal: AbortSignal.abort(), handle });
    expect(list.waiting).toEqual(names(3));
  });

  it('rejects with the first fault, and gives back what it did not begin', async () => {
    const list = workList(names(20));
    const begun: string[] = [];
    const run = runInBulk({
      ...list,
      concurrency: 2,
      signal: never,
      handle: ({ key }) => {
        begun.push(key);
        return Promise.reject(new Error(`fault at ${key}`));
      },
    });
    await expect(run).rejects.toThrow('fault at d0.example');
    expect(begun.length).toBeLessThanOrEqual(2);
    expect([...begun, ...list.given, ...list.waiting].toSorted()).toEqual(names(20).toSorted());
  });

  it('ends at a fault also when what it gives back can be taken again', async () => {
    const list = workList(names(20));
    const run = runInBulk({
      take: list.take,
      giveBack: async (works) => void list.waiting.push(...works.map((work) => work.key)),
      concurrency: 2,
      signal: never,
      handle: ({ key }) => Promise.reject(new Error(`fault at ${key}`)),
    });
    await expect(run).rejects.toThrow('fault at d0.example');
    expect(list.waiting.length).toBeGreaterThanOrEqual(18);
  });

  it('rejects when the store cannot hand out work', async () => {
    const run = runInBulk({
      take: () => Promise.reject(new Error('the store is gone')),
      giveBack: async () => {},
      concurrency: 2,
      signal: never,
      handle: async () => false,
    });
    await expect(run).rejects.toThrow('the store is gone');
  });

  it('that polls goes on after there was no work, until it is stopped', async () => {
    const list = workList(['a.example']);
    const stop = new AbortController();
    const visited: string[] = [];
    let empty = 0;
    await runInBulk({
      ...list,
      take: async (limit) => {
        if (list.waiting.length === 0 && ++empty === 3) list.waiting.push('b.example');
        return list.take(limit);
      },
      concurrency: 2,
      pollMs: 5,
      signal: stop.signal,
      handle: async ({ key }) => {
        visited.push(key);
        if (key === 'b.example') stop.abort();
        return false;
      },
    });
    expect(visited).toEqual(['a.example', 'b.example']);
  });

  it('gives back what was on its way from the store when it was stopped', async () => {
    const list = workList(names(3));
    const stop = new AbortController();
    const take = async (limit: number) => {
      stop.abort();
      return list.take(limit);
    };
    const handle = () => Promise.reject(new Error('visited all the same'));
    await runInBulk({ ...list, take, concurrency: 2, signal: stop.signal, handle });
    expect(list.given).toEqual(names(3));
  });

  it('that polls ends at the fault of a visit', async () => {
    const list = workList(names(20));
    const handle = () => Promise.reject(new Error('the store is full'));
    const run = runInBulk({ ...list, concurrency: 4, batch: 4, pollMs: 5, signal: never, handle });
    await expect(run).rejects.toThrow('the store is full');
    expect(list.given.length + list.waiting.length).toBeGreaterThanOrEqual(16);
  });

  it('that polls ends at the fault of a store', async () => {
    const take = () => Promise.reject(new Error('the store is gone'));
    const options = { ...workList([]), take, concurrency: 4, pollMs: 5, signal: never };
    await expect(runInBulk({ ...options, handle: async () => false })).rejects.toThrow('the store is gone');
  });

  it('rejects when what it took cannot be given back', async () => {
    const stop = new AbortController();
    const run = runInBulk({
      ...workList(names(9)),
      giveBack: () => Promise.reject(new Error('the store is gone')),
      concurrency: 2,
      signal: stop.signal,
      handle: async () => {
        stop.abort();
        return false;
      },
    });
    await expect(run).rejects.toThrow('the store is gone');
  });

  it('that polls takes no more at once than its batch', async () => {
    const list = workList(names(20));
    const stop = new AbortController();
    const limits = new Set<number>();
    let visits = 0;
    await runInBulk({
      ...list,
      take: (limit) => {
        limits.add(limit);
        return list.take(limit);
      },
      concurrency: 4,
      batch: 4,
      pollMs: 5,
      signal: stop.signal,
      handle: async () => {
        if (++visits === 20) stop.abort();
        return false;
      },
    });
    expect([...limits]).toEqual([4]);
  });
});

it('lets what others named go before what one file named, once that has its share of slow visits', async () => {
  const evil = Array.from({ length: 100 }, (_, index) => `d${index}.evil${index}.example`);
  const list = workList([...evil, ...names(10)], (key) =>
    key.includes('evil') ? 'evil.example adagents' : 'news.example adagents',
  );
  const { promise: silence, resolve: speak } = Promise.withResolvers<void>();
  let good = 0;
  let evilBefore = 0;
  await runInBulk({
    ...list,
    concurrency: 4,
    batch: 10,
    patient: true,
    signal: never,
    handle: async ({ key }) => {
      if (!key.includes('evil')) good += 1;
      else if (good < 10) evilBefore += 1;
      if (good === 10) speak();
      if (key.includes('evil')) await silence;
      return false;
    },
  });
  expect([good, evilBefore <= 16, list.waiting]).toEqual([10, true, []]);
}, 5_000);
