import type { TrackDetail } from '../../domain/compliance.ts';
import type { InconclusiveReason, JudgedStatus, Result } from '../../domain/judged-run.ts';
import { ERROR_TEXTS } from '../../domain/observation.ts';
import { shortText } from '../../domain/text.ts';
import { type FinishedRun, type StoryboardResult, TRACKS } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';

const MAX_TITLE = 120;
/** Specialisms in a headline. */
const MAX_NAMED = 10;

const INCONCLUSIVE: Readonly<Record<InconclusiveReason, string>> = {
  own_deadline: 'the time for a run was over',
  own_network: 'our own network was at fault',
  own_fault: 'the fault was ours',
  request_budget: 'the requests for one agent were used up',
  auth_required: 'the agent asks for credentials, and none were given',
  interrupted: 'it was interrupted',
};

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

/** True for the tracks that are shown; those of foreign bundles are not. */
export function isKnownTrack(track: string): boolean {
  return (TRACKS as readonly string[]).includes(track);
}

/** Orders tracks as the closed list does, others behind it by name. */
function compareTracks(one: string, other: string): number {
  return place(one) - place(other) || byText(one, other);
}

/**
 * The status that a complete run gives (docs/reference/compliance.md, One run). A foreign track counts too, though it is not
 * shown: what fails there must not be called passing. Without an active track nothing is known, except of a gap.
 *
 * @param untested declared specialisms whose storyboards could not show what they are for
 */
export function statusOfTracks(
  tracks: readonly JudgedTrack[],
  untested: readonly string[] = [],
): JudgedStatus {
  const active = tracks.filter(({ status }) => status !== 'skipped');
  const failed = active.filter(({ status }) => status === 'fail').length;
  if (failed > 0 && failed === active.length) return 'failing';
  if (failed > 0 || tracks.some((track) => track.has_coverage_gap_skip)) return 'degraded';
  if (active.length === 0) return 'unknown';
  return untested.length > 0 ? 'degraded' : 'passing';
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

/** What an agent declares and a run did not test. */
export interface UntestedSpecialisms {
  /** Those for which the bundle has a storyboard, so that their names are words of ours. */
  readonly untested: readonly string[];
  /** How many have none: that is not the agent's doing. */
  readonly unknown: number;
}

/**
 * One sentence from the counts and the first failure. It is public, so it holds words of ours and of the storyboard
 * only, never what the agent answered.
 */
export function headlineOf(
  run: FinishedRun,
  tracks: readonly JudgedTrack[],
  { untested, unknown }: UntestedSpecialisms = { untested: [], unknown: 0 },
): string {
  if (run.outcome === 'inconclusive') return inconclusive(run);
  if (run.outcome === 'unreachable') return unreachable(run);
  const ran = run.storyboards.filter(({ result }) => result !== 'skipped');
  const gaps = gapsOf(tracks) + untestedOf(untested, unknown);
  if (ran.length === 0)
    return gaps === '' ? 'No storyboard applies to this agent.' : `No storyboard could run${gaps}.`;
  const passed = ran.filter(({ result }) => result === 'pass').length;
  const failed = firstFailed(ran);
  return `${countsOf(passed, ran.length)}${failed === undefined ? '' : failureOf(failed, run.steps)}${gaps}.`;
}

/** The first failure, whatever the order in which storyboards ran: by track, then by id. */
function firstFailed(ran: readonly StoryboardResult[]): StoryboardResult | undefined {
  const failed = ran.filter(({ result }) => result === 'fail');
  return failed.sort(
    (one, other) => compareTracks(one.track, other.track) || byText(one.storyboard_id, other.storyboard_id),
  )[0];
}

function countsOf(passed: number, total: number): string {
  if (total === 1) return passed === 1 ? 'The one storyboard passes' : 'The one storyboard does not pass';
  if (passed === total) return `All ${total} storyboards pass`;
  return `${passed} of ${total} storyboards ${passed === 1 ? 'passes' : 'pass'}`;
}

function failureOf(storyboard: StoryboardResult, steps: readonly StepResult[]): string {
  const step = steps.find(
    ({ storyboard_id, result }) => storyboard_id === storyboard.storyboard_id && result === 'fail',
  );
  const board = `“${titleOf(storyboard.title, storyboard.storyboard_id)}”`;
  if (step === undefined) return `; the first to fail is ${board}`;
  return `; the first failure is the step “${titleOf(step.title, step.step_id)}” (${titleOf(step.task, 'no task')}) of ${board}`;
}

function gapsOf(tracks: readonly JudgedTrack[]): string {
  const named = (skipped: boolean) =>
    tracks
      .filter(({ status, has_coverage_gap_skip: gap }) => gap && (status === 'skipped') === skipped)
      .map(({ track }) => titleOf(track, 'a track'));
  const told = (what: string, names: readonly string[]) =>
    names.length === 0 ? '' : `; ${what} for want of what the agent should offer: ${names.join(', ')}`;
  return told('not tested', named(true)) + told('tested in part', named(false));
}

function untestedOf(untested: readonly string[], unknown: number): string {
  const shown = untested.slice(0, MAX_NAMED).map((name) => titleOf(name, 'a specialism'));
  const more = untested.length > shown.length ? ` and ${untested.length - shown.length} more` : '';
  return [
    untested.length === 0 ? '' : `; declared, and could not be tested: ${shown.join(', ')}${more}`,
    unknown === 0 ? '' : `; declared, and without a storyboard here: ${unknown}`,
  ].join('');
}

function unreachable({ unreachable: why }: FinishedRun): string {
  if (why === undefined) return 'The agent could not be reached.';
  const status = why.http_status === undefined ? '' : ` (HTTP ${why.http_status})`;
  return `The agent could not be tested: ${ERROR_TEXTS[why.error_class] ?? 'it could not be reached'}${status}.`;
}

function inconclusive({ inconclusive: why }: FinishedRun): string {
  const reason = why === undefined ? undefined : INCONCLUSIVE[why.reason];
  return `The run could not be finished and changes nothing${reason === undefined ? '' : `: ${reason}`}.`;
}

function titleOf(text: string, otherwise: string): string {
  return shortText(text, MAX_TITLE) ?? otherwise;
}

/** Orders texts by code unit, the same on every machine. */
export function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
