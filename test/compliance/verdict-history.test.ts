import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingsAfterAll } from '../../src/compliance/decide.ts';
import { counts, foldRun } from '../../src/compliance/verdict/fold-run.ts';
import { type JudgedRun, NOTHING_RECORDED } from '../../src/domain/judged-run.ts';
import { NEVER_RUN } from '../../src/domain/standing.ts';
import {
  board,
  DAY,
  DEGRADED,
  DRY,
  declaring,
  FAILS,
  GAP,
  HOUR,
  INCONCLUSIVE,
  judgedRun,
  NO_PROTOCOL,
  PARTIAL,
  PASSES,
  START,
  TIMED_OUT,
} from './support/judged-runs.ts';
import { standingAfter } from './support/run-story.ts';

describe('what stays from before', () => {
  it('is what the agent declared, when it can no longer be asked', () => {
    const agent = declaring('sales-guaranteed');
    const storyboards = [board('sales_guaranteed', 'media_buy', 'pass')];
    const standing = standingAfter([0, { agent, storyboards }], [HOUR, NO_PROTOCOL]);
    expect(standing.latest?.verdict).toMatchObject({
      declared_specialisms: ['sales-guaranteed'],
      specialism_status: { 'sales-guaranteed': 'untested' },
    });
  });

  it('is when a storyboard last passed, and when it last ran', () => {
    const skipped = { storyboards: [board('core', 'core', 'pass'), board('buy', 'media_buy', 'skipped')] };
    const passed = { storyboards: [board('core', 'core', 'pass'), board('buy', 'media_buy', 'pass')] };
    const failed = { storyboards: [board('core', 'core', 'pass'), board('buy', 'media_buy', 'fail')] };
    const [buy] = standingAfter([0, passed], [HOUR, failed], [2 * HOUR, skipped]).storyboards;
    expect(buy).toMatchObject({
      storyboard_id: 'buy',
      last_passed_at: new Date(START).toISOString(),
      last_tested_at: new Date(START + HOUR).toISOString(),
    });
  });

  it('is no notice and no observation of an earlier run', () => {
    const noisy = { observations: [{ category: 'latency', severity: 'info', message: 'slow' }] };
    expect(standingAfter([0, noisy], [HOUR, PASSES]).latest?.verdict.observations).toEqual([]);
    expect(standingAfter([0, noisy], [HOUR, DRY]).latest?.verdict.observations).toHaveLength(1);
  });
});

describe('imported runs', () => {
  const legacy: JudgedRun = {
    ...{ run_id: 'old', finished_at: new Date(START).toISOString(), trigger: null, dry_run: false },
    ...{ outcome: 'complete', requested_compliance_target: null, proto_version: null },
    verdict: { ...NOTHING_RECORDED, status: 'passing', tracks: { core: 'pass' } },
  };

  it('keep their nulls', () => {
    expect(foldRun(NEVER_RUN, legacy, START + DAY)).toMatchObject({
      status: 'passing',
      latest: { at: START, trigger: null, requestedTarget: null, protoVersion: null },
    });
  });

  it('do not overwrite a newer run, and still tell when it last passed', () => {
    const standing = standingAfter([DAY, FAILS]);
    expect(foldRun(standing, legacy, START + 2 * DAY)).toEqual({ ...standing, lastPassedAt: START });
  });

  it('give the same standing in any order, when the whole history is computed', () => {
    const runs = [PASSES, FAILS, INCONCLUSIVE, TIMED_OUT, TIMED_OUT, PASSES, DRY].map((more, index) =>
      judgedRun(START + index * HOUR, more),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(runs, { minLength: runs.length }), (shuffled) => {
        expect(standingsAfterAll(shuffled, START + DAY)).toEqual(standingsAfterAll(runs, START + DAY));
      }),
    );
  });

  it('do not hide a later pass or failure', () => {
    const standing = standingAfter([DAY, PASSES], [2 * DAY, FAILS], [3 * DAY, PASSES]);
    for (const more of [PASSES, FAILS])
      expect(foldRun(standing, judgedRun(START, more), START + 4 * DAY)).toEqual(standing);
  });

  it('that found nobody, before the agent was there, are no first try', () => {
    const standing = standingAfter([DAY, PASSES]);
    expect(foldRun(standing, judgedRun(START, TIMED_OUT), START + 2 * DAY)).toEqual(standing);
  });

  it('that found nobody count once, however often they come', () => {
    const first = judgedRun(START, TIMED_OUT);
    const ours = judgedRun(START + HOUR + 1, INCONCLUSIVE);
    const second = judgedRun(START + HOUR, TIMED_OUT);
    const down = [first, first, second, second, ours].reduce(
      (one, run) => foldRun(one, run, START + DAY),
      NEVER_RUN,
    );
    expect(down.away).toEqual({ since: START, tries: 2 });
    expect(foldRun(down, second, START + DAY)).toEqual(down);
  });

  it('change nothing when they come twice', () => {
    const standing = standingAfter([0, PASSES], [DAY, FAILS]);
    expect(foldRun(standing, judgedRun(START + DAY, FAILS), START + 2 * DAY)).toEqual(standing);
  });

  it('with a time that is none change nothing', () => {
    expect(foldRun(NEVER_RUN, { ...legacy, finished_at: 'soon' }, START)).toEqual(NEVER_RUN);
  });
});

