import { describe, expect, it } from 'vitest';
import { repeat } from '../../../src/index/generations/keep-indexed.ts';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('work that is done again and again', () => {
  it('begins at once, goes on until it is stopped, and is never done twice at once', async () => {
    let underWay = 0;
    let most = 0;
    let times = 0;
    let enough = () => {};
    const threeTimes = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const work = async () => {
      most = Math.max(most, ++underWay);
      await tick();
      underWay -= 1;
      if (++times === 3) enough();
    };
    const passes = repeat(work, 1);
    await threeTimes;
    await passes.stop();
    const done = times;
    await tick();
    expect([most, underWay, times]).toEqual([1, 0, done]);
  });

  it('is finished before the stop is over, and no pause is waited for', async () => {
    let finished = false;
    const passes = repeat(async () => {
      await tick();
      finished = true;
    }, 3_600_000);
    await passes.stop();
    expect(finished).toBe(true);
  });

  it('ends with its first error, which the stop tells', async () => {
    let times = 0;
    const passes = repeat(() => Promise.reject(new Error(`fault ${++times}`)), 1);
    await tick();
    await expect(passes.stop()).rejects.toThrow('fault 1');
    expect(times).toBe(1);
  });
});
