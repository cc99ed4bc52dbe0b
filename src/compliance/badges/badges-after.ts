import {
  BADGE_ROLES,
  type Badge,
  type BadgeEvent,
  type BadgeEventKind,
  type BadgeSettings,
  declaredLines,
  isActive,
  lineOf,
  type ProbeHistory,
} from '../../domain/badge.ts';
import type { JudgedRun } from '../../domain/judged-run.ts';
import { isClosedDoor, type Standing, whyClosed } from '../../domain/standing.ts';
import { counts } from '../verdict/fold-run.ts';
import { judgeRole, type MemberStanding, type TierTable, whyNoBadges, whyNotLive } from './conditions.ts';

export interface BadgeInput {
  /** Of one agent, revoked ones too. */
  readonly badges: readonly Badge[];
  /** After the run. */
  readonly standing: Standing;
  /** Absent when it was no run that changed something, but the owner, the membership or the time. */
  readonly run?: JudgedRun;
  /** After the run, with its bundle, where that does not decide about the agent's status; absent: `standing`. */
  readonly runStanding?: Standing;
  /** The lines that the agent is tested in. A badge of any other line enters its grace period. Absent: unknown, so no badge does. */
  readonly testedLines?: readonly string[];
  /** The member that owns the agent; absent when nobody has proven to. */
  readonly member?: MemberStanding;
  readonly settings: BadgeSettings;
  readonly probes: ProbeHistory;
  readonly tiers?: TierTable;
  readonly now: number;
  /** How far the time is settled: a grace that only a clock that jumped ahead has ended goes on. Absent: `now`. */
  readonly settled?: number;
}

export interface BadgeOutcome {
  /** Those that were given, changed or not, and the new ones behind them. */
  readonly badges: readonly Badge[];
  /** In the order in which they happened; empty when nothing changed. */
  readonly events: readonly BadgeEvent[];
}

/**
 * An agent's badges after a run, or after its owner, its membership or the time has changed something
 * (docs/reference/badges.md). A run that does not count (dry, partial, inconclusive, late, the first try that found nobody) changes
 * none, but for the last of many that the agent's door was closed to. Pure: repeating it with the same input and its own result changes nothing more.
 */
export function badgesAfter(input: BadgeInput): BadgeOutcome {
  const own = input.runStanding ?? input.standing;
  const run = input.run !== undefined && counts(input.run, own) ? input.run : undefined;
  const closed = closedBy(input);
  const { latest, lastAttempt } = own;
  const at = run !== undefined ? latest?.at : closed !== undefined ? lastAttempt?.at : undefined;
  const by = closed === undefined ? run : input.run;
  const moment: TransitionCause = { at: at ?? input.now, runId: by?.run_id ?? null };
  const steps = input.badges.map((badge) =>
    isActive(badge) ? transitionOf(badge, input, { run, closed }, moment) : unchanged(badge),
  );
  const kept = steps.map(({ badge }) => badge);
  const earned = run === undefined || forbidden(input) !== undefined ? [] : earn(kept, input, run, moment);
  const all = [...steps, ...earned];
  return { badges: all.map(({ badge }) => badge), events: all.flatMap(({ events }) => events) };
}

/** What becomes of one active badge. */
function transitionOf(
  badge: Badge,
  input: BadgeInput,
  { run, closed }: { readonly run: JudgedRun | undefined; readonly closed: string | undefined },
  moment: TransitionCause,
): BadgeTransition {
  const why = forbidden(input) ?? (run && noLongerDeclared(badge, run));
  if (why !== undefined) return revoke(badge, why, moment);
  const end = closed ?? (run && noLongerTested(badge, run, input.testedLines));
  const failed = end !== undefined && afterFailure(badge, end, moment, input.settled);
  const step = failed || (run === undefined ? unchanged(badge) : judged(badge, run, moment, input.settled));
  return isActive(step.badge) ? withLiveAxis(step, whyNotLive(input), moment) : step;
}

/** Why the run that has just ended fails all badges though it judges nothing; undefined when it does not. */
function closedBy({ run, standing }: BadgeInput): string | undefined {
  const isLast = run !== undefined && standing.lastAttempt?.runId === run.run_id;
  return isLast && isClosedDoor(run) ? whyClosed(standing) : undefined;
}

function judged(
  badge: Badge,
  run: JudgedRun,
  moment: TransitionCause,
  settled: number | undefined,
): BadgeTransition {
  const role = judgeRole(run, badge.role, badge.line);
  if (role.result === 'fail') return afterFailure(badge, role.why, moment, settled);
  if (role.result === 'silent') return unchanged(badge);
  return afterPass(badge, { specialisms: role.specialisms, protoVersion: run.proto_version ?? '' }, moment);
}

/** The active badges that a run fails if it counts. The first such run begins the grace of a badge. */
export function failingBadges(badges: readonly Badge[], run: JudgedRun): readonly Badge[] {
  return badges.filter(
    (badge) => isActive(badge) && judgeRole(run, badge.role, badge.line).result === 'fail',
  );
}

