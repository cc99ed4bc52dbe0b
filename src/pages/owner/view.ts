import type { Inconclusive } from '../../domain/judged-run.ts';
import type { RunSoFar } from '../../domain/run-so-far.ts';
import type { ProtocolLines } from '../protocol-lines.ts';
import type { ShownStatement } from '../statement.ts';
import type { BadgeEligibility } from './badge-eligibility.ts';

/** The data of an owner's page, named as in the operations; times are RFC 3339. */
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
    readonly compliance_target: string | null;
    readonly test_setup: {
      readonly operator?: string;
      readonly brand?: { readonly domain: string };
      readonly account?: { readonly account_id: string };
    } | null;
  };
  /** The next scheduled test; null: none. */
  readonly nextRunAt: string | null;
  readonly status: string;
  readonly closed?: ClosedChecks;
  /** It was never tested for this owner. */
  readonly isFirst: boolean;
  /** From when a test may be started again; absent: now. */
  readonly runAgainAt?: string;
  /** A run that is queued or running. */
  readonly asked?: OpenRun;
  /** Newest first; empty for one that opted out. */
  readonly runs: readonly OwnedRun[];
  /** Of the latest test that is not inconclusive. */
  readonly failed: ShownSteps;
  /** The latest test is inconclusive. */
  readonly inconclusive?: ShownSteps['inconclusive'];
  readonly statement?: ShownStatement;
  /** With bundles in preview; absent for an agent that opted out of tests. */
  readonly protocol?: ProtocolLines;
  readonly eligibility: BadgeEligibility;
  /** The active ones. */
  readonly badges: readonly {
    readonly role: string;
    readonly line: string;
    readonly grace_since: string | null;
  }[];
  /** Undefined: this registry stores none. */
  readonly credential?: {
    readonly stored: boolean;
    readonly set_at: string | null;
    readonly kind: 'bearer' | 'oauth_client_credentials' | null;
    readonly unused_reason?: string;
  };
  /** A page of the audit log, newest first. */
  readonly audit: readonly AuditRow[];
  /** The cursor of the next page; null: this is the last. */
  readonly auditNext: string | null;
}

/** Consecutive tests that were inconclusive because of the agent. */
export interface ClosedChecks {
  readonly since: string;
  readonly checks: number;
  readonly reason: 'credential' | 'declaration';
  /** Each further one counts as a failing run for the badges. */
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
  readonly requested_compliance_target: string | null;
  /** The version of the bundle; null: unknown. */
  readonly proto_version: string | null;
  readonly decides: boolean;
  readonly preview: boolean;
  readonly dry_run: boolean;
  readonly partial: boolean;
  readonly triggered_by: string | null;
}

/** The failed steps of one run, without requests and responses. */
export interface ShownSteps {
  readonly run_id: string | null;
  readonly steps: readonly ShownStep[];
  readonly steps_truncated?: true;
  /** The run is inconclusive. */
  readonly inconclusive?: Inconclusive & {
    readonly credential: RunTroubles['credential'];
    /** `storyboard/phase/step` of the first step that could not run for this reason, and how many there are. */
    readonly blocked?: { readonly step: string; readonly steps: number };
  };
  /** Flags of the command that repeats the step, with their values; the agent and the storyboard are not among them. */
  readonly options: readonly (readonly [flag: string, value: string])[];
}

export interface ShownStep {
  readonly storyboard_id: string;
  readonly phase_id: string;
  readonly step_id: string;
  readonly title: string;
  readonly task: string;
  readonly duration_ms: number;
  /** What was received instead of a valid answer. */
  readonly no_answer: {
    readonly error_class: string;
    readonly http_status?: number;
    readonly content_type?: string;
  } | null;
  readonly doc_ref: string | null;
  /** It depends on no earlier step, so it can be repeated alone. */
  readonly independent: boolean;
  readonly checks: readonly {
    readonly check: string;
    readonly message: string;
    readonly pointer: string | null;
    readonly expected: unknown;
    readonly actual: unknown;
  }[];
}

/** Why a run was inconclusive or incomplete; for the owner, from the report of the run. */
export interface RunTroubles {
  readonly inconclusive?: Inconclusive;
  /** The request for tools or capabilities that failed, with the agent's message. */
  readonly unread?: {
    readonly request: string;
    readonly error_class: string;
    readonly http_status?: number;
    readonly content_type?: string;
    readonly words?: string;
  };
  /** The refusal that made later steps impossible; `message` is the agent's. */
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

/** One entry of the audit log. */
export interface AuditRow {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
}
