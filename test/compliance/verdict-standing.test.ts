import { describe, expect, test } from 'vitest';
import { foldRun } from '../../src/compliance/verdict/fold-run.ts';
import { NEVER_RUN, type Standing } from '../../src/domain/standing.ts';
import {
  CLOSED,
  DAY,
  DEGRADED,
  DRY,
  FAILS,
  GAP,
  HOUR,
  INCOMPLETE,
  INCONCLUSIVE,
  judgedRun,
  MINUTE,
  NO_PROTOCOL,
  PARTIAL,
  PASSES,
  START,
  TIMED_OUT,
} from './support/judged-runs.ts';
import { type Story, standingAfter } from './support/run-story.ts';

describe('the status of an agent', () => {
  test.each<readonly [string, Story, string]>([
    ['never tested', [], 'unknown'],
    ['a run that passes', [[0, PASSES]], 'passing'],
    [
      'a track fails',
      [
        [0, PASSES],
        [HOUR, DEGRADED],
      ],
      'degraded',
    ],
    [
      'all fail',
      [
        [0, PASSES],
        [HOUR, FAILS],
      ],
      'failing',
    ],
    ['a coverage gap', [[0, GAP]], 'degraded'],
    [
      'it passes again',
      [
        [0, FAILS],
        [HOUR, PASSES],
      ],
      'passing',
    ],
    ['a dry run alone', [[0, DRY]], 'unknown'],
    ['a partial run alone', [[0, PARTIAL]], 'unknown'],
    ['an inconclusive run alone', [[0, INCONCLUSIVE]], 'unknown'],
    [
      'a run in which nothing applied',
      [
        [0, PASSES],
        [HOUR, { storyboards: [] }],
      ],
      'passing',
    ],
    [
      'away once',
      [
        [0, PASSES],
        [HOUR, TIMED_OUT],
      ],
      'passing',
    ],
    ['away once, never tested before', [[0, TIMED_OUT]], 'unknown'],
    [
      'away twice within five minutes',
      [
        [0, PASSES],
        [HOUR, TIMED_OUT],
        [HOUR + 5 * MINUTE - 1, TIMED_OUT],
      ],
      'passing',
    ],
    [
      'away twice, five minutes apart',
      [
        [0, PASSES],
        [HOUR, TIMED_OUT],
        [HOUR + 5 * MINUTE, TIMED_OUT],
      ],
      'failing',
    ],
    [
      'away three times, the first and last five minutes apart',
      [
        [0, TIMED_OUT],
        [3 * MINUTE, TIMED_OUT],
        [5 * MINUTE, TIMED_OUT],
      ],
      'failing',
    ],
    [
      'away, there, and away',
      [
        [0, TIMED_OUT],
        [MINUTE, PASSES],
        [HOUR, TIMED_OUT],
      ],
      'passing',
    ],
    [
      'our own fault between two tries',
      [
        [0, TIMED_OUT],
        [MINUTE, INCONCLUSIVE],
        [HOUR, TIMED_OUT],
      ],
      'failing',
    ],
    ...[DRY, PARTIAL, CLOSED, { storyboards: [] }].map((between): readonly [string, Story, string] => [
      'away, there in a run that does not count, and away',
      [
        [0, PASSES],
        [HOUR, TIMED_OUT],
        [HOUR + MINUTE, between],
        [2 * HOUR, TIMED_OUT],
      ],
      'passing',
    ]),
    [
      'a dry run that found nobody',
      [
        [0, TIMED_OUT],
        [HOUR, { ...TIMED_OUT, dry_run: true }],
      ],
      'unknown',
    ],
    [
      'something answers that is no agent',
      [
        [0, PASSES],
        [HOUR, NO_PROTOCOL],
      ],
      'failing',
    ],
    [
      'down, then back',
      [
        [0, TIMED_OUT],
        [HOUR, TIMED_OUT],
        [2 * HOUR, PASSES],
      ],
      'passing',
    ],
  ])('%s', (_rule, story, status) => {
    expect(standingAfter(...story).status).toBe(status);
  });
});

