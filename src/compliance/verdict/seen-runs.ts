import type { SeenRuns, Standing } from './standing.ts';
import type { JudgedRun } from './verdict.ts';

/** What this registry itself has tested of the passing series that a standing ends with; null for nothing. */
export function seenRuns({ streakSince, latest, seen }: Standing): SeenRuns | null {
  if (streakSince === null || latest === null) return null;
  return seen === undefined ? { first: streakSince, latest: latest.at } : seen;
}

/**
 * The same once `run` passes at `at`, as a standing holds it: undefined when it is the whole series, which begins at
 * `streakSince`.
 */
export function seenAfter(
  previous: Standing,
  run: JudgedRun,
  { at, streakSince }: { readonly at: number; readonly streakSince: number },
): Standing['seen'] {
  const before = seenRuns(previous);
  if (run.imported === true) return before;
  const first = Math.min(before?.first ?? at, at);
  return first === streakSince ? undefined : { first, latest: at };
}
