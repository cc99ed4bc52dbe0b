import type { JudgedRun, StoryboardStatus, Verdict } from '../../domain/judged-run.ts';
import { type AttemptOutcome, closedAgain, type Standing, testedHere } from '../../domain/standing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Between two tries that find an agent unreachable, before it fails (docs/reference/compliance.md, All runs). */
const UNREACHABLE_GAP_MS = 5 * MINUTE;

/**
 * The agent's standing after a finished run. Only a complete run counts, and an unreachable one when it confirms
 * another; a partial or inconclusive run changes the last attempt and the most recent check, a dry one the attempt
 * alone. A run older than the latest (an import) changes no more than `lastPassedAt` and `lastFailedAt`. No time that
 * it sets is later than `now`.
 */
export function foldRun(previous: Standing, run: JudgedRun, now: number): Standing {
  const at = Math.min(Date.parse(run.finished_at), now);
  if (Number.isNaN(at) || previous.lastAttempt?.runId === run.run_id) return previous;
  return withRecent(afterOutcome(attempted(previous, run, at, now), run, at, now), run, at, now);
}

function afterOutcome(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  if (outcomeOf(run) === 'judged' && run.verdict.status !== 'unknown') return judged(standing, run, at, now);
  if (outcomeOf(run) === 'unreachable') return missed(standing, run, at, now);
  if (!isThere(run) || standing.lastAttempt?.runId !== run.run_id) return standing;
  return { ...standing, away: null, closed: closedAgain(standing, run, at) };
}

/** The standing after a run with a bundle that does not decide about it: only the last attempt is another. */
export function withAttempt(previous: Standing, run: JudgedRun, now: number): Standing {
  const at = Math.min(Date.parse(run.finished_at), now);
  return Number.isNaN(at) ? previous : attempted(previous, run, at, now, 'other_bundle');
}

/** True when the run is the one that the standing shows, so that it counts for badges too. */
export function counts(run: JudgedRun, standing: Standing): boolean {
  return standing.latest?.runId === run.run_id;
}

/** A run that counts is itself the most recent, unless one that does not is newer still (an import adds older ones). */
function withRecent(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  const known = standing.recent ?? standing.latest;
  if (run.dry_run || (known !== null && isOlder(at, known.at, now))) return standing;
  if (counts(run, standing)) return { ...standing, recent: undefined };
  const { notices, observations } = run.verdict;
  return { ...standing, recent: { at, trigger: run.trigger, notices, observations } };
}

function judged(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  if (isLate(standing, run, at, now)) return remembered(standing, run, at);
  return { ...countRun(standing, run, at), away: null, closed: undefined };
}

/** It could not be tested. The first try is not held against it; a protocol that is not there needs no second look. */
function missed(standing: Standing, run: JudgedRun, at: number, now: number): Standing {
  if (isLate(standing, run, at, now)) return standing;
  const since = Math.min(standing.away?.since ?? at, at);
  const away = { since, tries: (standing.away?.tries ?? 0) + 1 };
  const isCertain = isDefinite(run) || at - since >= UNREACHABLE_GAP_MS;
  return { ...(isCertain ? countRun(standing, run, at) : standing), away };
}

/** The agent answered the handshake, so an earlier try found it unreachable by chance, though the run says nothing else. */
function isThere({ outcome, inconclusive }: JudgedRun): boolean {
  const reason = inconclusive?.reason;
  return outcome === 'complete' || reason === 'auth_required' || reason === 'declaration_unread';
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

function attempted(
  previous: Standing,
  run: JudgedRun,
  at: number,
  now: number,
  outcome = outcomeOf(run),
): Standing {
  const { lastAttempt } = previous;
  if (lastAttempt !== null && isOlder(at, lastAttempt.at, now)) return previous;
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

/**
 * The standing once `run` counts as the latest, at `at`. Times that a clock put back has left in the future are
 * pulled to `at`. The first and the latest run of a series that passes make the streak (docs/reference/compliance.md, All runs).
 */
function countRun(previous: Standing, run: JudgedRun, at: number): Standing {
  const { verdict } = run;
  const passes = verdict.status === 'passing';
  const streakSince = passes ? Math.min(previous.streakSince ?? at, at) : null;
  return {
    ...previous,
    status: verdict.status,
    statusChangedAt: verdict.status === previous.status ? upTo(previous.statusChangedAt, at) : at,
    latest: {
      runId: run.run_id,
      at,
      trigger: run.trigger,
      requestedTarget: run.requested_compliance_target,
      protoVersion: run.proto_version,
      verdict: withDeclared(verdict, previous.latest?.verdict),
    },
    streakSince,
    seen: streakSince === null ? undefined : testedHereAfter(previous, run, { at, streakSince }),
    streakDays: streakSince === null ? 0 : Math.floor((at - streakSince) / DAY),
    lastPassedAt: passes ? at : upTo(previous.lastPassedAt, at),
    lastFailedAt: hasFailure(verdict) ? at : upTo(previous.lastFailedAt, at),
    storyboards: withHistory(verdict.storyboard_statuses, previous.storyboards),
  };
}

/** True when something failed; a coverage gap alone is no failure. */
function hasFailure(verdict: Verdict): boolean {
  const { status, storyboards_passing: passing, storyboards_total: total } = verdict;
  return status === 'failing' || passing + (verdict.storyboards_incomplete ?? 0) < total;
}

/** The last good word stays: who cannot be asked has not withdrawn what was declared. */
function withDeclared(verdict: Verdict, before: Verdict | undefined): Verdict {
  if (verdict.declaration_read || before === undefined) return verdict;
  const declared = before.declared_specialisms;
  const untested = Object.fromEntries(declared.map((specialism) => [specialism, 'untested'] as const));
  return { ...verdict, declared_specialisms: declared, specialism_status: untested };
}

/** The storyboards of this run, with the times at which those last ran and passed that did not now. */
function withHistory(
  now: readonly StoryboardStatus[],
  before: readonly StoryboardStatus[],
): readonly StoryboardStatus[] {
  const known = new Map(before.map((status) => [status.storyboard_id, status]));
  return now.map((status) => {
    const old = known.get(status.storyboard_id);
    return {
      ...status,
      last_tested_at: status.last_tested_at ?? old?.last_tested_at ?? null,
      last_passed_at: status.last_passed_at ?? old?.last_passed_at ?? null,
    };
  });
}

function upTo(time: number | null, at: number): number | null {
  return time === null ? null : Math.min(time, at);
}

/**
 * What this registry has tested of a series once `run` passes at `at`, as a standing holds it: undefined when it is the whole series, which begins at
 * `streakSince`.
 */
function testedHereAfter(
  previous: Standing,
  run: JudgedRun,
  { at, streakSince }: { readonly at: number; readonly streakSince: number },
): Standing['seen'] {
  const before = testedHere(previous);
  if (run.imported === true) return before;
  const first = Math.min(before?.first ?? at, at);
  return first === streakSince ? undefined : { first, latest: at };
}
