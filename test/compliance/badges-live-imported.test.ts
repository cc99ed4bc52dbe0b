import { describe, expect, it, test } from 'vitest';
import { whyNotLive } from '../../src/compliance/badges/conditions.ts';
import { decideImport, standingsAfterAll } from '../../src/compliance/decide.ts';
import type { Badge } from '../../src/domain/badge.ts';
import type { KeptRun } from '../../src/records/runs/compliance-runs.ts';
import { DAY, FAILS, judgedRun, PASSES, START } from './support/judged-runs.ts';

/** A run on that day, made here or recorded elsewhere, that passes or fails. */
type Told = readonly [day: number, made: 'here' | 'elsewhere', result?: 'fails'];

const SETTINGS = {
  optedOut: false,
  monitoringPaused: false,
  lifecycleStage: 'production',
  checkIntervalHours: 12,
} as const;
const PROBES = { total: 168, healthy: 168 };
const NOT_SEEN = 'the agent has not been passing for 7 days in tests of this registry';
const NOT_TESTED = 'the agent was not tested in the last 8 days';

function runs(history: readonly Told[]): readonly KeptRun[] {
  return history.map(([day, made, result]) => {
    const judged = judgedRun(START + day * DAY, result === 'fails' ? FAILS : PASSES);
    return { ...judged, started_at: judged.finished_at, imported: made === 'elsewhere' };
  });
}

describe('the 7 days of the live axis are ones that this registry tested', () => {
  const table: readonly (readonly [string, readonly Told[], number, string | undefined])[] = [
    [
      'one imported run of 51 days ago and one of ours',
      [
        [0, 'elsewhere'],
        [51, 'here'],
      ],
      51,
      NOT_SEEN,
    ],
    [
      'imported runs alone',
      [
        [0, 'elsewhere'],
        [7, 'elsewhere'],
      ],
      7,
      NOT_SEEN,
    ],
    [
      'an imported run, and ours for just under 7 days',
      [
        [0, 'elsewhere'],
        [2, 'here'],
        [8, 'here'],
      ],
      8.9,
      NOT_SEEN,
    ],
    [
      'an imported run, and ours for 7 days',
      [
        [0, 'elsewhere'],
        [2, 'here'],
        [8, 'here'],
      ],
      9,
      undefined,
    ],
    [
      'ours for 7 days, with an imported run among them',
      [
        [0, 'here'],
        [3, 'elsewhere'],
        [7, 'here'],
      ],
      7,
      undefined,
    ],
    [
      'one of ours, and imported runs since',
      [
        [0, 'here'],
        [4, 'elsewhere'],
        [9, 'elsewhere'],
      ],
      9,
      NOT_TESTED,
    ],
    [
      'ours for 7 days, and an imported one after the last failure',
      [
        [0, 'here'],
        [9, 'here', 'fails'],
        [10, 'elsewhere'],
        [16, 'here'],
        [17, 'here'],
      ],
      17,
      NOT_SEEN,
    ],
    [
      'ours for 7 days after an imported failure',
      [
        [0, 'elsewhere', 'fails'],
        [1, 'here'],
        [8, 'here'],
      ],
      8,
      undefined,
    ],
    [
      'ours alone',
      [
        [0, 'here'],
        [7, 'here'],
      ],
      7,
      undefined,
    ],
  ];
  test.each(table)('%s', (_what, history, day, why) => {
    const now = START + day * DAY;
    const { standing } = standingsAfterAll(runs(history), now);
    expect(whyNotLive({ standing, settings: SETTINGS, probes: PROBES, now })).toBe(why);
  });

  it('so an import gives no axis, though it makes the streak longer', () => {
    const now = START + 51 * DAY;
    const history = runs([
      [0, 'elsewhere'],
      [51, 'here'],
    ]);
    const verified = { specialisms: ['sales-guaranteed'], protoVersion: '3.0.0', verifiedAt: now };
    const badge: Badge = {
      ...{ role: 'media-buy', line: '3.0', axes: ['spec'], graceSince: null, revokedAt: null },
      ...verified,
    };
    const after = decideImport({ now })({
      ...{ settings: SETTINGS, probes: PROBES, due: null, historyPruned: false, byBundle: {}, history },
      standing: standingsAfterAll(history.slice(1), now).standing,
      added: history.slice(0, 1),
      badges: [badge],
      owner: { member: 'acme', tier: 'builder', subscriptionStatus: 'active' },
    });
    expect(after.standing.streakDays).toBe(51);
    expect([after.badges, after.events]).toEqual([[badge], []]);
  });
});
