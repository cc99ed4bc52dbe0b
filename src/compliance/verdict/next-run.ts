import type { LifecycleStage } from '../../domain/compliance.ts';
import type { InconclusiveReason } from '../run-result.ts';
import type { Standing } from './standing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Hours between two runs of the heartbeat (rulings, "heartbeat"). */
export const CHECK_INTERVAL_HOURS = { least: 6, default: 12, most: 168 } as const;
/** Before the second look at an agent that could not be reached: more than the five minutes that it needs. */
export const SECOND_LOOK_MS = 10 * MINUTE;
/** A run that failed by our own fault is repeated after this, doubled each time up to the interval. */
export const INCONCLUSIVE_RETRY_MS = HOUR;
/** An agent that is down is looked at no more rarely than this, or than its own interval if that is longer. */
export const LONGEST_BACK_OFF_MS = 48 * HOUR;
/** Between any run and the next one on demand. */
export const RUN_NOW_COOLDOWN_MS = 10 * MINUTE;

/** Another try will not help before somebody has done something about these. */
const NOT_SOONER: readonly (InconclusiveReason | null)[] = ['auth_required', 'request_budget'];

export interface CheckSettings {
  readonly optedOut: boolean;
  readonly monitoringPaused: boolean;
  readonly lifecycleStage: LifecycleStage;
  readonly checkIntervalHours: number;
}

export interface NextRunInput {
  /** With the run that has just ended. */
  readonly standing: Standing;
  readonly settings: CheckSettings;
  /** When it was due before; a dry or partial run leaves it so. */
  readonly due: number | null;
  readonly now: number;
}

/**
 * When the heartbeat comes back, in epoch milliseconds, or null for never; the only place that knows. After a run that
 * counts the interval; sooner when it was inconclusive; a second look at an agent that could not be reached, and once it
 * is known to be down the interval, doubled with each further try. Never before `now`, so that who was paused does not jump the queue.
 */
export function nextRunAt({ standing, settings, due, now }: NextRunInput): number | null {
  if (!isMonitored(settings)) return null;
  const { lastAttempt } = standing;
  if (lastAttempt === null) return Math.max(due ?? now, now);
  const isAside = lastAttempt.outcome === 'dry_run' || lastAttempt.outcome === 'partial';
  if (isAside && due !== null) return due;
  return Math.max(Math.min(lastAttempt.at, now) + delayOf(standing, settings), now);
}

/** True for agents that the heartbeat tests at all. */
export function isMonitored({ optedOut, monitoringPaused, lifecycleStage }: CheckSettings): boolean {
  return !optedOut && !monitoringPaused && (lifecycleStage === 'testing' || lifecycleStage === 'production');
}

/** Milliseconds until a run on demand is allowed; 0 when it is. */
export function runNowWait({ lastAttempt }: Standing, now: number): number {
  const wait = (lastAttempt?.at ?? Number.NEGATIVE_INFINITY) + RUN_NOW_COOLDOWN_MS - now;
  // a try that lies further ahead than this is of a clock that has been put back
  return wait > 2 * RUN_NOW_COOLDOWN_MS ? 0 : Math.min(Math.max(wait, 0), RUN_NOW_COOLDOWN_MS);
}

function delayOf({ lastAttempt, latest, away }: Standing, { checkIntervalHours }: CheckSettings): number {
  const interval = intervalMs(checkIntervalHours);
  if (lastAttempt?.outcome === 'inconclusive' && !NOT_SOONER.includes(lastAttempt.reason))
    return Math.min(INCONCLUSIVE_RETRY_MS * 2 ** (lastAttempt.inRow - 1), interval);
  if (lastAttempt?.outcome !== 'unreachable' || away === null) return interval;
  const isConfirmed = latest?.runId === lastAttempt.runId;
  if (!isConfirmed) return SECOND_LOOK_MS;
  return Math.min(interval * 2 ** Math.max(away.tries - 2, 0), Math.max(LONGEST_BACK_OFF_MS, interval));
}

function intervalMs(hours: number): number {
  const { least, default: usual, most } = CHECK_INTERVAL_HOURS;
  return Math.min(Math.max(Number.isFinite(hours) ? hours : usual, least), most) * HOUR;
}
