import type { Inconclusive } from '../../domain/judged-run.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { ShownStatement } from '../statement.ts';

/** What an owner's page shows of its agent, in the words of the operations; times are RFC 3339. */
export interface OwnerView {
  readonly url: string;
  readonly name: string;
  readonly settings: {
    readonly proven_at: string | null;
    readonly prove_again_by?: string;
    readonly compliance_opt_out: boolean;
    readonly monitoring_paused: boolean;
    readonly check_interval_hours: number;
    readonly lifecycle_stage: string;
  };
  /** When the next test is to come; null: none is planned. */
  readonly nextRunAt: string | null;
  readonly status: string;
  readonly closed?: ClosedChecks;
  /** From when a test may be asked for again; absent: now. */
  readonly runAgainAt?: string;
  /** A run that is not over. */
  readonly asked?: OpenRun;
  /** Newest first; empty for one that opted out. */
  readonly runs: readonly OwnedRun[];
  readonly failed: ShownSteps;
  readonly statement?: ShownStatement;
  /** Undefined: this registry stores none. */
  readonly credential?: {
    readonly stored: boolean;
    readonly set_at: string | null;
    readonly kind: 'bearer' | 'oauth_client_credentials' | null;
    readonly unused_reason?: string;
  };
  readonly audit: readonly AuditRow[];
}

/** Checks in a row that could not judge the agent, by its doing. */
export interface ClosedChecks {
  readonly since: string;
  readonly checks: number;
  readonly reason: 'credential' | 'declaration';
  /** Each further one is a failing run for the badges. */
  readonly failsBadges: boolean;
}

export interface OpenRun {
  readonly run_id: string;
  readonly state: 'queued' | 'running';
  readonly asked_at: string;
  readonly so_far?: RunSoFar;
}

export interface OwnedRun {
  readonly run_id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly outcome: string;
  readonly inconclusive_reason: string | null;
  readonly status: string;
  readonly headline: string | null;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly storyboards_incomplete: number;
  readonly specialisms_untested: number;
  readonly dry_run: boolean;
  readonly partial: boolean;
  readonly triggered_by: string | null;
}

/** The failed steps of one run, without what went to and fro. */
export interface ShownSteps {
  readonly run_id: string | null;
  readonly steps: readonly ShownStep[];
  readonly steps_truncated?: true;
  /** What the command takes, beside the agent and the storyboard, that does it again: flags with their values. */
  readonly options: readonly (readonly [flag: string, value: string])[];
}

export interface ShownStep {
  readonly storyboard_id: string;
  readonly phase_id: string;
  readonly step_id: string;
  readonly title: string;
  readonly task: string;
  readonly duration_ms: number;
  /** What came instead of a valid answer. */
  readonly no_answer: {
    readonly error_class: string;
    readonly http_status?: number;
    readonly content_type?: string;
  } | null;
  readonly doc_ref: string | null;
  /** It builds on no earlier step: it can be repeated by itself. */
  readonly independent: boolean;
  readonly checks: readonly {
    readonly check: string;
    readonly message: string;
    readonly pointer: string | null;
    readonly expected: unknown;
    readonly actual: unknown;
  }[];
}

/** Why a run judged nothing, or only a part; for the owner, as the report of the run has it. */
export interface RunTroubles {
  readonly inconclusive?: Inconclusive;
  /** The request for tools or capabilities that was not answered, with the agent's words. */
  readonly unread?: {
    readonly request: string;
    readonly error_class: string;
    readonly http_status?: number;
    readonly content_type?: string;
    readonly words?: string;
  };
  /** The refusal because of which later steps were skipped; `message` has the agent's words. */
  readonly blocked_by?: {
    /** `storyboard/phase/step`. */
    readonly step: string;
    readonly task: string;
    readonly code?: string;
    readonly message: string;
    readonly steps_skipped: number;
  };
  /** `stored_since`: after the run was made. `never`: this registry stores none. */
  readonly credential: 'stored_before' | 'stored_since' | 'not_stored' | 'never';
}

/** Who did what to the agent. */
export interface AuditRow {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
}