/** The roles that this run earns and that have no active badge of its line. */
function earn(
  kept: readonly Badge[],
  input: BadgeInput,
  run: JudgedRun,
  moment: TransitionCause,
): readonly BadgeTransition[] {
  const line = lineOf(run.proto_version);
  if (line === undefined) return [];
  const held = new Set(
    kept.filter((badge) => isActive(badge) && badge.line === line).map(({ role }) => role),
  );
  return BADGE_ROLES.filter((role) => !held.has(role)).flatMap((role) => {
    const verdict = judgeRole(run, role, line);
    if (verdict.result !== 'pass') return [];
    const { specialisms } = verdict;
    const axes = whyNotLive(input) === undefined ? (['spec', 'live'] as const) : (['spec'] as const);
    const badge: Badge = {
      ...{ role, line, axes, specialisms, protoVersion: run.proto_version ?? line },
      ...{ verifiedAt: moment.at, graceSince: null, revokedAt: null },
    };
    const reason = `Every declared specialism of ${role} passes: ${specialisms.join(', ')}.`;
    return [{ badge, events: [{ kind: 'earned', role, line, reason, ...moment }] }];
  });
}

/** What takes all badges at once, run or not. */
function forbidden({ settings, member, tiers }: BadgeInput): string | undefined {
  return settings.optedOut ? 'the owner opted out of tests' : whyNoBadges(member, tiers);
}

/** Why the line of the badge is no longer tested: the agent stopped declaring it, or no bundle of the line is in use. */
function noLongerTested(
  { line }: Badge,
  { verdict }: JudgedRun,
  testedLines: readonly string[] | undefined,
): string | undefined {
  if (testedLines === undefined || testedLines.includes(line) || !verdict.declaration_read) return undefined;
  const isDeclared = declaredLines(verdict.declared_versions ?? []).includes(line);
  return isDeclared
    ? `no bundle of ${line} is in use`
    : `the agent is tested with ${testedLines.join(', ')}, and does not declare ${line}`;
}

function noLongerDeclared(badge: Badge, { verdict }: JudgedRun): string | undefined {
  if (!verdict.declaration_read) return undefined;
  const gone = badge.specialisms.filter((specialism) => !verdict.declared_specialisms.includes(specialism));
  return gone.length === 0 ? undefined : `the agent no longer declares ${gone.join(', ')}`;
}

function unchanged(badge: Badge): BadgeTransition {
  return { badge, events: [] };
}

const HOUR = 3_600_000;

/** From the first failing run; the first failing run at or after its end revokes (docs/reference/badges.md). */
export const BADGE_GRACE_MS = 48 * HOUR;

/** When something happens to a badge, and by which run. */
interface TransitionCause {
  readonly at: number;
  readonly runId: string | null;
}

/** A badge after something happened, and what there is to tell of it. */
interface BadgeTransition {
  readonly badge: Badge;
  readonly events: readonly BadgeEvent[];
}

/** Ends a badge, whatever state it is in. `why` is the end of a sentence. */
function revoke(badge: Badge, why: string, moment: TransitionCause): BadgeTransition {
  const revoked = { ...badge, revokedAt: Math.max(moment.at, badge.verifiedAt) };
  return { badge: revoked, events: [event('revoked', badge, `Revoked: ${why}.`, moment)] };
}

/**
 * A failing run begins the grace; the first one 48 h or more after that ends the badge. A clock that is wrong ends none:
 * one that jumped ahead has not settled so much time, and one that is behind begins no grace before the settled time.
 */
export function afterFailure(
  badge: Badge,
  why: string,
  moment: TransitionCause,
  settled = moment.at,
): BadgeTransition {
  const latest = Math.max(moment.at, settled);
  if (badge.graceSince === null) {
    const reason = `In grace: ${why}; a run that fails at or after ${text(latest + BADGE_GRACE_MS)} revokes it.`;
    return { badge: { ...badge, graceSince: latest }, events: [event('grace', badge, reason, moment)] };
  }
  // a grace that lies in the future is of a clock that has been put back
  const graceSince = Math.min(badge.graceSince, latest);
  if (Math.min(moment.at, settled) - graceSince < BADGE_GRACE_MS)
    return { badge: { ...badge, graceSince }, events: [] };
  return revoke(badge, `${why}, and no run has passed since ${text(graceSince)}`, moment);
}

/** A passing run ends the grace and says what the badge is for now. */
function afterPass(
  badge: Badge,
  verified: Pick<Badge, 'specialisms' | 'protoVersion'>,
  moment: TransitionCause,
): BadgeTransition {
  const wasInGrace = badge.graceSince !== null;
  const hasGrown = verified.specialisms.join() !== badge.specialisms.join();
  const events = [
    ...(wasInGrace ? [event('recovered', badge, 'Every declared specialism passes again.', moment)] : []),
    ...(hasGrown
      ? [event('changed', badge, `The badge now covers ${verified.specialisms.join(', ')}.`, moment)]
      : []),
  ];
  return { badge: { ...badge, ...verified, graceSince: null }, events };
}

/** Gives or takes the `live` axis; `whyNot` is the end of a sentence, undefined when it is covered. */
function withLiveAxis(
  { badge, events }: BadgeTransition,
  whyNot: string | undefined,
  moment: TransitionCause,
): BadgeTransition {
  const isLive = badge.axes.includes('live');
  if (isLive === (whyNot === undefined)) return { badge, events };
  const reason =
    whyNot === undefined
      ? 'Live axis added: in production, healthy and passing for 7 days.'
      : `Live axis removed: ${whyNot}.`;
  const axes = whyNot === undefined ? (['spec', 'live'] as const) : (['spec'] as const);
  return { badge: { ...badge, axes }, events: [...events, event('changed', badge, reason, moment)] };
}

function event(
  kind: BadgeEventKind,
  { role, line }: Badge,
  reason: string,
  moment: TransitionCause,
): BadgeEvent {
  return { kind, role, line, reason, ...moment };
}

function text(at: number): string {
  return new Date(at).toISOString();
}
