import { describe, expect, it } from 'vitest';
import { keep } from '../../src/base/kept.ts';

const TIMES = { times: 10, leastMs: 1_000, mostMs: 60_000 };

describe('what is kept', () => {
  it('is made once for all who ask while it is made, however long that takes', async () => {
    const { kept, clock, works } = open();
    const asked = [kept.newest(), kept.newest()];
    clock.value += 50_000;
    asked.push(
      kept.newest(),
      kept.last(() => {}),
    );
    works[0]?.resolve('a');
    expect(await Promise.all(asked)).toEqual(['a', 'a', 'a', 'a']);
    expect(works).toHaveLength(1);
  });

  it.each([
    { tookMs: 0, keptMs: 1_000 },
    { tookMs: 2_000, keptMs: 20_000 },
    { tookMs: 7_000, keptMs: 60_000 },
    // the clock was put back meanwhile
    { tookMs: -5_000, keptMs: 1_000 },
  ])('is kept for $keptMs ms after a work of $tookMs ms', async ({ tookMs, keptMs }) => {
    const { kept, clock, works, end } = open();
    await end(kept.newest(), tookMs);
    clock.value += keptMs - 1;
    await kept.newest();
    expect(works).toHaveLength(1);
    clock.value += 1;
    void kept.newest();
    expect(works).toHaveLength(2);
  });

  it('is made anew when the clock was put back', async () => {
    const { kept, clock, works, end } = open();
    await end(kept.newest(), 0);
    clock.value -= 3_600_000;
    void kept.newest();
    expect(works).toHaveLength(2);
  });

  it('is given at once while a newer one is made, to who wants the last', async () => {
    const { kept, clock, works, end } = open();
    await end(kept.newest(), 0);
    clock.value += 1_000;
    expect(await kept.last(() => {})).toBe('work 0');
    const newer = kept.newest();
    expect(await kept.last(() => {})).toBe('work 0');
    await end(newer, 0);
    expect(await kept.last(() => {})).toBe('work 1');
    expect(works).toHaveLength(2);
  });

  it('is made anew after a failure, as long after it as that took', async () => {
    const { kept, clock, works } = open();
    const failed = [kept.newest(), kept.newest()];
    clock.value += 8_000;
    works[0]?.reject(new Error('no answer'));
    for (const one of failed) await expect(one).rejects.toThrow('no answer');
    clock.value += 7_999;
    await expect(kept.last(() => {})).rejects.toThrow('no answer');
    expect(works).toHaveLength(1);
    clock.value += 1;
    const next = kept.newest();
    works[1]?.resolve('b');
    expect(await next).toBe('b');
  });

  it('stays when a newer one fails, which is told once', async () => {
    const { kept, clock, works, end } = open();
    await end(kept.newest(), 0);
    clock.value += 1_000;
    const faults: unknown[] = [];
    const last = () => kept.last((error) => faults.push(error));
    expect(await Promise.all([last(), last()])).toEqual(['work 0', 'work 0']);
    clock.value += 5_000;
    works[1]?.reject('no answer');
    await works[1]?.promise.catch(() => {});
    expect(await last()).toBe('work 0');
    expect(faults).toEqual(['no answer']);
    expect(works).toHaveLength(2);
  });
});

/** A clock, and works that end when the test says so. */
function open() {
  const clock = { value: 1_800_000_000_000, now: () => clock.value };
  const works: PromiseWithResolvers<string>[] = [];
  const kept = keep(
    () => {
      const work = Promise.withResolvers<string>();
      works.push(work);
      return work.promise;
    },
    { clock, ...TIMES },
  );
  const end = async (asked: Promise<string>, tookMs: number) => {
    clock.value += tookMs;
    works.at(-1)?.resolve(`work ${works.length - 1}`);
    await asked;
  };
  return { kept, clock, works, end };
}