describe('a clock that jumps', () => {
  it('back: the next run counts, and no time stays in the future', () => {
    const ahead = standingAfter([0, PASSES], [30 * DAY, PASSES]);
    const run = judgedRun(START + DAY, FAILS);
    const standing = foldRun(ahead, run, START + DAY);
    expect(standing).toMatchObject({ status: 'failing', streakDays: 0, lastPassedAt: START + DAY });
    expect(counts(run, standing)).toBe(true);
  });

  it('back: the streak is counted from the true beginning', () => {
    const standing = standingAfter([0, PASSES], [30 * DAY, PASSES], [2 * DAY, PASSES]);
    expect(standing.streakDays).toBe(2);
  });

  it('back: a series that began in the future begins with the next run', () => {
    expect(standingAfter([30 * DAY, PASSES], [DAY, PASSES], [3 * DAY, PASSES]).streakDays).toBe(2);
  });

  it('back: an old run that is brought in then is old all the same', () => {
    const ahead = standingAfter([30 * DAY, PASSES]);
    expect(foldRun(ahead, judgedRun(START, FAILS), START + 20 * DAY)).toEqual({
      ...ahead,
      lastFailedAt: START,
    });
  });

  it('ahead elsewhere: a run that says /finished_at is in the future ended now', () => {
    const standing = foldRun(NEVER_RUN, judgedRun(START + 900 * DAY), START);
    expect(standing.latest?.at).toBe(START);
  });
});

describe('for any story', () => {
  const kind = fc.constantFrom(
    PASSES,
    FAILS,
    DEGRADED,
    GAP,
    TIMED_OUT,
    NO_PROTOCOL,
    INCONCLUSIVE,
    DRY,
    PARTIAL,
  );
  const gap = fc.integer({ min: 1, max: 3 * DAY });
  const story = fc.array(fc.tuple(gap, kind), { maxLength: 12 }).map((steps) => {
    let at = 0;
    return steps.map(([wait, more]) => {
      at += wait;
      return [at, more] as const;
    });
  });

  it('a dry, partial or inconclusive run changes the last attempt, the most recent check, and nothing else that is shown', () => {
    fc.assert(
      fc.property(story, fc.constantFrom(DRY, PARTIAL, INCONCLUSIVE), gap, (steps, more, wait) => {
        const standing = standingAfter(...steps);
        const at = START + (steps.at(-1)?.[0] ?? 0) + wait;
        const next = foldRun(standing, judgedRun(at, more), at);
        const shown = { lastAttempt: null, away: null, recent: null };
        expect({ ...next, ...shown }).toEqual({ ...standing, ...shown });
        expect(next.lastAttempt?.at).toBe(at);
        expect(next.recent?.at).toBe(more === DRY ? standing.recent?.at : at);
      }),
    );
  });

  it('the streak is never longer than the time since the first run', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const standing = standingAfter(...steps);
        const elapsed = (steps.at(-1)?.[0] ?? 0) - (steps[0]?.[0] ?? 0);
        expect(standing.streakDays * DAY).toBeLessThanOrEqual(elapsed);
        expect(standing.streakDays).toBeGreaterThanOrEqual(0);
        if (standing.status !== 'passing') expect(standing.streakDays).toBe(0);
      }),
    );
  });

  it('with a clock that does as it likes, no time is later than the latest hour that it showed', () => {
    const wild = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 * DAY }), kind), { maxLength: 12 });
    fc.assert(
      fc.property(wild, (steps) => {
        const standing = standingAfter(...steps);
        const latest = START + Math.max(0, ...steps.map(([at]) => at));
        const times = [
          standing.statusChangedAt,
          standing.lastPassedAt,
          standing.lastFailedAt,
          standing.streakSince,
        ];
        for (const time of times) expect(time ?? latest).toBeLessThanOrEqual(latest);
        expect(standing.streakDays).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
