import type { JudgedRun, StoryboardStatus, Verdict } from '../../domain/judged-run.ts';
import type { SeenRuns, Standing } from '../../domain/standing.ts';

const DAY = 86_400_000;

/**
 * The standing once `run` counts as the latest, at `at`. Times that a clock put back has left in the future are
 * pulled to `at`. The first and the latest run of a series that passes make the streak (rulings, "streak_days").
 */
export function countRun(previous: Standing, run: JudgedRun, at: number): Standing {
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
export function hasFailure({ status, storyboards_passing, storyboards_total }: Verdict): boolean {
  return status === 'failing' || storyboards_passing < storyboards_total;
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

/** What this registry itself has tested of the passing series that a standing ends with; null for nothing. */
export function testedHere({ streakSince, latest, seen }: Standing): SeenRuns | null {
  if (streakSince === null || latest === null) return null;
  return seen === undefined ? { first: streakSince, latest: latest.at } : seen;
}

/**
 * The same once `run` passes at `at`, as a standing holds it: undefined when it is the whole series, which begins at
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
