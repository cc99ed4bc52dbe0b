import { setTimeout as pause } from 'node:timers/promises';
import { AutoscaledPool } from '@crawlee/basic';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VisitWork } from '../../src/domain/source.ts';
import { type BulkOptions, runInBulk } from '../../src/pipeline/run-in-bulk.ts';
import { names, workList } from './support.ts';

/** Crawlee's pool is made, and does not run yet, for so long. */
const HELD_MS = 60;
/** A run that has not ended by then never ends. */
const NEVER_MS = 40_000;

const never = new AbortController().signal;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const run = AutoscaledPool.prototype.run;

/** The moments at which the pool can be caught: before it knows how to end, and before it looks for work. */
const MOMENTS = {
  'before the pool runs': async function held(this: AutoscaledPool) {
    await wait(HELD_MS);
    return run.call(this);
  },
  'while the pool starts': async function held(this: AutoscaledPool) {
    const snapshotter: { start(): Promise<void> } = Reflect.get(this, 'snapshotter');
    const start = snapshotter.start.bind(snapshotter);
    snapshotter.start = () => wait(HELD_MS).then(start);
    return run.call(this);
  },
} as const;

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

function endOf(options: BulkOptions<VisitWork>): Promise<string> {
  const ended = runInBulk(options).then(
    () => 'ended',
    (fault: unknown) => `failed: ${(fault as Error).message}`,
  );
  const isOver = new AbortController();
  const late = pause(NEVER_MS, 'still running', { signal: isOver.signal }).catch(() => '');
  return Promise.race([ended, late]).finally(() => isOver.abort());
}

describe.each(Object.keys(MOMENTS) as (keyof typeof MOMENTS)[])('what comes to a bulk run %s', (moment) => {
  beforeEach(() => {
    vi.spyOn(AutoscaledPool.prototype, 'run').mockImplementation(MOMENTS[moment]);
  });
  afterEach(() => vi.restoreAllMocks());

  it('a stop is remembered: the run ends, and nothing was taken', async () => {
    const list = workList(names(5));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), HELD_MS / 3);
    const handle = () => Promise.reject(new Error('visited all the same'));
    expect(await endOf({ ...list, concurrency: 2, signal: stop.signal, handle })).toBe('ended');
    expect(list.waiting).toEqual(names(5));
  });

  it('a stop of a run that polls is remembered too', async () => {
    const list = workList([]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), HELD_MS / 3);
    const handle = async () => false;
    expect(await endOf({ ...list, concurrency: 2, pollMs: 5, signal: stop.signal, handle })).toBe('ended');
  });

  it('polls begin nothing, and the stop after the last visit ends the run', async () => {
    const list = workList(names(20));
    const stop = new AbortController();
    let visits = 0;
    const handle = async () => {
      if (++visits === 20) stop.abort();
      return false;
    };
    const options = { ...list, concurrency: 4, batch: 4, pollMs: 5, signal: stop.signal, handle };
    expect(await endOf(options)).toBe('ended');
    expect(visits).toBe(20);
  });

  it('the fault of a visit ends a run that polls', async () => {
    const list = workList(names(20));
    const handle = () => Promise.reject(new Error('the store is full'));
    const options = { ...list, concurrency: 4, batch: 4, pollMs: 5, signal: never, handle };
    expect(await endOf(options)).toBe('failed: the store is full');
  });

  it('the fault of a store ends a run that polls', async () => {
    const take = () => Promise.reject(new Error('the store is gone'));
    const options = {
      ...workList([]),
      take,
      concurrency: 4,
      pollMs: 5,
      signal: never,
      handle: async () => false,
    };
    expect(await endOf(options)).toBe('failed: the store is gone');
  });

  it('leaves nothing behind that keeps the process alive', async () => {
    const list = workList(names(3));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), HELD_MS / 3);
    const before = timers();
    await runInBulk({ ...list, concurrency: 2, pollMs: 5, signal: stop.signal, handle: async () => false });
    for (let waits = 0; timers() > before && waits < 8_000; waits += 1) await wait(5);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
