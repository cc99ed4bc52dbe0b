import { describe, expect, it, test } from 'vitest';
import { afterFailure, BADGE_GRACE_MS } from '../../src/compliance/badges/badges-after.ts';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { Badge } from '../../src/domain/badge.ts';
import { of, type Scene, shown, tell, timeline } from './support/badge-story.ts';
import {
  board,
  CLOSED,
  DAY,
  DRY,
  declaring,
  FAILS,
  HOUR,
  INCONCLUSIVE,
  MINUTE,
  NO_PROTOCOL,
  PARTIAL,
  START,
  TIMED_OUT,
  UNREAD,
} from './support/judged-runs.ts';

const PASS = of({ 'sales-guaranteed': 'pass' });
const FAIL = of({ 'sales-guaranteed': 'fail' });
const SKIPPED = of({ 'sales-guaranteed': 'skipped' });
const BADGE = 'media-buy 3.0';
const IN_GRACE = 'media-buy 3.0 in grace';
const lost = (subscriptionStatus: string) => ({ member: { tier: 'builder', subscriptionStatus } });

describe('a badge is earned', () => {
  test.each<readonly [string, Scene, readonly string[]]>([
    ['when the specialism passes', [0, PASS], [BADGE]],
    [
      'when every declared one of the role passes',
      [0, of({ 'sales-guaranteed': 'pass', 'sales-social': 'pass' })],
      [BADGE],
    ],
    ['not when one of them fails', [0, of({ 'sales-guaranteed': 'pass', 'sales-social': 'fail' })], []],
    [
      'not when one of them was skipped',
      [0, of({ 'sales-guaranteed': 'pass', 'sales-social': 'skipped' })],
      [],
    ],
    ['not when one of them is incomplete', [0, of({ 'sales-guaranteed': 'incomplete' })], []],
    [
      'not when one of them has no storyboard',
      [0, of({ 'sales-guaranteed': 'pass', 'sales-social': 'none' })],
      [],
    ],
    [
      'for each role by itself',
      [0, of({ 'sales-guaranteed': 'fail', 'creative-template': 'pass', 'signal-owned': 'pass' })],
      ['creative 3.0', 'signals 3.0'],
    ],
    ['not for a specialism that is in no catalogue', [0, of({ 'measurement-panel': 'pass' })], []],
    ['not for a name that every object has', [0, of(Object.fromEntries([['constructor', 'pass']]))], []],
    ['not by an agent that declares none', [0, of({})], []],
    [
      'although another track of the agent fails',
      [
        0,
        of(
          { 'signal-owned': 'pass' },
          { storyboards: [board('core', 'core', 'fail'), board('signal_owned', 'signals', 'pass')] },
        ),
      ],
      ['signals 3.0'],
    ],
    ['for the line of the bundle', [0, { ...PASS, proto_version: '3.1.0-beta.2' }], ['media-buy 3.1']],
    ['not by a run without a version', [0, { ...PASS, proto_version: null }], []],
    ['not by a dry run', [0, { ...PASS, dry_run: true }], []],
    ['not by a partial run', [0, { ...PASS, partial: true }], []],
    ['not by an inconclusive run', [0, { ...PASS, ...INCONCLUSIVE, storyboards: PASS.storyboards! }], []],
    ['not without an owner', [0, PASS, { member: null }], []],
    [
      'not by a tier that grants none',
      [0, PASS, { member: { tier: 'explorer', subscriptionStatus: 'active' } }],
      [],
    ],
    [
      'not by a tier that is in no table',
      [0, PASS, { member: { tier: 'toString', subscriptionStatus: 'active' } }],
      [],
    ],
    ['not without a tier', [0, PASS, { member: { subscriptionStatus: 'active' } }], []],
    ['not without a subscription', [0, PASS, { member: { tier: 'builder' } }], []],
    ['not by a subscription that has ended', [0, PASS, lost('canceled')], []],
    ['while a payment is late', [0, PASS, lost('past_due')], [BADGE]],
    ['while the subscription is on trial', [0, PASS, lost('trialing')], [BADGE]],
    ['not by an agent that has opted out', [0, PASS, { settings: { optedOut: true } }], []],
  ])('%s', (_rule, scene, badges) => {
    expect(shown(tell(scene))).toEqual(badges);
  });
});

