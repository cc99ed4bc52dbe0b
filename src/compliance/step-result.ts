import type { Result } from '../domain/judged-run.ts';
import type { ErrorClass } from '../domain/observation.ts';

const SKIP_REASONS = [
  'not_applicable',
  'no_phases',
  'prerequisite_failed',
  'missing_tool',
  'missing_test_controller',
  'fixture_unavailable',
  'requirement_unmet',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface Skip {
  readonly reason: SkipReason;
  /** One sentence, lower case. */
  readonly detail: string;
  /** It was skipped for want of something the agent should have offered, and not because it does not apply. */
  readonly coverage_gap: boolean;
  /** Parts of the step that this runner does not understand, where they are the reason. */
  readonly notEvaluated?: readonly string[];
}

export interface StepResult {
  readonly storyboard_id: string;
  readonly phase_id: string;
  readonly step_id: string;
  readonly title: string;
  readonly task: string;
  readonly result: Result;
  readonly skip_reason?: SkipReason;
  readonly skip_detail?: string;
  /** Only of skipped steps. */
  readonly coverage_gap?: boolean;
  /** The content of its answer failed in an optional phase, which does not count: `skipped` with `not_applicable`. */
  readonly tried?: true;
  /** The content of its answer failed a recommendation, which does not count: `skipped` with `not_applicable`. */
  readonly advice?: true;
  /** It failed because the agent gave no valid answer of its protocol. Counts in every tier and in optional phases. */
  readonly no_answer?: NoAnswer;
  /** What this runner could not evaluate of the step: unknown checks, members or values. Never held against the agent. */
  readonly not_evaluated?: readonly string[];
  /** Where the bundle documents what the step asks for, as the storyboard has it. */
  readonly doc_ref?: string;
  /** It failed, and builds on no earlier step: `check --step` repeats it by itself. */
  readonly independent?: true;
  readonly duration_ms: number;
  readonly checks: readonly CheckResult[];
  /** Of a step with a check that failed. Owner's eyes only. */
  readonly evidence?: StepEvidence;
}

/** What came instead of an answer of the protocol. */
export interface NoAnswer {
  readonly error_class: ErrorClass;
  readonly http_status?: number;
  /** Media type of the response, lower case. */
  readonly content_type?: string;
  /** The agent's own words, redacted, at most 300 characters. Owner's eyes only. */
  readonly words?: string;
  /** It was retried once, and failed again. */
  readonly retried?: true;
}

export interface CheckResult {
  /** The kind, as the storyboard has it: `field_value`, … */
  readonly check: string;
  readonly result: 'pass' | 'fail' | 'not_applicable';
  /** The path as the storyboard has it. */
  readonly path?: string;
  /** JSON Pointer into the response, to the missing member where one is missing. */
  readonly pointer?: string;
  /** One sentence: what was looked for, and with a failure what came instead. */
  readonly message: string;
  /** It passed, and something could be better: the message says what. */
  readonly advice?: true;
  /** With a failure. */
  readonly expected?: unknown;
  /** With a failure; absent when nothing was there. */
  readonly actual?: unknown;
}

/** What went to and fro, with secrets taken out and everything bounded. */
export interface StepEvidence {
  /** The task by the name that was called. */
  readonly task: string;
  readonly request: unknown;
  readonly outcome: 'answered' | 'refused' | 'failed' | 'not_sent';
  readonly http_status?: number;
  /** Media type of the response, lower case; absent when nothing came. */
  readonly content_type?: string;
  /** The data, the agent's error, or how the transport failed; a text of its beginning when it is too large. */
  readonly response: unknown;
  readonly response_cut?: true;
}
