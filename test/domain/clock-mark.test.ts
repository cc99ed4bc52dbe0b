import { describe, expect, it } from 'vitest';
import { confirmedMark, jumpOf, nextMark, settledAt } from '../../src/domain/clock-mark.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const T = 1_800_000_000_000;

/** The looks of one process after the mark of T: how much of its steady clock has passed, and what the clock shows. */
const WATCHED: readonly [what: string, passed: number, shows: number, jump: number, settled: number][] = [
  ['a clock that goes', MINUTE, MINUTE, 0, MINUTE],
  ['a machine that slept for hours', MINUTE, 20 * HOUR, 0, 20 * HOUR],
  ['a clock that jumps ahead by a year', MINUTE, YEAR, YEAR - MINUTE, MINUTE],
  ['a clock that is put back by ten minutes', MINUTE, -10 * MINUTE, -11 * MINUTE, MINUTE],
  ['a clock that is put back by a year', MINUTE, -YEAR, -YEAR - MINUTE, MINUTE],
  ['a clock that is corrected by seconds', MINUTE, MINUTE - 5_000, 0, MINUTE - 5_000],
];

describe('the mark of the time', () => {
  it.each(WATCHED)(
    'of %s says how far it has jumped and what is settled',
    (_, passed, shows, jump, settled) => {
      const before = confirmedMark(T);
      const after = nextMark(before, T + shows, T + passed);
      expect(jumpOf(after, T + shows)).toBe(jump);
      expect(settledAt(after, T + shows, T + passed) - T).toBe(settled);
    },
  );

  it.each([
    ['a month in which nothing ran', 30 * DAY, 0],
    ['a year in which nothing ran, which nobody can tell from a jump', YEAR, YEAR],
  ])('believes %s at a first look: %i ms', (_, gap, jump) => {
    expect(jumpOf(nextMark(confirmedMark(T), T + gap), T + gap)).toBe(jump);
  });

  it('keeps a jump that one process saw, for those that begin after it, until the clock is right again', () => {
    const seen = nextMark(confirmedMark(T), T + 2 * DAY, T + MINUTE);
    const another = nextMark(seen, T + 2 * DAY + HOUR);
    expect(another).toMatchObject({ isAhead: true, settledAt: T + MINUTE });
    const right = nextMark(another, T + 2 * MINUTE);
    expect(right).toMatchObject({ isAhead: false, settledAt: T + 2 * MINUTE });
    expect(jumpOf(right, T + 2 * MINUTE)).toBe(-(2 * DAY + HOUR - 2 * MINUTE));
    expect(jumpOf(right, T + 2 * DAY)).toBe(0);
  });

  it('goes on as time is seen to pass while the clock is ahead', () => {
    let mark = nextMark(confirmedMark(T), T + YEAR, T + MINUTE);
    for (let passed = 2; passed <= 10; passed += 1)
      mark = nextMark(mark, T + YEAR + passed * MINUTE, T + passed * MINUTE);
    expect(mark).toMatchObject({ isAhead: true, settledAt: T + 10 * MINUTE });
  });

  it('believes what an operator confirms', () => {
    const confirmed = confirmedMark(T + YEAR);
    expect(jumpOf(nextMark(confirmed, T + YEAR + MINUTE), T + YEAR + MINUTE)).toBe(0);
  });
});
