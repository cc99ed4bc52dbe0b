import { storyboardOf } from '../../domain/badge.ts';
import type { TrackDetail } from '../../domain/compliance.ts';
import type { JudgedRun, Result, StoryboardStatus } from '../../domain/judged-run.ts';

/** A storyboard of a run as everybody may see it. */
export interface PublicStoryboard {
  readonly storyboard_id: string;
  readonly title: string;
  readonly track: string;
  /** Null where what is public does not say it. Then it is for the owner. */
  readonly result: Result | null;
  /** Of all its steps; null where the result is, and in runs that did not keep it. */
  readonly duration_ms: number | null;
}

/**
 * The storyboards of a run, track by track. What each came to is for the owner (specification, 2.5). It is told here where
 * public fields say it already: its specialism, the first failure of the headline, or the counts of its track.
 */
export function publicStoryboards({
  outcome,
  imported,
  verdict,
}: Pick<JudgedRun, 'outcome' | 'imported' | 'verdict'>): readonly PublicStoryboard[] {
  const { storyboard_statuses: all, track_details: tracks, specialism_status: specialisms } = verdict;
  const said = new Map<string, Result>();
  for (const [name, result] of Object.entries(specialisms))
    if (result !== 'untested') said.set(storyboardOf(name), result);
  const noneSkipped = verdict.storyboards_total === all.length;
  const inOrder = tracks.map((track) => [track, all.filter((one) => one.track === track.track)] as const);
  const first = inOrder.flatMap(([, own]) => own).find(hasFailed);
  if (outcome === 'complete' && imported !== true && first !== undefined)
    said.set(first.storyboard_id, 'fail');
  return inOrder.flatMap(([track, own]) => {
    const rest = resultOfRest(track, own, said, noneSkipped);
    return own.map((one) => shown(one, said.get(one.storyboard_id) ?? rest));
  });
}

/** What the counts of a track leave for those of which nothing else is said; null: more than one thing. */
function resultOfRest(
  { status, scenario_count: count, passed_count: passed }: TrackDetail,
  own: readonly StoryboardStatus[],
  said: ReadonlyMap<string, Result>,
  noneSkipped: boolean,
): Result | null {
  if (count !== own.length) return null;
  if (status === 'skipped') return 'skipped';
  const known = own.filter(({ storyboard_id: id }) => said.has(id));
  const left = passed - known.filter(({ storyboard_id: id }) => said.get(id) === 'pass').length;
  const rest = own.length - known.length;
  if (left === rest) return 'pass';
  const oneMustFail = status === 'fail' && known.every(({ storyboard_id: id }) => said.get(id) !== 'fail');
  return left === 0 && (noneSkipped || (rest === 1 && oneMustFail)) ? 'fail' : null;
}

function shown(one: StoryboardStatus, result: Result | null): PublicStoryboard {
  const { storyboard_id, title, track, duration_ms: ms } = one;
  return { storyboard_id, title, track, result, duration_ms: result === null ? null : (ms ?? null) };
}

function hasFailed({ steps_passed: passed, steps_total: total }: StoryboardStatus): boolean {
  return passed < total;
}
