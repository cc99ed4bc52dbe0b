import type { TrackDetail } from '../../domain/compliance.ts';
import { type Result, type StoryboardResult, TRACKS } from '../run-result.ts';
import { byText } from './by-text.ts';
import type { JudgedStatus } from './verdict.ts';

/** A track with what its storyboards came to. */
export interface JudgedTrack extends TrackDetail {
  readonly status: Result;
}

/**
 * The selected storyboards by track, in the order of the closed list; a foreign bundle's other tracks come after
 * these, by name. A track with a failed storyboard fails, one in which nothing ran is skipped.
 */
export function judgeTracks(storyboards: readonly StoryboardResult[]): readonly JudgedTrack[] {
  const byTrack = Map.groupBy(storyboards, ({ track }) => track);
  const names = [...byTrack.keys()].sort(compareTracks);
  return names.map((track) => judgeTrack(track, byTrack.get(track) ?? []));
}

/** True for the tracks of the rulings, which are the only ones that are shown. */
export function isKnownTrack(track: string): boolean {
  return (TRACKS as readonly string[]).includes(track);
}

/** Orders tracks as the closed list does, others behind it by name. */
export function compareTracks(one: string, other: string): number {
  return place(one) - place(other) || byText(one, other);
}

/**
 * The status that a complete run gives (rulings, "status of an agent"). A foreign track counts too, though it is not
 * shown: what fails there must not be called passing. Without an active track nothing is known, except of a gap.
 */
export function statusOfTracks(tracks: readonly JudgedTrack[]): JudgedStatus {
  const active = tracks.filter(({ status }) => status !== 'skipped');
  const failed = active.filter(({ status }) => status === 'fail').length;
  const hasGap = tracks.some((track) => track.status === 'skipped' && track.has_coverage_gap_skip);
  if (failed > 0 && failed === active.length) return 'failing';
  if (failed > 0 || hasGap) return 'degraded';
  return active.length > 0 ? 'passing' : 'unknown';
}

function judgeTrack(track: string, storyboards: readonly StoryboardResult[]): JudgedTrack {
  return {
    track,
    status: resultOf(storyboards),
    scenario_count: storyboards.length,
    passed_count: storyboards.filter(({ result }) => result === 'pass').length,
    duration_ms: storyboards.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    has_coverage_gap_skip: storyboards.some(({ coverage_gap }) => coverage_gap),
  };
}

function resultOf(storyboards: readonly StoryboardResult[]): Result {
  if (storyboards.some(({ result }) => result === 'fail')) return 'fail';
  return storyboards.some(({ result }) => result === 'pass') ? 'pass' : 'skipped';
}

function place(track: string): number {
  const index = (TRACKS as readonly string[]).indexOf(track);
  return index === -1 ? TRACKS.length : index;
}
