import { backOffMs } from '../base/back-off.ts';
import { type AgentSettings, DEFAULT_SETTINGS, INTERVAL_HOURS, isMonitored } from '../domain/compliance.ts';
import type { InconclusiveReason, JudgedRun } from '../domain/judged-run.ts';
import {
  type AttemptOutcome,
  FIRST_TEST_DELAY_MS,
  isFirstTest,
  NEVER_RUN,
  runNowWait,
  type Standing,
} from '../domain/standing.ts';
import { fnv1a } from '../domain/text.ts';
import type { OwnerStanding } from '../records/runs/compliance-state.ts';
import type {
  ComplianceAfter,
  ComplianceBefore,
  ImportBefore,
  StandingsByBundle,
} from '../records/runs/compliance-store.ts';
import { type BadgeInput, type BadgeOutcome, badgesAfter } from './badges/badges-after.ts';
import type { TierTable } from './badges/conditions.ts';
import { counts, foldRun, withAttempt } from './verdict/fold-run.ts';
import { byText } from './verdict/verdict.ts';

interface AfterRunInput extends Omit<BadgeInput, 'run' | 'runStanding' | 'settings'> {
  readonly run: JudgedRun;
  /** Before the run. */
  readonly standing: Standing;
  /** With each bundle, before the run; absent: with none. */
  readonly byBundle?: StandingsByBundle;
  readonly settings: AgentSettings;
  /** When the heartbeat was to come; null for never. */
  readonly due: number | null;
}

export interface AfterRun extends BadgeOutcome {
  readonly standing: Standing;
  readonly nextRunAt: number | null;
  readonly byBundle: StandingsByBundle;
}

/** What decisions are made under: the moment, and the tiers that grant badges where they are not the usual ones. */
export interface DecideOptions {
  readonly now: number;
  /** How far the time is settled (ports/clock.ts): no badge is revoked by a clock that has jumped ahead. Absent: `now`. */
  readonly settled?: number;
  readonly tiers?: TierTable;
}

interface DecideRunOptions extends DecideOptions, Pick<BadgeInput, 'testedLines'> {}

/** What a finished run changes; for `records.compliance.saveRun`. */
export function decideRun(run: JudgedRun, { testedLines, ...options }: DecideRunOptions) {
  return (before: ComplianceBefore): ComplianceAfter => {
    const { settings, due, byBundle } = before;
    const about = {
      settings,
      run,
      due,
      byBundle,
      ...(testedLines && { testedLines }),
    };
    return ofOwned(before, afterRun({ ...inputOf(before, options), ...about }));
  };
}

/**
 * The change after another bundle decides an agent's status: the standing of its latest run with that bundle. Without such
 * a run, and while the agent is unreachable, nothing changes until the next run. Badges stay: only runs begin a grace period.
 */
export function decideBundle(version: string, options: DecideOptions) {
  return (before: ComplianceBefore): ComplianceAfter => {
    const isAway = before.standing.away !== null;
    const standing = isAway ? before.standing : standingWith(version, before);
    const kept = keptAside(before, standing);
    return { ...decided(before, standing, options), byBundle: kept };
  };
}

type Standings = Pick<ComplianceBefore, 'standing' | 'byBundle'>;

/** The standing with this bundle, or the current one if the agent was never tested with it. All bundles share the tries. */
function standingWith(version: string, { standing, byBundle }: Standings): Standing {
  const own = Object.hasOwn(byBundle, version) ? byBundle[version] : undefined;
  if (own === undefined || standing.latest?.protoVersion === version) return standing;
  const { lastAttempt, away, closed } = standing;
  return { ...own, lastAttempt, away, closed };
}

/** The standing with the previous bundle, to be stored if the new one is of another bundle and no later run has replaced it. */
function keptAside({ standing, byBundle }: Standings, after: Standing): StandingsByBundle {
  const { latest } = standing;
  const version = latest?.protoVersion ?? undefined;
  if (latest === null || version === undefined || after.latest?.protoVersion === version) return {};
  const own = Object.hasOwn(byBundle, version) ? byBundle[version] : undefined;
  return (own?.latest?.at ?? latest.at) > latest.at ? {} : { [version]: standing };
}

/**
 * What the owner, the membership or the time has changed; for `records.compliance.reconsider` after every change of
 * settings, ownership or subscription.
 */
export function decideChange(options: DecideOptions) {
  return (before: ComplianceBefore): ComplianceAfter => decided(before, before.standing, options);
}

/**
 * What runs recorded elsewhere change: the standing that the whole history gives, or what they add to the one that is
 * there when older runs were pruned. They earn no badge: nobody here has seen their steps.
 */