describe('an earned badge', () => {
  const kept: readonly (readonly [string, Scene])[] = [
    ['a dry run that fails', [DAY, { ...FAIL, ...DRY, agent: FAIL.agent! }]],
    ['a partial run that fails', [DAY, { ...FAIL, ...PARTIAL, agent: FAIL.agent! }]],
    ['an inconclusive run', [DAY, { ...INCONCLUSIVE, agent: declaring() }]],
    ['one try that found nobody', [DAY, TIMED_OUT]],
    [
      'an older run that is brought in later',
      [DAY, { ...FAIL, finished_at: new Date(START - DAY).toISOString() }],
    ],
    ['a late payment', [DAY, PASS, lost('past_due')]],
    ['a failure of another role', [DAY, of({ 'sales-guaranteed': 'pass', 'signal-owned': 'fail' })]],
    [
      'a new specialism that we cannot test',
      [DAY, of({ 'sales-guaranteed': 'pass', 'sales-social': 'none' })],
    ],
    ['a failing run of another line', [DAY, { ...FAIL, proto_version: '3.1.0' }]],
    ['paused monitoring', [DAY, null, { settings: { monitoringPaused: true } }]],
  ];
  test.each(kept)('is not touched by %s', (_rule, scene) => {
    const before = tell([0, PASS]);
    expect(tell([0, PASS], scene).badges).toEqual(before.badges);
  });

  const grace: readonly (readonly [string, readonly Scene[]])[] = [
    ['a failing run', [[DAY, FAIL]]],
    [
      'a failure of one of its specialisms',
      [[DAY, of({ 'sales-guaranteed': 'pass', 'sales-social': 'fail' })]],
    ],
    ['a storyboard that can no longer run', [[DAY, SKIPPED]]],
    ['a storyboard that is incomplete', [[DAY, of({ 'sales-guaranteed': 'incomplete' })]]],
    ['an agent that answers no protocol', [[DAY, NO_PROTOCOL]]],
    [
      'an agent that is down',
      [
        [DAY, TIMED_OUT],
        [DAY + HOUR, TIMED_OUT],
      ],
    ],
    [
      'an agent that does not say what it declares',
      [[DAY, { ...FAILS, agent: { ...declaring(), capabilities_unread: true } }]],
    ],
    [
      'a failing run short of 48 h after the first',
      [
        [DAY, FAIL],
        [DAY + BADGE_GRACE_MS - 1, FAIL],
      ],
    ],
    [
      'no run at all after 48 h',
      [
        [DAY, FAIL],
        [9 * DAY, null],
      ],
    ],
    [
      'an inconclusive run after 48 h',
      [
        [DAY, FAIL],
        [9 * DAY, INCONCLUSIVE],
      ],
    ],
    [
      'one try that found nobody after 48 h',
      [
        [DAY, FAIL],
        [9 * DAY, TIMED_OUT],
      ],
    ],
  ];
  test.each(grace)('is in grace after %s', (_rule, scenes) => {
    expect(shown(tell([0, PASS], ...scenes))).toEqual([IN_GRACE]);
  });

  const gone: readonly (readonly [string, readonly Scene[]])[] = [
    [
      'the first failing run 48 h after the first one',
      [
        [DAY, FAIL],
        [DAY + BADGE_GRACE_MS, FAIL],
      ],
    ],
    [
      'a failing run long after, with none in between',
      [
        [DAY, FAIL],
        [30 * DAY, FAIL],
      ],
    ],
    [
      'an agent that is down for 48 h',
      [
        [DAY, TIMED_OUT],
        [DAY + HOUR, TIMED_OUT],
        [DAY + HOUR + BADGE_GRACE_MS, TIMED_OUT],
      ],
    ],
    ['opting out', [[DAY, null, { settings: { optedOut: true } }]]],
    ['a lost tier', [[DAY, null, { member: { tier: 'explorer', subscriptionStatus: 'active' } }]]],
    ['a subscription that ends', [[DAY, null, lost('canceled')]]],
    ['an owner who is none any more', [[DAY, null, { member: null }]]],
    ['a specialism no longer declared', [[DAY, of({})]]],
    [
      'opting out while in grace',
      [
        [DAY, FAIL],
        [DAY + HOUR, null, { settings: { optedOut: true } }],
      ],
    ],
    ['an inconclusive run of who opted out', [[DAY, INCONCLUSIVE, { settings: { optedOut: true } }]]],
  ];
  test.each(gone)('is revoked by %s', (_rule, scenes) => {
    const told = tell([0, PASS], ...scenes);
    expect(shown(told)).toEqual([]);
    expect(timeline(told).at(-1)).toBe('revoked');
  });

  describe.each<readonly [string, Partial<FinishedRun>, string]>([
    [
      'requires a credential',
      CLOSED,
      'failed because the agent required a credential that was not available',
    ],
    ['does not answer for its declaration', UNREAD, 'could not read its capabilities'],
  ])('of an agent that %s', (_kind, aCheck, because) => {
    const OURS = {
      ...CLOSED,
      inconclusive: { reason: 'auth_required', detail: 'no signing key', lacks: 'signing_key' },
    } as const;
    const closed = (...days: readonly number[]): Scene[] => days.map((day) => [day * DAY, aCheck]);
    test.each<readonly [string, readonly Scene[], readonly string[]]>([
      ['stays while it is less than 48 h', closed(1, 2, 2.9), [BADGE]],
      ['stays after two checks, however long it is', closed(1, 30), [BADGE]],
      ['is in grace after three checks over 48 h', closed(1, 2, 3), [IN_GRACE]],
      ['is in grace until 48 h after that', closed(1, 2, 3, 4.9), [IN_GRACE]],
      ['is revoked then', closed(1, 2, 3, 5), []],
      ['is revoked where it was in grace before', [[DAY, FAIL], ...closed(2, 3, 4)], []],
      ['recovers when the door opens', [...closed(1, 2, 3), [4 * DAY, PASS]], [BADGE]],
      [
        'begins anew after a check that counts',
        [...closed(1, 2), [2.5 * DAY, PASS], ...closed(3, 4)],
        [BADGE],
      ],
      [
        'is not kept by dry, partial or silent checks in between',
        [
          ...closed(1, 2),
          [2.1 * DAY, DRY],
          [2.2 * DAY, PARTIAL],
          [2.3 * DAY, TIMED_OUT],
          [2.4 * DAY, INCONCLUSIVE],
          ...closed(3),
        ],
        [IN_GRACE],
      ],
      [
        'stays when only parts were checked',
        [1, 2, 3, 4].map((day): Scene => [day * DAY, { ...aCheck, partial: true }]),
        [BADGE],
      ],
      [
        'stays when an operator checks it by hand',
        [1, 2, 3, 4].map((day): Scene => [day * DAY, { ...aCheck, trigger: 'manual' }]),
        [BADGE],
      ],
      [
        'stays when our own network fails for a month',
        Array.from({ length: 60 }, (_, index): Scene => [(index + 2) * (DAY / 2), INCONCLUSIVE]),
        [BADGE],
      ],
      [
        'stays while the key that we lack is ours',
        [1, 2, 3, 5, 9].map((day): Scene => [day * DAY, OURS]),
        [BADGE],
      ],
    ])('%s', (_rule, scenes, badges) => {
      expect(shown(tell([0, PASS], ...scenes))).toEqual(badges);
    });

    it('says why, and loses the live axis with its grace', () => {
      const week = Array.from({ length: 9 }, (_, day): Scene => [day * DAY, PASS]);
      const told = tell(...week, ...closed(9, 10, 11));
      expect(tell(...week).badges).toMatchObject([{ axes: ['spec', 'live'] }]);
      expect(told.badges).toMatchObject([{ axes: ['spec'], revokedAt: null }]);
      expect(told.standing.status).toBe('passing');
      const since = new Date(START + 9 * DAY).toISOString();
      const why = `its last 3 checks, since ${since}, ${because}`;
      expect(told.events.slice(-2).map(({ reason }) => reason)).toEqual([
        expect.stringContaining(`In grace: ${why}; a run that fails`),
        `Live axis removed: ${why}.`,
      ]);
      expect(told.events.at(-1)).toMatchObject({ runId: told.standing.lastAttempt?.runId });
      expect(tell(...week, ...closed(9, 10, 11), [11 * DAY + HOUR, null]).badges).toEqual(told.badges);
    });
  });

  it('is in grace after three such checks of either kind, by the reason of the latest', () => {
    const told = tell([0, PASS], [DAY, CLOSED], [2 * DAY, UNREAD], [3 * DAY, UNREAD]);
    expect(shown(told)).toEqual([IN_GRACE]);
    expect(told.events.at(-1)?.reason).toContain('could not read its capabilities');
  });

  it('is not revoked by a clock that jumped ahead, however many runs fail by it', () => {
    const { badges } = tell([0, PASS], [DAY, FAIL]);
    const judge = (settled: number) =>
      badges.map((badge) =>
        afterFailure(badge, 'it fails', { at: START + 366 * DAY, runId: 'x' }, START + settled),
      );
    expect(judge(DAY + HOUR).map(({ badge, events }) => [badge.revokedAt, events])).toEqual([[null, []]]);
    expect(judge(3 * DAY).map(({ events }) => events.map(({ kind }) => kind))).toEqual([['revoked']]);
  });

  it('has its whole grace when that began by a clock that was a year behind', () => {
    const [badge] = tell([0, PASS]).badges;
    const fail = (given: Badge, at: number, settled: number) =>
      afterFailure(given, 'it fails', { at: START + at, runId: 'x' }, START + settled).badge;
    const begun = fail(badge as Badge, -365 * DAY, DAY);
    expect(begun.graceSince).toBe(START + DAY);
    const again = fail(begun, -365 * DAY + HOUR, DAY + HOUR);
    expect(again).toMatchObject({ graceSince: START + DAY, revokedAt: null });
    expect(fail(again, 2 * DAY, 2 * DAY).revokedAt).toBeNull();
    expect(fail(again, 3 * DAY, 3 * DAY).revokedAt).not.toBeNull();
  });

  it('of any line falls when the agent is down', () => {
    const told = tell([0, PASS], [HOUR, { ...PASS, proto_version: '3.1.0' }], [DAY, NO_PROTOCOL]);
    expect(shown(told)).toEqual([IN_GRACE, 'media-buy 3.1 in grace']);
  });

  it('recovers in grace, and keeps the day on which it was earned', () => {
    const told = tell([0, PASS], [DAY, FAIL], [2 * DAY, PASS]);
    expect(shown(told)).toEqual([BADGE]);
    expect(timeline(told)).toEqual(['earned', 'grace', 'recovered']);
    expect(told.badges[0]?.verifiedAt).toBe(tell([0, PASS]).badges[0]?.verifiedAt);
  });

  it('has a whole grace again after it recovered', () => {
    const told = tell([0, PASS], [DAY, FAIL], [2 * DAY, PASS], [4 * DAY, FAIL], [5 * DAY, FAIL]);
    expect(shown(told)).toEqual([IN_GRACE]);
  });

  it('names a specialism that was added and passes', () => {
    const told = tell([0, PASS], [DAY, of({ 'sales-guaranteed': 'pass', 'sales-social': 'pass' })]);
    expect(told.badges[0]?.specialisms).toEqual(['sales-guaranteed', 'sales-social']);
    expect(told.events[1]?.reason).toBe('The badge now covers sales-guaranteed, sales-social.');
  });

  it('for two specialisms, of which one is no longer declared, is another badge', () => {
    const told = tell([0, of({ 'sales-guaranteed': 'pass', 'sales-social': 'pass' })], [DAY, PASS]);
    expect(timeline(told)).toEqual(['earned', 'revoked', 'earned']);
    expect(told.badges.map(({ revokedAt }) => revokedAt === null)).toEqual([false, true]);
  });

  it('stays revoked until it is earned anew, as another badge', () => {
    const optedOut = [DAY, null, { settings: { optedOut: true } }] as const;
    expect(shown(tell([0, PASS], optedOut, [2 * DAY, null]))).toEqual([]);
    const told = tell([0, PASS], optedOut, [2 * DAY, null], [3 * DAY, PASS]);
    expect(shown(told)).toEqual([BADGE]);
    expect(told.badges).toHaveLength(2);
  });
});

