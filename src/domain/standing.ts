import type {
  InconclusiveReason,
  JudgedStatus,
  RunNotice,
  RunObservation,
  RunTrigger,
  StoryboardStatus,
  Verdict,
} from './judged-run.ts';

/** Between any run and the next one on demand. */
const RUN_NOW_COOLDOWN_MS = 10 * 60_000;

/** Where an agent stands after all its runs; times are epoch milliseconds, null where there is none. */
export interface Standing {
  readonly status: JudgedStatus;
  /** Since when it has that status; null before the first run that counts. */
  readonly statusChangedAt: number | null;
  /** The latest run that counts: what the compliance operation shows. */
  readonly latest: LatestRun | null;
  /**
   * The most recent check that was no dry run, where it is newer than `latest` and did not count: an inconclusive or a
   * partial one, or a first try that did not reach the agent. Absent: `latest` is the most recent.
   */
  readonly recent?: RecentCheck | undefined;
  /** The first run of the unbroken series of passing runs; null when the latest does not pass. */
  readonly streakSince: number | null;
  /**
   * The part of that series that was tested here, where some of its runs were recorded elsewhere: null for none of it.
   * Absent when all of them were made here.
   */
  readonly seen?: SeenRuns | null | undefined;
  /** Whole periods of 24 h from `streakSince` to the latest run. */
  readonly streakDays: number;
  readonly lastPassedAt: number | null;
  /** The latest run in which something failed; a coverage gap alone is none. */
  readonly lastFailedAt: number | null;
  /** The latest result of each storyboard of the latest run, by id. */
  readonly storyboards: readonly StoryboardStatus[];
  /** The latest try of any kind, also one that changes nothing else. */
  readonly lastAttempt: Attempt | null;
  /** Tries in a row that did not reach the agent; null when the last that counts did. */
  readonly away: Away | null;
}

/** Runs of a passing series that this registry made; epoch milliseconds. */
export interface SeenRuns {
  readonly first: number;
  readonly latest: number;
}

interface LatestRun {
  readonly runId: string;
  readonly at: number;
  readonly trigger: RunTrigger | null;
  readonly requestedTarget: string | null;
  readonly protoVersion: string | null;
  /** Where the agent could not be asked what it declares: with the specialisms that it last declared, untested. */
  readonly verdict: Verdict;
}

/** What is shown of a check that changes no status (specification, 2.5: `triggered_by`, `notices`, `observations`). */
export interface RecentCheck {
  readonly at: number;
  readonly trigger: RunTrigger | null;
  readonly notices: readonly RunNotice[];
  readonly observations: readonly RunObservation[];
}

/** How a try ended; `partial` is a run of some storyboards only. */
export type AttemptOutcome = 'judged' | 'unreachable' | 'inconclusive' | 'dry_run' | 'partial';

interface Attempt {
  readonly runId: string;
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly reason: InconclusiveReason | null;
  /** Tries in a row that ended so, this one included. */
  readonly inRow: number;
}

interface Away {
  readonly since: number;
  readonly tries: number;
}

/** An agent that was never tested. */
export const NEVER_RUN: Standing = {
  status: 'unknown',
  statusChangedAt: null,
  latest: null,
  streakSince: null,
  streakDays: 0,
  lastPassedAt: null,
  lastFailedAt: null,
  storyboards: [],
  lastAttempt: null,
  away: null,
};

/** Milliseconds until a run on demand is allowed; 0 when it is. */
export function runNowWait({ lastAttempt }: Standing, now: number): number {
  const wait = (lastAttempt?.at ?? Number.NEGATIVE_INFINITY) + RUN_NOW_COOLDOWN_MS - now;
  // a try that lies further ahead than this is of a clock that has been put back
  return wait > 2 * RUN_NOW_COOLDOWN_MS ? 0 : Math.min(Math.max(wait, 0), RUN_NOW_COOLDOWN_MS);
}

/** Whether the last try came to nothing because no credential was there to try it with. */
export function lackedCredential({ lastAttempt }: Standing): boolean {
  return lastAttempt?.outcome === 'inconclusive' && lastAttempt.reason === 'auth_required';
}
