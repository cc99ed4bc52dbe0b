import type { ComplianceStatus, TrackDetail } from './compliance.ts';
import type { ErrorClass } from './observation.ts';

/** What set a run off (specification, 2.5). */
const RUN_TRIGGERS = ['heartbeat', 'owner_test', 'manual', 'webhook'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/**
 * `complete`: every selected storyboard was run or skipped for a reason. `unreachable`: no handshake succeeded, and
 * that is not our fault. `inconclusive`: it could not be finished, by a fault or for want of something on our side.
 */
const RUN_OUTCOMES = ['complete', 'unreachable', 'inconclusive'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export const INCONCLUSIVE_REASONS = [
  'own_deadline', // the time that we give a run was over
  'own_network', // our own control probe failed too
  'own_fault', // an error of ours
  'request_budget', // the requests that we allow ourselves for one agent were used up
  'auth_required', // the agent asks for credentials and we have none
  'declaration_unread', // the agent card, tool list or capabilities could not be read, so nothing could be selected
  'interrupted', // somebody stopped the run
] as const;
export type InconclusiveReason = (typeof INCONCLUSIVE_REASONS)[number];

export interface Inconclusive {
  readonly reason: InconclusiveReason;
  /** One sentence, lower case. */
  readonly detail: string;
  /** With auth_required: a `credential` is the owner's to store, a `signing_key` belongs to the operator of the tests. */
  readonly lacks?: 'credential' | 'signing_key';
}

export interface Unreachable {
  readonly error_class: ErrorClass;
  readonly message: string;
  readonly http_status?: number;
  /** The agent's own words. Owner's eyes only. */
  readonly words?: string;
}

export type Result = 'pass' | 'fail' | 'skipped';

/** Of a storyboard: `incomplete` when no step failed and a step that the agent should have made possible was skipped. */
export type StoryboardOutcome = Result | 'incomplete';

export interface RunNotice {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/** Safe for the public: never repeats what an agent answered. */
export interface RunObservation {
  readonly category: string;
  readonly severity: string;
  readonly message: string;
}

/** What a run can make of an agent; opting out is the owner's doing, never a run's. */
export type JudgedStatus = Exclude<ComplianceStatus, 'opted_out'>;

export type SpecialismStatus = 'pass' | 'fail' | 'untested';

/** The latest result of one storyboard (specification, 2.6); null where it never ran or never passed. */
export interface StoryboardStatus {
  readonly storyboard_id: string;
  readonly title: string;
  readonly category: string;
  readonly track: string;
  /** Absent in runs recorded elsewhere, or before this field existed. */
  readonly result?: StoryboardOutcome;
  readonly steps_passed: number;
  /** Those that ran. */
  readonly steps_total: number;
  /** Those that did not apply, or could not be tried; absent in runs recorded elsewhere or long ago. */
  readonly steps_skipped?: number;
  /** Of all its steps together; absent as `steps_skipped` is. */
  readonly duration_ms?: number;
  readonly last_tested_at: string | null;
  readonly last_passed_at: string | null;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
}

/** What a storyboard came to. Statuses from before `result` existed are read by their counts. */
export function outcomeOf({
  result,
  steps_passed: passed,
  steps_total: ran,
}: Pick<StoryboardStatus, 'result' | 'steps_passed' | 'steps_total'>): StoryboardOutcome {
  if (result !== undefined) return result;
  if (ran === 0) return 'skipped';
  return passed < ran ? 'fail' : 'pass';
}

/**
 * What people are shown: also a storyboard that passed, although most of its steps were skipped, is `incomplete`. On the
 * wire, in counts and in verdicts it is still `pass`.
 */
export function shownOutcome(
  one: Pick<StoryboardStatus, 'result' | 'steps_passed' | 'steps_total' | 'steps_skipped'>,
): StoryboardOutcome {
  const outcome = outcomeOf(one);
  return outcome === 'pass' && (one.steps_skipped ?? 0) > one.steps_passed ? 'incomplete' : outcome;
}

/** What one run says of an agent, in the words of the wire (specification, 2.3 to 2.6). */
export interface Verdict {
  readonly algorithm_version: string;
  /** `unknown`: the run says nothing, as it was inconclusive or no step ran. */
  readonly status: JudgedStatus;
  readonly tracks: Readonly<Record<string, Result>>;
  readonly track_details: readonly TrackDetail[];
  /** One sentence, safe for the public. */
  readonly headline: string;
  readonly storyboards_passing: number;
  /** Those of which a step ran. */
  readonly storyboards_total: number;
  /** Of those, the incomplete ones; absent in verdicts before algorithm version 4. */
  readonly storyboards_incomplete?: number;
  /** False when the agent could not be asked what it declares: then its specialisms are not known. */
  readonly declaration_read: boolean;
  readonly declared_specialisms: readonly string[];
  /** Of the protocol, as the agent wrote them; absent in verdicts from before they were kept. */
  readonly declared_versions?: readonly string[];
  /** Whose names it uses for the protocol; absent where that is not known. */
  readonly vocabulary?: 'proto' | 'adcp';
  readonly specialism_status: Readonly<Record<string, SpecialismStatus>>;
  /** Declared specialisms for which our bundle has no storyboard: that they are untested is not the agent's doing. */
  readonly without_storyboard: readonly string[];
  /** Of all that were selected, by id. */
  readonly storyboard_statuses: readonly StoryboardStatus[];
  /** Verbatim. */
  readonly notices: readonly RunNotice[];
  readonly observations: readonly RunObservation[];
}

/**
 * A run with its verdict: all that the agent's standing and badges are computed from. An imported run, whose steps
 * nobody has any more, comes as this too, with nulls for target and version when it is older than these fields.
 */
export interface JudgedRun {
  /** UUID. */
  readonly run_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly finished_at: string;
  readonly trigger: RunTrigger | null;
  readonly dry_run: boolean;
  readonly partial?: true;
  /** True of one that was recorded elsewhere: nobody here has seen its steps. */
  readonly imported?: boolean;
  /**
   * Of a run with another bundle than the one that the agent's status follows from: `line` for the default of another line,
   * from which its badges follow; `preview` for a bundle that decides nothing. Absent: the status follows from it.
   */
  readonly role?: 'line' | 'preview';
  readonly outcome: RunOutcome;
  readonly inconclusive?: Inconclusive;
  readonly unreachable?: Unreachable;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly verdict: Verdict;
}

/** What an imported run starts from: all that a run recorded elsewhere, or long ago, may not hold. */
export const NOTHING_RECORDED: Verdict = {
  algorithm_version: 'imported',
  status: 'unknown',
  tracks: {},
  track_details: [],
  headline: '',
  storyboards_passing: 0,
  storyboards_total: 0,
  storyboards_incomplete: 0,
  declaration_read: false,
  declared_specialisms: [],
  specialism_status: {},
  without_storyboard: [],
  storyboard_statuses: [],
  notices: [],
  observations: [],
};
