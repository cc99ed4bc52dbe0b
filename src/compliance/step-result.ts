import type { Result } from '../domain/judged-run.ts';

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
  /** It was run in an optional phase and failed there, which is no failure: `skipped` with `not_applicable`. */
  readonly tried?: true;
  /** It failed, and what it asks for is advice to this agent, which is no failure: `skipped` with `not_applicable`. */
  readonly advice?: true;
  readonly duration_ms: number;
  readonly checks: readonly CheckResult[];
  /** Of a step with a check that failed. Owner's eyes only. */
  readonly evidence?: StepEvidence;
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
  /** The data, the agent's error, or how the transport failed; a text of its beginning when it is too large. */
  readonly response: unknown;
  readonly response_cut?: true;
}
