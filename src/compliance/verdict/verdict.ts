import { storyboardOf } from '../../domain/badge.ts';
import type { TrackDetail } from '../../domain/compliance.ts';
import type {
  Inconclusive,
  InconclusiveReason,
  JudgedRun,
  JudgedStatus,
  Result,
  RunObservation,
  SpecialismStatus,
  StoryboardStatus,
  Verdict,
} from '../../domain/judged-run.ts';
import { ERROR_TEXTS } from '../../domain/observation.ts';
import { shortText } from '../../domain/text.ts';
import { type FinishedRun, type StoryboardResult, TRACKS } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';

/** Version of the rules in this folder, stored with every verdict. Raise it when the same run would be judged differently. */
export const ALGORITHM_VERSION = '4';

/** Arrays of the wire hold at most this many (docs/reference/compliance.md, One run). */
const MAX_ENTRIES = 1_000;
const MAX_MESSAGE = 1_000;
const MAX_WORD = 64;

/** The run with its verdict, and what it decides about. */
export function judgeRun(run: FinishedRun, role?: JudgedRun['role']): JudgedRun {
  return { ...run, ...(role && { role }), verdict: verdictOf(run) };
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
    ...(run.agent !== null && { declared_versions: run.agent.supported_versions.slice(0, MAX_ENTRIES) }),
    ...(run.agent?.vocabulary && { vocabulary: run.agent.vocabulary }),
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

const MAX_TITLE = 120;
/** Specialisms in a headline. */
const MAX_NAMED = 10;

const INCONCLUSIVE: Readonly<Record<InconclusiveReason, string>> = {
  own_deadline: 'the run reached its time limit',
  own_network: 'the network of the test runner failed',
  own_fault: 'an internal error of the test runner',
  request_budget: 'the run reached its request limit',
  auth_required: 'the agent requires a credential, and the run had none',
  declaration_unread: 'the tools or capabilities of the agent could not be read',
  interrupted: 'the run was interrupted',
};

/** A track with the result of its storyboards. */
interface JudgedTrack extends TrackDetail {
  readonly status: Result;
}

/**
 * The selected storyboards by track, in the order of the closed list; a foreign bundle's other tracks come after
 * these, by name. A track with a failed storyboard fails, one in which nothing ran is skipped.
 */
function judgeTracks(storyboards: readonly StoryboardResult[]): readonly JudgedTrack[] {
  const byTrack = Map.groupBy(storyboards, ({ track }) => track);
  const names = [...byTrack.keys()].sort(compareTracks);
  return names.map((track) => judgeTrack(track, byTrack.get(track) ?? []));
}

/** True for the tracks that are shown; those of foreign bundles are not. */
function isKnownTrack(track: string): boolean {
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
function statusOfTracks(tracks: readonly JudgedTrack[], untested: readonly string[] = []): JudgedStatus {
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

/** Declared specialisms, and those that a run did not test. */
interface DeclaredSpecialisms {
  readonly declared: number;
  /** Those for which the bundle has a storyboard, so that their names are words of ours. */
  readonly untested: readonly string[];
  /** How many the bundle has no storyboard for, which is not the agent's doing. */
  readonly unknown: number;
}

/**
 * One sentence from the counts and the first failure. It is public, so it holds words of ours and of the storyboard
 * only, never what the agent answered.
 */
function headlineOf(
  run: FinishedRun,
  tracks: readonly JudgedTrack[],
  specialisms: DeclaredSpecialisms = { declared: 0, untested: [], unknown: 0 },
): string {
  if (run.outcome === 'inconclusive') return inconclusive(run);
  if (run.outcome === 'unreachable') return unreachable(run);
  const ran = run.storyboards.filter(({ result }) => result !== 'skipped');
  const gaps = gapsOf(tracks, ran) + untestedOf(specialisms);
  if (ran.length === 0)
    return gaps === '' ? 'No storyboard applies to this agent.' : `No storyboard could run${gaps}.`;
  const failed = firstFailed(ran);
  return `${countsOf(ran)}${failed === undefined ? '' : failureOf(failed, run.steps)}${gaps}.`;
}

/** The first failure, whatever the order in which storyboards ran: by track, then by id. */
function firstFailed(ran: readonly StoryboardResult[]): StoryboardResult | undefined {
  const failed = ran.filter(({ result }) => result === 'fail');
  return failed.sort(
    (one, other) => compareTracks(one.track, other.track) || byText(one.storyboard_id, other.storyboard_id),
  )[0];
}

function countsOf(ran: readonly StoryboardResult[]): string {
  const total = ran.length;
  const passed = ran.filter(({ result }) => result === 'pass').length;
  const incomplete = ran.filter(({ result }) => result === 'incomplete').length;
  const rest = incomplete === 0 ? '' : `, ${incomplete} ${incomplete === 1 ? 'is' : 'are'} incomplete`;
  if (total === 1 && incomplete === 1) return 'The only storyboard is incomplete';
  if (total === 1) return passed === 1 ? 'The only storyboard passes' : 'The only storyboard fails';
  if (passed === total) return `All ${total} storyboards pass`;
  return `${passed} of ${total} storyboards ${passed === 1 ? 'passes' : 'pass'}${rest}`;
}

function failureOf(storyboard: StoryboardResult, steps: readonly StepResult[]): string {
  const step = steps.find(
    ({ storyboard_id, result }) => storyboard_id === storyboard.storyboard_id && result === 'fail',
  );
  const board = `“${titleOf(storyboard.title, storyboard.storyboard_id)}”`;
  if (step === undefined) return `; first failure: ${board}`;
  return `; first failure: step “${titleOf(step.title, step.step_id)}” (${titleOf(step.task, 'no task')}) of ${board}`;
}

function gapsOf(tracks: readonly JudgedTrack[], ran: readonly StoryboardResult[]): string {
  const tested = new Set(ran.map(({ track }) => track));
  const named = (isTested: boolean) =>
    tracks
      .filter(({ track, has_coverage_gap_skip: gap }) => gap && tested.has(track) === isTested)
      .map(({ track }) => titleOf(track, 'a track'));
  const list = (what: string, names: readonly string[]) =>
    names.length === 0
      ? ''
      : `; ${what}, because the agent does not offer the required tools: ${names.join(', ')}`;
  return list('not tested', named(false)) + list('partly tested', named(true));
}

function untestedOf({ declared, untested, unknown }: DeclaredSpecialisms): string {
  const missing = untested.length + unknown;
  if (missing === 0) return '';
  const shown = untested.slice(0, MAX_NAMED).map((name) => titleOf(name, 'a specialism'));
  const more = untested.length > shown.length ? ` and ${untested.length - shown.length} more` : '';
  const why = [
    ...(untested.length === 0 ? [] : [`not tested: ${shown.join(', ')}${more}`]),
    ...(unknown === 0 ? [] : [`no storyboard for ${unknown}`]),
  ];
  return `; ${declared - missing} of ${declared} declared specialisms tested (${why.join('; ')})`;
}

function unreachable({ unreachable: why }: FinishedRun): string {
  if (why === undefined) return 'The agent could not be reached.';
  const status = why.http_status === undefined ? '' : ` (HTTP ${why.http_status})`;
  return `The agent could not be tested: ${ERROR_TEXTS[why.error_class] ?? 'no connection'}${status}.`;
}

function inconclusive({ inconclusive: why }: FinishedRun): string {
  const reason = why === undefined ? undefined : whyInconclusive(why);
  return `Inconclusive: ${reason ?? 'reason unknown'}. The status of the agent is unchanged.`;
}

function whyInconclusive({ reason, lacks }: Inconclusive): string {
  return lacks === 'signing_key'
    ? 'the agent requires signed requests, and the run had no signing key'
    : INCONCLUSIVE[reason];
}

function titleOf(text: string, otherwise: string): string {
  return shortText(text, MAX_TITLE) ?? otherwise;
}

/** Orders texts by code unit, the same on every machine. */
export function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