export function decideImport(options: DecideOptions) {
  return (before: ImportBefore): ComplianceAfter => {
    const { historyPruned, added, standing } = before;
    const after = historyPruned
      ? added.reduce((stands, run) => foldRun(stands, run, options.now), standing)
      : standingAfterImport(before, options.now);
    const version = after.latest?.protoVersion ?? undefined;
    const byBundle = {
      ...keptAside(before, after),
      ...(version !== undefined && { [version]: after }),
    };
    return { ...decided(before, after, options), byBundle };
  };
}

/** By the whole history, with the bundle that decides about the agent, unless an imported run is the latest of all. */
function standingAfterImport({ standing, history, added }: ImportBefore, now: number): Standing {
  const after = standingsAfterAll(history, now);
  const version = standing.latest?.protoVersion ?? undefined;
  const isNew = added.some((run) => counts(run, after.standing));
  return isNew || version === undefined ? after.standing : standingWith(version, after);
}

/** The standings that a whole history gives, in whatever order it comes. */
export function standingsAfterAll(history: readonly JudgedRun[], now: number): Standings {
  const oldestFirst = history.toSorted(
    (one, other) =>
      Date.parse(one.finished_at) - Date.parse(other.finished_at) || byText(one.run_id, other.run_id),
  );
  return oldestFirst.reduce<Standings>(
    (before, run) => {
      const { standing, byBundle } = standingsAfter(run, before, now);
      return { standing, byBundle: { ...before.byBundle, ...byBundle } };
    },
    { standing: NEVER_RUN, byBundle: {} },
  );
}

function decided(before: ComplianceBefore, standing: Standing, options: DecideOptions): ComplianceAfter {
  const { settings, due, owner } = before;
  return ofOwned(before, {
    standing,
    ...badgesAfter({ ...inputOf(before, options), standing }),
    nextRunAt: nextRunStill({ standing, settings, due, now: options.now }, owner?.provenAt),
  });
}

/** The heartbeat comes to agents with a proven owner only (docs/operating/heartbeat.md). */
function ofOwned({ owner }: ComplianceBefore, after: ComplianceAfter): ComplianceAfter {
  return owner === undefined ? { ...after, nextRunAt: null } : after;
}

function inputOf(before: ComplianceBefore, { now, settled, tiers }: DecideOptions): Omit<BadgeInput, 'run'> {
  const { badges, standing, settings, probes, owner } = before;
  return {
    ...{ badges, standing, settings, probes, now },
    ...(owner && { member: memberOf(owner) }),
    ...(settled !== undefined && { settled }),
    ...(tiers && { tiers }),
  };
}

function memberOf({ tier, subscriptionStatus }: OwnerStanding) {
  return {
    ...(tier !== undefined && { tier }),
    ...(subscriptionStatus !== undefined && { subscriptionStatus }),
  };
}

/** All that a finished run changes, to be stored in one transaction: standing, badges with their events, the next run. */
export function afterRun(input: AfterRunInput): AfterRun {
  const { run, settings, badges, due, now, byBundle: known = {} } = input;
  const { standing, own, byBundle } = standingsAfter(run, { standing: input.standing, byBundle: known }, now);
  if (run.role === undefined)
    return {
      standing,
      ...badgesAfter({ ...input, standing }),
      nextRunAt: nextRunAt({ standing, settings, due, now }),
      byBundle,
    };
  const outcome = run.role === 'line' ? badgesAfter({ ...input, runStanding: own }) : { badges, events: [] };
  return { standing, ...outcome, nextRunAt: due, byBundle };
}

/** Where the agent stands after a run, and with which bundles it stands otherwise; `own` is with that of the run. */
function standingsAfter(run: JudgedRun, before: Standings, now: number): Standings & { own: Standing } {
  const version = run.proto_version;
  if (run.role !== undefined) return standingsAfterOther(run, before, now);
  // an agent that could not be tested is the same with every bundle
  const isTested = version !== null && run.outcome === 'complete';
  const standing = foldRun(isTested ? standingWith(version, before) : before.standing, run, now);
  const isKept = version !== null && counts(run, standing);
  const byBundle = { ...keptAside(before, standing), ...(isKept && { [version]: standing }) };
  return { standing, own: standing, byBundle };
}

