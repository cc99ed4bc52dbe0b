import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SlowWork } from '../../src/pipeline/slow-work.ts';

/** Work that the test ends. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

const idle = () => () => 0;

describe('work that strangers make slow', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('opens a slot beside its own until it ends, three for each slot at most', async () => {
    vi.useFakeTimers();
    const sizes: number[] = [];
    const slow = new SlowWork(2, (slots) => sizes.push(slots), idle);
    const works = Array.from({ length: 8 }, held);
    const runs = works.map(({ work }) => slow.run(work));
    await vi.advanceTimersByTimeAsync(199);
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([3, 4, 5, 6, 7, 8, 8, 8]);
    for (const { end } of works) end();
    await Promise.all(runs);
    expect(sizes.slice(8)).toEqual([8, 8, 7, 6, 5, 4, 3, 2]);
  });

  it('opens none while this process has no time left, and looks again soon', async () => {
    vi.useFakeTimers();
    const sizes: number[] = [];
    const shares = [1, 0.96];
    const slow = new SlowWork(
      2,
      (slots) => sizes.push(slots),
      () => () => shares.shift() ?? 0,
    );
    const { work, end } = held();
    const run = slow.run(work);
    await vi.advanceTimersByTimeAsync(299);
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([3]);
    end();
    await run;
    expect(sizes).toEqual([3, 2]);
  });

  it('opens none for what a process that has just started took long for, until it has waited for others too', async () => {
    vi.useFakeTimers();
    const sizes: number[] = [];
    const shares = [0.88, 0.9, 0.8, 0.8];
    const slow = new SlowWork(
      2,
      (slots) => sizes.push(slots),
      () => () => shares.shift() ?? 0,
    );
    const { work, end } = held();
    const run = slow.run(work);
    await vi.advanceTimersByTimeAsync(349); // waited for 24, 29, 39 and then 49 ms
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(50);
    expect(sizes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([3]);
    end();
    await run;
  });

  it('opens one for the same in a process that has run for two seconds', async () => {
    vi.useFakeTimers();
    const sizes: number[] = [];
    const slow = new SlowWork(
      2,
      (slots) => sizes.push(slots),
      () => () => 0.88,
    );
    const later = performance.now() + 2_001;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    const { work, end } = held();
    const run = slow.run(work);
    await vi.advanceTimersByTimeAsync(200);
    expect(sizes).toEqual([3]);
    end();
    await run;
  });

  it('takes its slot back from work that waits for nobody but us', async () => {
    vi.useFakeTimers();
    const sizes: number[] = [];
    const slow = new SlowWork(2, (slots) => sizes.push(slots), idle);
    const { work, end } = held();
    const fetched = Promise.withResolvers<void>();
    const run = slow.run(async (isOurs) => {
      await fetched.promise;
      isOurs();
      await work();
    });
    await vi.advanceTimersByTimeAsync(200);
    fetched.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sizes).toEqual([3, 2]);
    end();
    await run;
    expect(sizes).toEqual([3, 2]);
  });

  it('opens none for a time in which this process did not come to look', async () => {
    const sizes: number[] = [];
    const slow = new SlowWork(2, (slots) => sizes.push(slots), idle);
    const { work, end } = held();
    const run = slow.run(work);
    const until = performance.now() + 300;
    while (performance.now() < until); // as when modules are loaded
    setTimeout(end);
    await run;
    expect(sizes).toEqual([]);
  });

  it('opens none when it is quick, and none is lost when it fails', async () => {
    const sizes: number[] = [];
    const slow = new SlowWork(2, (slots) => sizes.push(slots));
    expect(await slow.run(async () => 42)).toBe(42);
    await expect(slow.run(() => Promise.reject(new Error('of the work')))).rejects.toThrow('of the work');
    expect(sizes).toEqual([]);
  });
});