describe('streak_days', () => {
  test.each<readonly [string, Story, number]>([
    ['the first run', [[0, PASSES]], 0],
    [
      'just under a day',
      [
        [0, PASSES],
        [DAY - 1, PASSES],
      ],
      0,
    ],
    [
      'a day',
      [
        [0, PASSES],
        [DAY, PASSES],
      ],
      1,
    ],
    [
      'runs in between make no difference',
      [
        [0, PASSES],
        [HOUR, PASSES],
        [3 * DAY + HOUR, PASSES],
      ],
      3,
    ],
    [
      '0 when the latest does not pass',
      [
        [0, PASSES],
        [3 * DAY, DEGRADED],
      ],
      0,
    ],
    [
      'a failure breaks the series',
      [
        [0, PASSES],
        [DAY, FAILS],
        [2 * DAY, PASSES],
        [4 * DAY, PASSES],
      ],
      2,
    ],
    [
      'an inconclusive run does not break it',
      [
        [0, PASSES],
        [DAY, INCONCLUSIVE],
        [2 * DAY, PASSES],
      ],
      2,
    ],
    [
      'an inconclusive run does not lengthen it',
      [
        [0, PASSES],
        [DAY, PASSES],
        [9 * DAY, INCONCLUSIVE],
      ],
      1,
    ],
    [
      'one try that found nobody does not break it',
      [
        [0, PASSES],
        [DAY, TIMED_OUT],
        [2 * DAY, PASSES],
      ],
      2,
    ],
  ])('%s', (_rule, story, days) => {
    expect(standingAfter(...story).streakDays).toBe(days);
  });
});

describe('the times', () => {
  test.each<readonly [string, Story, Partial<Standing>]>([
    ['a pass', [[0, PASSES]], { lastPassedAt: START, lastFailedAt: null, statusChangedAt: START }],
    [
      'a failure',
      [
        [0, PASSES],
        [HOUR, FAILS],
      ],
      { lastPassedAt: START, lastFailedAt: START + HOUR, statusChangedAt: START + HOUR },
    ],
    [
      'the same again',
      [
        [0, FAILS],
        [HOUR, FAILS],
      ],
      { lastFailedAt: START + HOUR, statusChangedAt: START },
    ],
    ['an incomplete storyboard', [[0, INCOMPLETE]], { lastPassedAt: null, lastFailedAt: null }],
    ['degraded by a failure', [[0, DEGRADED]], { lastPassedAt: null, lastFailedAt: START }],
    [
      'degraded by a gap: nothing failed',
      [[0, GAP]],
      { lastPassedAt: null, lastFailedAt: null, statusChangedAt: START },
    ],
    ['an agent that is none', [[0, NO_PROTOCOL]], { lastPassedAt: null, lastFailedAt: START }],
    [
      'a try that found nobody',
      [
        [0, PASSES],
        [HOUR, TIMED_OUT],
      ],
      { lastFailedAt: null, statusChangedAt: START },
    ],
  ])('%s', (_rule, story, expected) => {
    expect(standingAfter(...story)).toMatchObject(expected);
  });
});

describe('the most recent check', () => {
  const said = (word: string) => ({
    trigger: 'manual' as const,
    notices: [{ code: word, severity: 'info', message: word }],
  });
  const manual = { ...said('new') };
  test.each<readonly [string, Story, string | undefined]>([
    [
      'a partial run',
      [
        [0, PASSES],
        [HOUR, { ...PARTIAL, ...manual }],
      ],
      'new',
    ],
    [
      'an inconclusive run',
      [
        [0, PASSES],
        [HOUR, { ...INCONCLUSIVE, ...manual }],
      ],
      'new',
    ],
    ['the first of all, inconclusive', [[0, { ...INCONCLUSIVE, ...manual }]], 'new'],
    [
      'a first try that did not reach it',
      [
        [0, PASSES],
        [HOUR, { ...TIMED_OUT, ...manual }],
      ],
      'new',
    ],
    [
      'no dry run',
      [
        [0, PASSES],
        [HOUR, { ...DRY, ...manual }],
      ],
      undefined,
    ],
    [
      'not one before a run that counts',
      [
        [0, { ...PARTIAL, ...manual }],
        [HOUR, PASSES],
      ],
      undefined,
    ],
    [
      'not an older one that comes late',
      [
        [DAY, PASSES],
        [HOUR, { ...PARTIAL, ...manual }],
      ],
      undefined,
    ],
    [
      'still the newest, when a run that counts is added from before it',
      [
        [DAY, { ...PARTIAL, ...manual }],
        [HOUR, PASSES],
      ],
      'new',
    ],
  ])('is %s', (_rule, story, word) => {
    const { recent, latest } = story.reduce(
      (standing, [at, more]) => foldRun(standing, judgedRun(START + at, more), START + 2 * DAY),
      NEVER_RUN,
    );
    expect(recent?.notices[0]?.code).toBe(word);
    expect(recent?.trigger).toBe(word === undefined ? undefined : 'manual');
    if (story.length > 1) expect(latest?.trigger).toBe('heartbeat');
  });
});
