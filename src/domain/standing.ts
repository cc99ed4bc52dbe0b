import type {
  InconclusiveReason,
  JudgedRun,
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
  /** Full checks since the latest that counts which ended at a closed door; absent for none. */
  readonly closed?: ClosedDoor | undefined;
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

/**
 * How a try ended; `partial` is a run of some storyboards only, `other_bundle` one with a bundle that does not decide about
 * the status.
 */
export type AttemptOutcome =
  | 'judged'
  | 'unreachable'
  | 'inconclusive'
  | 'dry_run'
  | 'partial'
  | 'other_bundle';

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

/** Checks in a row that were inconclusive by the agent's doing (`isClosedDoor`); times are epoch milliseconds. */
interface ClosedDoor {
  readonly since: number;
  readonly latest: number;
  readonly tries: number;
  /** The latest of them could not read the declaration; absent where a credential was missing. */
  readonly unread?: true;
}

/** From this many in a row, over this long, they fail badges (docs/reference/badges.md). */
const CLOSED_DOOR = { tries: 3, ms: 48 * 3_600_000 } as const;

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

/** Milliseconds until a run on demand is allowed; 0 when it is. The first one for an owner never waits. */
export function runNowWait(standing: Standing, now: number, provenAt?: number): number {
  if (isFirstTest(standing, provenAt)) return 0;
  const { lastAttempt } = standing;
  const wait = (lastAttempt?.at ?? Number.NEGATIVE_INFINITY) + RUN_NOW_COOLDOWN_MS - now;
  // a try that lies further ahead than this is of a clock that has been put back
  return wait > 2 * RUN_NOW_COOLDOWN_MS ? 0 : Math.min(Math.max(wait, 0), RUN_NOW_COOLDOWN_MS);
}

/** An owner that proves an agent by its API key has this long before the first scheduled test, to store a credential. */
export const FIRST_TEST_DELAY_MS = 60 * 60_000;

/** Whether the agent was never tested for the owner that proved it at `provenAt`. */
export function isFirstTest({ lastAttempt }: Standing, provenAt: number | undefined): boolean {
  return lastAttempt === null || (provenAt !== undefined && lastAttempt.at < provenAt);
}

/** Whether the last try came to nothing because no credential was there to try it with. */
export function lackedCredential({ lastAttempt }: Standing): boolean {
  return lastAttempt?.outcome === 'inconclusive' && lastAttempt.reason === 'auth_required';
}

/**
 * True for a full check, by the heartbeat or for the owner, that is inconclusive by the agent's doing: it requires a
 * credential that is not stored, or it does not answer for its declaration. Nobody keeps a badge that way. Manual checks
 * do not count: an operator may have forgotten to give a credential.
 */
export function isClosedDoor({ dry_run, partial, imported, trigger, inconclusive }: JudgedRun): boolean {
  const isWhole = !dry_run && partial !== true && imported !== true && trigger !== 'manual';
  if (!isWhole || inconclusive === undefined) return false;
  const { reason, lacks } = inconclusive;
  return reason === 'declaration_unread' || (reason === 'auth_required' && lacks === 'credential');
}

/** What follows from a run, at `at`: one more of them or none. A time in the future is of a clock that has been put back. */
export function closedAgain({ closed }: Standing, run: JudgedRun, at: number): Standing['closed'] {
  if (!isClosedDoor(run)) return closed;
  const isUnread = run.inconclusive?.reason === 'declaration_unread';
  return {
    since: Math.min(closed?.since ?? at, at),
    latest: at,
    tries: (closed?.tries ?? 0) + 1,
    ...(isUnread && { unread: true as const }),
  };
}

/** Why the agent's badges say nothing of it any more, as the end of a sentence; undefined while they do. */
export function whyClosed({ closed }: Standing): string | undefined {
  if (closed === undefined || closed.tries < CLOSED_DOOR.tries) return undefined;
  if (closed.latest - closed.since < CLOSED_DOOR.ms) return undefined;
  const since = new Date(closed.since).toISOString();
  const why =
    closed.unread === true
      ? 'could not read its capabilities'
      : 'failed because the agent required a credential that was not available';
  return `its last ${closed.tries} checks, since ${since}, ${why}`;
}

/** What this registry itself has tested of the passing series that a standing ends with; null for nothing. */
export function testedHere({ streakSince, latest, seen }: Standing): SeenRuns | null {
  if (streakSince === null || latest === null) return null;
  return seen === undefined ? { first: streakSince, latest: latest.at } : seen;
}

/** How many pass a storyboard is told of so many agents or more: of a handful it would tell what one of them does. */
export const FEWEST_TESTED = 5;
