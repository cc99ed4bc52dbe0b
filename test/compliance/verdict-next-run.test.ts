import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EARLIER, nextRunAt } from '../../src/compliance/decide.ts';
import { foldRun } from '../../src/compliance/verdict/fold-run.ts';
import type { AgentSettings } from '../../src/domain/compliance.ts';
import { NEVER_RUN, runNowWait, type Standing } from '../../src/domain/standing.ts';
import {
  DRY,
  FAILS,
  HOUR,
  INCONCLUSIVE,
  judgedRun,
  MINUTE,
  NO_PROTOCOL,
  PARTIAL,
  PASSES,
  START,
  TIMED_OUT,
} from './support/judged-runs.ts';

const USUAL: AgentSettings = {
  optedOut: false,
  monitoringPaused: false,
  lifecycleStage: 'production',
  checkIntervalHours: 12,
};
const NO_CREDENTIAL = {
  ...INCONCLUSIVE,
  inconclusive: { reason: 'auth_required', detail: 'no credential is stored' },
} as const;

/** After these runs, a day between each; `now` is when the last one ended. */
function standingAfter(...runs: readonly Parameters<typeof judgedRun>[1][]): {
  standing: Standing;
  now: number;
} {
  const ends = runs.map((_, index) => START + index * 24 * HOUR);
  const fold = (standing: Standing, more: (typeof runs)[number], index: number) =>
    foldRun(standing, judgedRun(ends[index] ?? START, more), ends[index] ?? START);
  return { standing: runs.reduce<Standing>(fold, NEVER_RUN), now: ends.at(-1) ?? START };
}

/** Minutes from the end of the last run to the next. */
function minutes(runs: readonly Parameters<typeof judgedRun>[1][], settings: Partial<AgentSettings> = {}) {
  const { standing, now } = standingAfter(...runs);
  const next = nextRunAt({ standing, settings: { ...USUAL, ...settings }, due: null, now });
  return next === null ? null : (next - now) / MINUTE;
}