/** With another bundle than the one that decides about the status. */
function standingsAfterOther(
  run: JudgedRun,
  { standing, byBundle }: Standings,
  now: number,
): Standings & { own: Standing } {
  const version = run.proto_version;
  const known = version !== null && Object.hasOwn(byBundle, version) ? byBundle[version] : undefined;
  const own = foldRun(known ?? NEVER_RUN, run, now);
  // tries that did not reach the agent add up
  const isKept = counts(run, own) || (own.latest !== null && run.outcome === 'unreachable');
  return {
    standing: withAttempt(standing, run, now),
    own,
    byBundle: version !== null && isKept ? { [version]: own } : {},
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Before the second try of an agent that could not be reached: more than the five minutes that it needs. */
const SECOND_TRY_MS = 10 * MINUTE;
/** A run that failed by our own fault is repeated after this, doubled each time up to the interval. */
const INCONCLUSIVE_RETRY_MS = HOUR;
/** An agent that is down is looked at no more rarely than this, or than its own interval if that is longer. */
const LONGEST_BACK_OFF_MS = 48 * HOUR;
/**
 * A run comes up to this part of its interval earlier, by its predecessor's id, and no sooner than the least interval:
 * agents that came due together do not stay in step.
 */
export const EARLIER = 0.05;

/** Another try will not help before somebody has done something about these. */
const NOT_SOONER: readonly (InconclusiveReason | null)[] = ['auth_required', 'request_budget'];

/** Tries that leave the time of the next one as it was. */
const ASIDE: readonly AttemptOutcome[] = ['dry_run', 'partial', 'other_bundle'];

interface NextRunInput {
  /** With the run that has just ended. */
  readonly standing: Standing;
  readonly settings: AgentSettings;
  /** When it was due before; a dry or partial run leaves it so, and one with another bundle. */
  readonly due: number | null;
  readonly now: number;
}

/**
 * When the heartbeat comes back, in epoch milliseconds, or null for never; the only place that knows. After a run that
 * counts the interval; sooner when it was inconclusive; a second try of an agent that could not be reached, and once it
 * is known to be down the interval, doubled with each further try. Who is
 * overdue keeps its place in the queue; who was not due at all, as it was paused, gets the last one.
 */
export function nextRunAt({ standing, settings, now, ...input }: NextRunInput): number | null {
  if (!isMonitored(settings)) return null;
  const { lastAttempt } = standing;
  // what lies further ahead than any interval is of a clock that has been put back
  const due = input.due !== null && input.due > now + INTERVAL_HOURS.max * HOUR ? null : input.due;
  if (lastAttempt === null) return due ?? now;
  const isAside = ASIDE.includes(lastAttempt.outcome);
  if (isAside && due !== null) return due;
  const next = Math.min(lastAttempt.at, now) + delayOf(standing, settings);
  return next > now ? next : Math.min(due ?? now, now);
}

/**
 * The same where no run has ended, but the owner, the membership or the time has changed something: what is due stays due
 * (a new owner, an agent that is tested again, a stored credential), though no sooner than a run on demand would be
 * allowed. What is due by then stays so however often something changes until then. The first test for an owner stays at
 * the time that the proof gave it, also when the agent was tested before for somebody else.
 */
function nextRunStill(input: NextRunInput, provenAt: number | undefined): number | null {
  const { standing, due, now } = input;
  const next = nextRunAt(input);
  if (
    next !== null &&
    due !== null &&
    isFirstTest(standing, provenAt) &&
    due > now &&
    due <= now + FIRST_TEST_DELAY_MS
  )
    return due;
  const waitMs = runNowWait(standing, now);
  if (next === null || due === null || due > now + waitMs) return next;
  return Math.min(next, waitMs === 0 ? due : now + waitMs);
}

function delayOf({ lastAttempt, latest, away }: Standing, { checkIntervalHours }: AgentSettings): number {
  const interval = intervalMs(checkIntervalHours);
  if (lastAttempt?.outcome === 'inconclusive' && !NOT_SOONER.includes(lastAttempt.reason))
    return backOffMs(lastAttempt.inRow, INCONCLUSIVE_RETRY_MS, interval);
  const spread = (ms: number) => spreadBy(lastAttempt?.runId ?? '', ms);
  if (lastAttempt?.outcome !== 'unreachable' || away === null) return spread(interval);
  const isConfirmed = latest?.runId === lastAttempt.runId;
  if (!isConfirmed) return SECOND_TRY_MS;
  // the second try only confirms the first
  const furtherTries = Math.max(away.tries - 1, 1);
  return spread(backOffMs(furtherTries, interval, Math.max(LONGEST_BACK_OFF_MS, interval)));
}

function spreadBy(runId: string, ms: number): number {
  return Math.max(Math.round(ms * (1 - EARLIER * shareOf(runId))), INTERVAL_HOURS.min * HOUR);
}

/** From 0 to 1, evenly over many texts (the hash's bits are mixed once more), and always the same for one. */
function shareOf(text: string): number {
  const hash = fnv1a(text);
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 2 ** 32;
}

function intervalMs(hours: number): number {
  const { min, max } = INTERVAL_HOURS;
  const wanted = Number.isFinite(hours) ? hours : DEFAULT_SETTINGS.checkIntervalHours;
  return Math.min(Math.max(wanted, min), max) * HOUR;
}
