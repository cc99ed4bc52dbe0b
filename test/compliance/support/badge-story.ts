import { badgesAfter } from '../../../src/compliance/badges/badges-after.ts';
import type { MemberStanding } from '../../../src/compliance/badges/conditions.ts';
import { type AfterRun, afterRun } from '../../../src/compliance/decide.ts';
import type { FinishedRun } from '../../../src/compliance/run-result.ts';
import { type Badge, type BadgeEvent, isActive, type ProbeHistory } from '../../../src/domain/badge.ts';
import type { AgentSettings } from '../../../src/domain/compliance.ts';
import { NEVER_RUN, type Standing } from '../../../src/domain/standing.ts';
import { board, declaring, judgedRun, START } from './judged-runs.ts';

/** What may differ from an agent in production, of a member that earns badges. */
export interface Circumstances {
  readonly member?: MemberStanding | null;
  readonly settings?: Partial<AgentSettings>;
  readonly probes?: ProbeHistory;
}

/** An agent after some of its story: what a store would hold. */
export interface Told {
  readonly standing: Standing;
  readonly badges: readonly Badge[];
  readonly events: readonly BadgeEvent[];
  readonly due: number | null;
}

/** A moment of a story, `at` from the start: a run, or with `run` null no run but other circumstances. */
export type Scene = readonly [at: number, run: Partial<FinishedRun> | null, circumstances?: Circumstances];

const USUAL: AgentSettings = {
  optedOut: false,
  monitoringPaused: false,
  lifecycleStage: 'production',
  checkIntervalHours: 12,
};
const BUILDER: MemberStanding = { tier: 'builder', subscriptionStatus: 'active' };
const HEALTHY: ProbeHistory = { total: 168, healthy: 168 };

/** Plays scene after scene, each at its own time. */
export function tell(...scenes: readonly Scene[]): Told {
  const untold: Told = { standing: NEVER_RUN, badges: [], events: [], due: null };
  return scenes.reduce(play, untold);
}

export function play(told: Told, [at, run, circumstances = {}]: Scene): Told {
  const next = run === null ? quiet(told, at, circumstances) : ran(told, at, run, circumstances);
  return { ...next, events: [...told.events, ...next.events] };
}

/** The active badges, in short. */
export function shown({ badges }: Told): readonly string[] {
  return badges
    .filter(isActive)
    .map(({ role, line, graceSince }) => `${role} ${line}${graceSince === null ? '' : ' in grace'}`);
}

/** What happened, in short. */
export function timeline({ events }: Told): readonly string[] {
  return events.map(({ kind }) => kind);
}

/** A run of an agent that declares these, each with what its storyboard came to; `none` has no storyboard. */
export function of(
  specialisms: Readonly<Record<string, 'pass' | 'fail' | 'incomplete' | 'skipped' | 'none'>>,
  more: Partial<FinishedRun> = {},
): Partial<FinishedRun> {
  const boards = Object.entries(specialisms).flatMap(([specialism, result]) =>
    result === 'none' ? [] : [board(specialism.replaceAll('-', '_'), 'media_buy', result)],
  );
  return {
    agent: declaring(...Object.keys(specialisms)),
    storyboards: [board('core', 'core', 'pass'), ...boards],
    ...more,
  };
}

function ran(told: Told, at: number, run: Partial<FinishedRun>, circumstances: Circumstances): Told {
  const judged = judgedRun(START + at, run);
  const given = { ...told, ...around(circumstances), run: judged, now: START + at };
  const { standing, badges, events, nextRunAt }: AfterRun = afterRun(given);
  return { standing, badges, events, due: nextRunAt };
}

function quiet(told: Told, at: number, circumstances: Circumstances): Told {
  return { ...told, ...badgesAfter({ ...told, ...around(circumstances), now: START + at }) };
}

function around({ member = BUILDER, settings = {}, probes = HEALTHY }: Circumstances) {
  return { ...(member !== null && { member }), settings: { ...USUAL, ...settings }, probes };
}
