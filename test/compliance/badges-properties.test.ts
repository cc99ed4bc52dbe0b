import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import { type Badge, isActive } from '../../src/domain/badge.ts';
import { type Circumstances, of, play, type Scene, shown, type Told, tell } from './support/badge-story.ts';
import { CLOSED, DAY, DRY, INCONCLUSIVE, NO_PROTOCOL, PARTIAL, TIMED_OUT } from './support/judged-runs.ts';

const result = fc.constantFrom('pass', 'fail', 'skipped', 'none');
const names = ['sales-guaranteed', 'sales-social', 'creative-template'] as const;
const declared = fc.record(
  { [names[0]]: result, [names[1]]: result, [names[2]]: result },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, 'pass' | 'fail' | 'skipped' | 'none'>>;
const version = fc.constantFrom('3.0.0', '3.0.1', '3.1.0', null);
const complete = fc.tuple(declared, version).map(([boards, proto_version]) => of(boards, { proto_version }));
const setAside = fc.constantFrom<Partial<FinishedRun>>(DRY, PARTIAL, INCONCLUSIVE);
const anyRun = fc.oneof(
  { weight: 6, arbitrary: complete },
  fc.constantFrom<Partial<FinishedRun> | null>(
    TIMED_OUT,
    NO_PROTOCOL,
    DRY,
    PARTIAL,
    INCONCLUSIVE,
    CLOSED,
    null,
  ),
);
const circumstances: fc.Arbitrary<Circumstances> = fc.record(
  {
    member: fc.constantFrom(null, { tier: 'leader', subscriptionStatus: 'canceled' }),
    settings: fc.record({
      optedOut: fc.boolean(),
      lifecycleStage: fc.constantFrom('testing' as const, 'production' as const),
    }),
    probes: fc.constantFrom({ total: 10, healthy: 10 }, { total: 10, healthy: 9 }),
  },
  { requiredKeys: [] },
);

/** Scenes in the order of time, up to three days apart. */
const story = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 * DAY }), anyRun, circumstances), { maxLength: 15 })
  .map((scenes): Scene[] => {
    let at = 0;
    return scenes.map(([wait, run, around]) => {
      at += wait;
      return [at, run, around] as const;
    });
  });
/** Scenes whose clock does as it likes. */
const wildStory = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 30 * DAY }), anyRun, circumstances) as fc.Arbitrary<Scene>,
  { maxLength: 15 },
);

/** What was told after each scene. */
function chapters(scenes: readonly Scene[]): readonly Told[] {
  return scenes.map((_, index) => tell(...scenes.slice(0, index + 1)));
}

function end(scenes: readonly Scene[]): number {
  return scenes.at(-1)?.[0] ?? 0;
}

describe('for any story', () => {
  it('a dry, partial or inconclusive run changes no badge and tells nothing', () => {
    fc.assert(
      fc.property(story, setAside, (scenes, more) => {
        const around = scenes.at(-1)?.[2] ?? {};
        // a moment later under the same circumstances, so that only the run can have changed something
        const before = play(tell(...scenes), [end(scenes), null, around]);
        const next = play(before, [end(scenes), { ...more, run_id: 'aside' }, around]);
        expect(next.badges).toEqual(before.badges);
        expect(next.events).toEqual(before.events);
      }),
    );
  });

  it('no badge is shown of an agent that opted out, or that no member owns', () => {
    fc.assert(
      fc.property(wildStory, anyRun, fc.integer({ min: 0, max: 30 * DAY }), (scenes, run, at) => {
        expect(shown(tell(...scenes, [at, run, { settings: { optedOut: true } }]))).toEqual([]);
        expect(shown(tell(...scenes, [at, run, { member: null }]))).toEqual([]);
      }),
    );
  });

  it('a revoked badge never changes again, and no badge is ever dropped', () => {
    fc.assert(
      fc.property(wildStory, (scenes) => {
        let before: readonly Badge[] = [];
        for (const { badges } of chapters(scenes)) {
          expect(badges.length).toBeGreaterThanOrEqual(before.length);
          before.forEach((badge, index) => {
            if (!isActive(badge)) expect(badges[index]).toEqual(badge);
          });
          before = badges;
        }
      }),
    );
  });

  it('there is one active badge at most for a role and a line', () => {
    fc.assert(
      fc.property(wildStory, (scenes) => {
        const active = tell(...scenes)
          .badges.filter(isActive)
          .map(({ role, line }) => `${role} ${line}`);
        expect(new Set(active).size).toBe(active.length);
      }),
    );
  });

  it('badges come and go only as the timeline says', () => {
    fc.assert(
      fc.property(wildStory, (scenes) => {
        const { badges, events } = tell(...scenes);
        const count = (kind: string) => events.filter((event) => event.kind === kind).length;
        expect(count('earned')).toBe(badges.length);
        expect(count('revoked')).toBe(badges.filter((badge) => !isActive(badge)).length);
      }),
    );
  });

  it('a badge that is earned or recovers was passed by that very run', () => {
    fc.assert(
      fc.property(story, (scenes) => {
        for (const { events, standing } of chapters(scenes)) {
          const last = events.at(-1);
          if (last?.kind !== 'earned' || last.runId !== standing.latest?.runId) continue;
          expect(Object.values(standing.latest?.verdict.specialism_status ?? {})).toContain('pass');
        }
      }),
    );
  });

  it('the live axis is shown only while the agent passes in production', () => {
    fc.assert(
      fc.property(wildStory, (scenes) => {
        const told = tell(...scenes);
        const isLive = told.badges.some((badge) => isActive(badge) && badge.axes.includes('live'));
        if (isLive) expect(told.standing.status).toBe('passing');
        if (isLive) expect(scenes.at(-1)?.[2]?.settings?.lifecycleStage ?? 'production').toBe('production');
      }),
    );
  });

  it('telling the last scene twice adds nothing', () => {
    fc.assert(
      fc.property(story, (scenes) => {
        const once = tell(...scenes);
        const last = scenes.at(-1);
        if (last === undefined) return;
        const twice = play(once, last);
        expect(twice.badges).toEqual(once.badges);
        expect(twice.events).toEqual(once.events);
        expect(twice.standing.streakDays).toBe(once.standing.streakDays);
      }),
    );
  });
});
