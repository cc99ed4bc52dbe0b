import { storyboardOf } from '../../domain/badge.ts';
import type { TrackDetail } from '../../domain/compliance.ts';
import {
  type JudgedRun,
  outcomeOf,
  type Result,
  type StoryboardOutcome,
  type StoryboardStatus,
} from '../../domain/judged-run.ts';

/** A storyboard of a run as everybody may see it. */
export interface PublicStoryboard {
  readonly storyboard_id: string;
  readonly title: string;
  readonly track: string;
  /** Null where the public fields do not say it; then only the owner sees it. */
  readonly result: StoryboardOutcome | null;
  /** Of all its steps; null where the result is, and in runs that did not keep it. */
  readonly duration_ms: number | null;
}

/**
 * The storyboards of a run, track by track. Their results belong to the owner (specification, 2.5), so one is shown only
 * where public fields say it already: its specialism, the first failure of the headline, or the counts of its track.
 */
export function publicStoryboards({
  outcome,
  imported,
  verdict,
}: Pick<JudgedRun, 'outcome' | 'imported' | 'verdict'>): readonly PublicStoryboard[] {
  const { storyboard_statuses: all, track_details: tracks, specialism_status: specialisms } = verdict;
  const known = new Map<string, Result>();
  for (const [name, result] of Object.entries(specialisms))
    if (result !== 'untested') known.set(storyboardOf(name), result);
  const noneSkipped = verdict.storyboards_total === all.length;
  const inOrder = tracks.map((track) => [track, all.filter((one) => one.track === track.track)] as const);
  const first = inOrder.flatMap(([, own]) => own).find((one) => outcomeOf(one) === 'fail');
  if (outcome === 'complete' && imported !== true && first !== undefined)
    known.set(first.storyboard_id, 'fail');
  const hasIncomplete = (verdict.storyboards_incomplete ?? 0) > 0;
  return inOrder.flatMap(([track, own]) => {
    // an incomplete storyboard is a coverage gap of its track
    const possible = { skipped: !noneSkipped, incomplete: hasIncomplete && track.has_coverage_gap_skip };
    const rest = resultOfRest(track, own, known, possible);
    return own.map((one) => shown(one, known.get(one.storyboard_id) ?? rest));
  });
}

/** What the counts of a track leave for its other storyboards; null for more than one possibility. */
function resultOfRest(
  { status, scenario_count: count, passed_count: passed }: TrackDetail,
  own: readonly StoryboardStatus[],
  known: ReadonlyMap<string, Result>,
  possible: { readonly skipped: boolean; readonly incomplete: boolean },
): StoryboardOutcome | null {
  if (count !== own.length) return null;
  const results = own.flatMap(({ storyboard_id: id }) => known.get(id) ?? []);
  const passing = passed - results.filter((result) => result === 'pass').length;
  const rest = own.length - results.length;
  if (passing === rest && status !== 'skipped') return 'pass';
  if (passing !== 0) return null;
  if (status === 'fail') {
    const oneMustFail = !results.includes('fail');
    const allFail = !possible.skipped && !possible.incomplete;
    return allFail || (rest === 1 && oneMustFail) ? 'fail' : null;
  }
  if (!possible.incomplete) return 'skipped';
  return possible.skipped ? null : 'incomplete';
}

function shown(one: StoryboardStatus, result: StoryboardOutcome | null): PublicStoryboard {
  const { storyboard_id, title, track, duration_ms: ms } = one;
  return { storyboard_id, title, track, result, duration_ms: result === null ? null : (ms ?? null) };
}