describe('the next run', () => {
  test.each([
    ['never tested: now', [], {}, 0],
    ['passed: the interval', [PASSES], {}, 720],
    ['failed: the interval', [FAILS], {}, 720],
    ["the owner's interval", [PASSES], { checkIntervalHours: 24 }, 1_440],
    ['no interval under 6 h', [PASSES], { checkIntervalHours: 1 }, 360],
    ['no interval over 168 h', [PASSES], { checkIntervalHours: 9_999 }, 10_080],
    ['an interval that is no number: 12 h', [PASSES], { checkIntervalHours: Number.NaN }, 720],
    ['away for the first time: a second look', [PASSES, TIMED_OUT], {}, 10],
    ['away for the second time: the interval', [TIMED_OUT, TIMED_OUT], {}, 720],
    ['away for the third time: doubled', [TIMED_OUT, TIMED_OUT, TIMED_OUT], {}, 1_440],
    ['away for long: every 48 h', Array.from({ length: 40 }, () => TIMED_OUT), {}, 2_880],
    [
      'away for long, with a longer interval: that',
      Array.from({ length: 40 }, () => TIMED_OUT),
      { checkIntervalHours: 168 },
      10_080,
    ],
    ['no agent there: the interval', [NO_PROTOCOL], {}, 720],
    ['back again: the interval', [TIMED_OUT, TIMED_OUT, PASSES], {}, 720],
    ['inconclusive: an hour', [PASSES, INCONCLUSIVE], {}, 60],
    ['inconclusive again: two hours', [INCONCLUSIVE, INCONCLUSIVE], {}, 120],
    ['inconclusive for long: the interval', Array.from({ length: 40 }, () => INCONCLUSIVE), {}, 720],
    ['no credential stored: the interval, as no haste helps', [NO_CREDENTIAL], {}, 720],
    ['opted out: never', [PASSES], { optedOut: true }, null],
    ['paused: never', [PASSES], { monitoringPaused: true }, null],
    ['in development: never', [PASSES], { lifecycleStage: 'development' }, null],
    ['deprecated: never', [PASSES], { lifecycleStage: 'deprecated' }, null],
    ['in testing: the interval', [PASSES], { lifecycleStage: 'testing' }, 720],
  ] as const)('%s', (_rule, runs, settings, expected) => {
    const found = minutes(runs, settings);
    if (expected === null || expected <= 360) return expect(found).toBe(expected);
    expect(found).toBeGreaterThanOrEqual(expected * (1 - EARLIER));
    expect(found).toBeLessThanOrEqual(expected);
  });

  it('spreads agents that were tested in one moment over the time before the end of their interval', () => {
    const minutesOf = (id: number) => {
      const at = START;
      const standing = foldRun(NEVER_RUN, { ...judgedRun(at, PASSES), run_id: `run ${id}` }, at);
      return ((nextRunAt({ standing, settings: USUAL, due: null, now: at }) ?? 0) - at) / MINUTE;
    };
    const tenths = Array.from({ length: 1_000 }, (_, id) => Math.floor((720 - minutesOf(id)) / 3.6));
    for (let tenth = 0; tenth < 10; tenth += 1)
      expect(tenths.filter((one) => one === tenth).length).toBeGreaterThan(50);
    expect(minutesOf(7)).toBe(minutesOf(7));
  });

  it.each([DRY, PARTIAL])('stays as it was after a run that is kept apart', (more) => {
    const { standing, now } = standingAfter(PASSES, more);
    const due = now + 3 * HOUR;
    expect(nextRunAt({ standing, settings: USUAL, due, now })).toBe(due);
  });

  it('does not let who was paused for a month jump the queue', () => {
    const { standing } = standingAfter(PASSES);
    const now = START + 30 * 24 * HOUR;
    expect(nextRunAt({ standing, settings: USUAL, due: null, now })).toBe(now);
  });

  it('leaves an agent that waits for its turn where it is in the queue, however often it is looked at', () => {
    const { standing } = standingAfter(PASSES);
    const now = START + 30 * 24 * HOUR;
    const due = now - 40 * HOUR;
    for (const before of [standing, NEVER_RUN])
      expect(nextRunAt({ standing: before, settings: USUAL, due, now })).toBe(due);
  });

  it('is now when it lies further ahead than any interval, as the clock was put back', () => {
    const now = START - 30 * 24 * HOUR;
    expect(nextRunAt({ standing: NEVER_RUN, settings: USUAL, due: START, now })).toBe(now);
  });

  it('never lies before now nor further away than a week, whatever the clock did', () => {
    const kinds = fc.array(fc.constantFrom(PASSES, TIMED_OUT, INCONCLUSIVE, NO_PROTOCOL), { maxLength: 9 });
    fc.assert(
      fc.property(
        kinds,
        fc.integer({ min: -90, max: 90 }),
        fc.integer(),
        (runs, days, checkIntervalHours) => {
          const { standing, now } = standingAfter(...runs);
          const then = now + days * 24 * HOUR;
          const next = nextRunAt({
            standing,
            settings: { ...USUAL, checkIntervalHours },
            due: null,
            now: then,
          });
          expect(next).toBeGreaterThanOrEqual(then);
          expect(next).toBeLessThanOrEqual(then + 168 * HOUR);
        },
      ),
    );
  });
});

describe('a run on demand', () => {
  test.each([
    ['right after another one', 0, 10],
    ['four minutes later', 4, 6],
    ['ten minutes later', 10, 0],
    ['after the clock was put back a little', -3, 10],
    ['after the clock was put back a day', -1_440, 0],
  ])('%s', (_rule, later, wait) => {
    const { standing, now } = standingAfter(PASSES);
    expect(runNowWait(standing, now + later * MINUTE) / MINUTE).toBe(wait);
  });

  it('may be the first', () => {
    expect(runNowWait(NEVER_RUN, START)).toBe(0);
  });
});
