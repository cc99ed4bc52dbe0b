import { expect, it, onTestFinished } from 'vitest';
import { AskedThread, type AskedThreadOptions, ThreadEnded } from '../../src/base/asked-thread.ts';
import type { Deed } from './support/asked-worker.ts';

function start(options: Partial<AskedThreadOptions> = {}): AskedThread<Deed, string> {
  const thread = new AskedThread<Deed, string>({
    file: new URL('./support/asked-worker.ts', import.meta.url),
    ...{ name: 'asked by a test', workerData: undefined, ceilingMs: 60_000 },
    ...{ limits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 }, ...options },
  });
  onTestFinished(() => thread.end());
  return thread;
}

const outcome = (asked: Promise<string>) =>
  asked.then(
    (text) => text,
    (error: unknown) => (error instanceof ThreadEnded ? { isTooCostly: error.isTooCostly } : String(error)),
  );

it('a thread answers what it is asked, any number at once, and tells what was thrown', async () => {
  const thread = start();
  expect(thread.isReady).toBe(false);
  const asked = [thread.ask(['say', 'a']), thread.ask(['throw', 'b']), thread.ask(['say', 'c'])];
  expect(await Promise.all(asked.map(outcome))).toEqual(['a', 'Error: b', 'c']);
  expect([thread.isReady, thread.hasEnded]).toEqual([true, false]);
});

it.each(['compute', 'hoard'] as const)(
  'a thread that would %s for ever ends, and says what was too much for it',
  async (deed) => {
    const thread = start(deed === 'compute' ? { ceilingMs: 300 } : {});
    expect(await outcome(thread.ask([deed, 'x']))).toEqual({ isTooCostly: true });
    expect(thread.hasEnded).toBe(true);
  },
);

it('of several questions nobody can say which one was too much', async () => {
  const thread = start({ ceilingMs: 300 });
  const asked = [thread.ask(['compute', 'x']), thread.ask(['say', 'y'])];
  expect(await Promise.all(asked.map(outcome))).toEqual([{ isTooCostly: false }, { isTooCostly: false }]);
});

it('nobody says that a question was too much which had to wait for another one', async () => {
  const thread = start({ ceilingMs: 1_500 });
  await thread.ask(['say', 'ready']);
  const asked = [thread.ask(['think', 'x']), thread.ask(['compute', 'y'])];
  expect((await Promise.all(asked.map(outcome)))[1]).toEqual({ isTooCostly: false });
});

it('a question ends early when its signal is aborted, were it before it was asked', async () => {
  const thread = start();
  const later = new AbortController();
  const asked = [
    thread.ask(['wait', 'x'], AbortSignal.abort()),
    thread.ask(['wait', 'y'], later.signal),
    thread.ask(['say', 'z']).finally(() => later.abort()),
  ];
  expect(await Promise.all(asked)).toEqual(['x', 'y', 'z']);
});

it('a thread that leaves has ended, and so has one that nobody asks any more', async () => {
  const left = start();
  await outcome(left.ask(['leave', '']));
  expect(left.hasEnded).toBe(true);
  const idle = start({ idleMs: 1 });
  expect(await outcome(idle.ask(['say', 'once']))).toBe('once');
  await expect.poll(() => idle.hasEnded).toBe(true);
});