describe('the timeline', () => {
  it('says in one sentence each why the badge came, wavered and went', () => {
    const told = tell([0, PASS], [DAY, FAIL], [DAY + BADGE_GRACE_MS, FAIL]);
    expect(told.events.map(({ reason }) => reason)).toEqual([
      'Every declared specialism of media-buy passes: sales-guaranteed.',
      'In grace: sales-guaranteed does not pass; a run that fails at or after 2026-01-04T00:00:00.000Z revokes it.',
      'Revoked: sales-guaranteed does not pass, and no run has passed since 2026-01-02T00:00:00.000Z.',
    ]);
  });

  it('tells what failed from what could not be tested', () => {
    const half = of({ 'sales-guaranteed': 'fail', 'sales-social': 'skipped' });
    expect(tell([0, PASS], [DAY, half]).events.at(-1)?.reason).toContain(
      'In grace: sales-guaranteed does not pass, and sales-social could not be tested completely; ',
    );
  });

  it('names the run, where it was one', () => {
    const told = tell([0, PASS], [DAY, null, { settings: { optedOut: true } }]);
    expect(told.events.map(({ runId, reason }) => [runId !== null, reason])).toEqual([
      [true, 'Every declared specialism of media-buy passes: sales-guaranteed.'],
      [false, 'Revoked: the owner opted out of tests.'],
    ]);
  });
});

describe('a clock that is put back', () => {
  it('ends no grace early', () => {
    const told = tell([0, PASS], [30 * DAY, FAIL], [DAY, FAIL], [DAY + MINUTE, FAIL]);
    expect(shown(told)).toEqual([IN_GRACE]);
  });

  it('does not make a grace last for ever', () => {
    const told = tell([0, PASS], [30 * DAY, FAIL], [DAY, FAIL], [3 * DAY, FAIL]);
    expect(shown(told)).toEqual([]);
  });
});
