import { backOffMs } from '../../base/back-off.ts';
import {
  type AgentSettings,
  DEFAULT_SETTINGS,
  INTERVAL_HOURS,
  isMonitored,
} from '../../domain/compliance.ts';
import type { InconclusiveReason } from '../../domain/judged-run.ts';
import { runNowWait, type Standing } from '../../domain/standing.ts';
import { fnv1a } from '../../domain/text.ts';

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

export interface NextRunInput {
  /** With the run that has just ended. */
  readonly standing: Standing;
  readonly settings: AgentSettings;
  /** When it was due before; a dry or partial run leaves it so. */
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
  const isAside = lastAttempt.outcome === 'dry_run' || lastAttempt.outcome === 'partial';
  if (isAside && due !== null) return due;
  const next = Math.min(lastAttempt.at, now) + delayOf(standing, settings);
  return next > now ? next : Math.min(due ?? now, now);
}

/**
 * The same where no run has ended, but the owner, the membership or the time has changed something: what is due stays due
 * (a new owner, an agent that is tested again, a stored credential), though no sooner than a run on demand would be
 * allowed. What is due by then stays so however often something changes until then.
 */
export function nextRunStill(input: NextRunInput): number | null {
  const { standing, due, now } = input;
  const next = nextRunAt(input);
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
