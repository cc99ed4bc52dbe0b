import type { JudgedRun } from '../../domain/judged-run.ts';
import { type AttemptOutcome, NEVER_RUN, type Standing } from '../../domain/standing.ts';
import { countRun, hasFailure } from './count-run.ts';
import { byText } from './tracks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Between two tries that find an agent unreachable, before it fails (rulings, "inconclusive, in detail"). */
export const UNREACHABLE_GAP_MS = 5 * MINUTE;

/**
 * The agent's standing after a finished run. Only a complete run counts, and an unreachable one when it confirms
 * another; a dry, partial or inconclusive run changes the last attempt and nothing that is shown. A run older than the latest
 * (an import) changes no more than `lastPassedAt` and `lastFailedAt`. No time that it sets is later than `now`.
 */
export function foldRun(previous: Standing, run: JudgedRun, now: number): Standing {
  const at = Math.min(Date.parse(run.finished_at), now);
  if (Number.isNaN(at) || previous.lastAttempt?.runId === run.run_id) return previous;
  const standing = attempted(previous, run, at, now);
  if (outcomeOf(run) === 'judged' && run.verdict.status !== 'unknown') return judged(standing, run, at, now);
  if (outcomeOf(run) === 'unreachable') return missed(standing, run, at, now);
  return isThere(run) && standing.lastAttempt?.runId === run.run_id ? { ...standing, away: null } : standing;
}

/** The standing that a whole history gives, in whatever order it comes: what an import computes. */
export function standingAfterAll(runs: readonly JudgedRun[], now: number): Standing {
  const inOrder = runs.toSorted(
    (one, other) =>
      Date.parse(one.finished_at) - Date.parse(other.finished_at) || byText(one.run_id, other.run_id),
  );
  return inOrder.reduce((standing, run) => foldRun(standing, run, now), NEVER_RUN);
}

/** True when the run is the one that the standing shows, so that it counts for badges too. */
export function counts(run: JudgedRun, standing: Standing): boolean {
  return standing.latest?.runId === run.run_id;
}

function judged(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  if (isLate(standing, run, at, now)) return remembered(standing, run, at);
  return { ...countRun(standing, run, at), away: null };
}

/** It could not be tested. The first try is not held against it; a protocol that is not there needs no second look. */
function missed(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  if (isLate(standing, run, at, now)) return standing;
  const since = Math.min(standing.away?.since ?? at, at);
  const away = { since, tries: (standing.away?.tries ?? 0) + 1 };
  const isCertain = isDefinite(run) || at - since >= UNREACHABLE_GAP_MS;
  return { ...(isCertain ? countRun(standing, run, at) : standing), away };
}

/** The agent has answered, so that a try before found it away by chance, though the run says nothing else of it. */
function isThere({ outcome, inconclusive }: JudgedRun): boolean {
  return outcome === 'complete' || inconclusive?.reason === 'auth_required';
}

/** Something answers there, and it is no agent. */
function isDefinite({ unreachable }: JudgedRun): boolean {
  return unreachable?.error_class === 'wrong_path' || unreachable?.error_class === 'not_protocol';
}

/** True for a run that must not overwrite the latest: it is older, or it is the same. */
function isLate({ latest }: Standing, run: JudgedRun, at: number, now: number): boolean {
  return latest !== null && (latest.runId === run.run_id || isOlder(at, latest.at, now));
}

/**
 * When what is known lies in the future, the clock has been put back: then what has just happened is the newer one
 * all the same.
 */
function isOlder(at: number, known: number, now: number): boolean {
  const clockWentBack = known > now && now - at < HOUR;
  return at < known && !clockWentBack;
}

function remembered(standing: Standing, { verdict }: JudgedRun, at: number): Standing {
  if (verdict.status === 'passing') return { ...standing, lastPassedAt: later(standing.lastPassedAt, at) };
  return hasFailure(verdict) ? { ...standing, lastFailedAt: later(standing.lastFailedAt, at) } : standing;
}

function attempted(previous: Standing, run: JudgedRun, at: number, now: number): Standing {
  const { lastAttempt } = previous;
  if (lastAttempt !== null && isOlder(at, lastAttempt.at, now)) return previous;
  const outcome = outcomeOf(run);
  const inRow = lastAttempt?.outcome === outcome ? lastAttempt.inRow + 1 : 1;
  const reason = outcome === 'inconclusive' ? (run.inconclusive?.reason ?? null) : null;
  return { ...previous, lastAttempt: { runId: run.run_id, at, outcome, reason, inRow } };
}

function outcomeOf({ dry_run, partial, outcome }: JudgedRun): AttemptOutcome {
  if (dry_run) return 'dry_run';
  if (outcome === 'inconclusive') return 'inconclusive';
  if (partial === true) return 'partial';
  return outcome === 'unreachable' ? 'unreachable' : 'judged';
}

function later(one: number | null, other: number): number {
  return one === null ? other : Math.max(one, other);
}
