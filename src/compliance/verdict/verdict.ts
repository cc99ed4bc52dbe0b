import { storyboardOf } from '../../domain/badge.ts';
import type {
  JudgedRun,
  JudgedStatus,
  RunObservation,
  SpecialismStatus,
  StoryboardStatus,
  Verdict,
} from '../../domain/judged-run.ts';
import { shortText } from '../../domain/text.ts';
import type { FinishedRun, StoryboardResult } from '../run-result.ts';
import { byText, headlineOf, isKnownTrack, type JudgedTrack, judgeTracks, statusOfTracks } from './tracks.ts';

/** Version of the rules in this folder, stored with every verdict. Raise it when the same run would be judged differently. */
export const ALGORITHM_VERSION = '4';

/** Arrays of the wire hold at most this many (docs/reference/compliance.md, One run). */
const MAX_ENTRIES = 1_000;
const MAX_MESSAGE = 1_000;
const MAX_WORD = 64;

/** The run with its verdict. */
export function judgeRun(run: FinishedRun): JudgedRun {
  return { ...run, verdict: verdictOf(run) };
}

/**
 * What one run says of the agent; whether it counts is decided by `foldRun`. Pure, and the order in which storyboards
 * ran makes no difference. Rules: specification 2.3 to 2.6 and 3; docs/reference/compliance.md, One run.
 */
export function verdictOf(run: FinishedRun): Verdict {
  const tracks = judgeTracks(run.storyboards);
  const shown = tracks.filter(({ track }) => isKnownTrack(track));
  const ran = run.storyboards.filter(({ result }) => result !== 'skipped');
  const declared = [...new Set(run.agent?.specialisms ?? [])].slice(0, MAX_ENTRIES);
  const statuses = specialismStatus(declared, run.storyboards);
  const unknown = withoutStoryboard(declared, run);
  const untested = declared.filter((name) => statuses[name] === 'untested' && !unknown.includes(name));
  // a run of some storyboards says nothing about the others
  const notShown =
    run.partial === true ? undefined : { declared: declared.length, untested, unknown: unknown.length };
  return {
    algorithm_version: ALGORITHM_VERSION,
    status: statusOf(run, tracks, notShown?.untested),
    tracks: Object.fromEntries(shown.map(({ track, status }) => [track, status])),
    track_details: shown,
    headline: headlineOf(run, tracks, notShown),
    storyboards_passing: ran.filter(({ result }) => result === 'pass').length,
    storyboards_total: ran.length,
    storyboards_incomplete: ran.filter(({ result }) => result === 'incomplete').length,
    declaration_read: run.agent !== null && run.agent.capabilities_unread !== true,
    declared_specialisms: declared,
    specialism_status: statuses,
    without_storyboard: unknown,
    storyboard_statuses: storyboardStatuses(run),
    notices: run.notices.slice(0, MAX_ENTRIES),
    observations: run.observations.slice(0, MAX_ENTRIES).map(publicPart),
  };
}

function statusOf(
  { outcome }: FinishedRun,
  tracks: readonly JudgedTrack[],
  untested: readonly string[] | undefined,
): JudgedStatus {
  if (outcome === 'unreachable') return 'failing';
  return outcome === 'inconclusive' ? 'unknown' : statusOfTracks(tracks, untested);
}

/** By declared specialism, the result of the storyboard with its name; `untested` when there is none. */
function specialismStatus(
  declared: readonly string[],
  storyboards: readonly StoryboardResult[],
): Readonly<Record<string, SpecialismStatus>> {
  const byId = new Map(storyboards.map((storyboard) => [storyboard.storyboard_id, storyboard]));
  return Object.fromEntries(
    declared.map((specialism) => [specialism, statusBy(byId.get(storyboardOf(specialism)))]),
  );
}

/** An incomplete storyboard, or one that this runner cannot evaluate in full, does not show what its specialism is for. */
function statusBy(storyboard: StoryboardResult | undefined): SpecialismStatus {
  if (storyboard?.result === 'fail') return 'fail';
  return storyboard?.result === 'pass' && storyboard.limited !== true ? 'pass' : 'untested';
}

/** Specialisms that the bundle has no storyboard for, or none that this runner can evaluate in full. */
function withoutStoryboard(declared: readonly string[], run: FinishedRun): readonly string[] {
  const limited = new Set(
    run.storyboards.flatMap(({ storyboard_id: id, result, ...one }) =>
      result === 'pass' && one.limited === true ? [id] : [],
    ),
  );
  const known = new Set([...run.storyboards, ...run.not_selected].map(({ storyboard_id }) => storyboard_id));
  return declared.filter((specialism) => {
    const id = storyboardOf(specialism);
    return !known.has(id) || limited.has(id);
  });
}

function storyboardStatuses(run: FinishedRun): readonly StoryboardStatus[] {
  const statuses = run.storyboards.map((storyboard) => storyboardStatus(storyboard, run));
  return statuses.sort((one, other) => byText(one.storyboard_id, other.storyboard_id)).slice(0, MAX_ENTRIES);
}

function storyboardStatus(storyboard: StoryboardResult, run: FinishedRun): StoryboardStatus {
  return {
    storyboard_id: storyboard.storyboard_id,
    title: storyboard.title,
    category: storyboard.category,
    track: storyboard.track,
    result: storyboard.result,
    steps_passed: storyboard.steps_passed,
    // what does not apply is no step of this agent's; what was skipped is counted apart
    steps_total: storyboard.steps_passed + storyboard.steps_failed,
    steps_skipped: storyboard.steps_skipped,
    duration_ms: storyboard.duration_ms,
    last_tested_at: storyboard.result === 'skipped' ? null : run.finished_at,
    last_passed_at: storyboard.result === 'pass' ? run.finished_at : null,
    requested_compliance_target: run.requested_compliance_target,
    proto_version: run.proto_version,
  };
}

/** The three members that the public sees, whatever else came with them; the words stay as they are. */
function publicPart({ category, severity, message }: RunObservation): RunObservation {
  return {
    category: shortText(category, MAX_WORD) ?? '',
    severity: shortText(severity, MAX_WORD) ?? '',
    message: shortText(message, MAX_MESSAGE) ?? '',
  };
}
