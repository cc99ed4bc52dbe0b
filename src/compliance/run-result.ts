import type { DeclarationFinding } from '../calling/declarations.ts';
import type { Protocol } from '../domain/agent-type.ts';
import type {
  Inconclusive,
  RunNotice,
  RunObservation,
  RunOutcome,
  RunTrigger,
  StoryboardOutcome,
  Unreachable,
} from '../domain/judged-run.ts';
import type { VocabularyName } from '../protocol/vocabulary.ts';
import type { NoAnswer, SkipReason, StepResult } from './step-result.ts';

/**
 * What a run of storyboards against one agent came to: plain JSON, as `agent-registry check --json` prints it and as the
 * records keep it. It says what was seen; what that means (status, tracks, badges) is computed from it in `verdict/`.
 */
export interface ComplianceRun {
  /** UUID. */
  readonly run_id: string;
  /** As it was named. */
  readonly agent_url: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly started_at: string;
  readonly finished_at: string;
  /** Whole milliseconds. */
  readonly duration_ms: number;
  readonly trigger: RunTrigger | null;
  /** Nothing that changes anything was called; the run is kept apart and changes no verdict. */
  readonly dry_run: boolean;
  /** Only some storyboards were asked for (by id or track): it says nothing of the rest, so it changes no verdict. */
  readonly partial?: true;
  readonly outcome: RunOutcome;
  /** With outcome `inconclusive`: why the agent cannot be judged by this run. */
  readonly inconclusive?: Inconclusive;
  /** With reason `declaration_unread`: the request that got no answer. Owner's eyes only. */
  readonly unread?: UnreadDeclaration;
  /** With outcome `unreachable`: what the handshakes came to. */
  readonly unreachable?: Unreachable;
  /** Before aliases were resolved, `3.0` for example; null in legacy runs. */
  readonly requested_compliance_target: string | null;
  /** The bundle of storyboards, `3.0.0` for example; null in legacy runs. */
  readonly proto_version: string | null;
  /** SHA-256 of the storyboards and test kits, `sha256:…`; absent in runs that were made elsewhere. */
  readonly bundle_digest?: string;
  /** The schemas that judged answers instead of ours, by their version and their SHA-256. */
  readonly schemas?: { readonly version: string | null; readonly digest: string };
  /** Of the runner; the verdict has its own. */
  readonly runner_version: string;
  /** SHA-256 of the code that judges and of our own schemas, `sha256:…`; absent in runs that were made elsewhere. */
  readonly runner_digest?: string;
  /** What the agent said of itself; null when it could not be asked. */
  readonly agent: AgentUnderTest | null;
  /** Every storyboard of the bundle that was selected, run or not, in the order in which they ran. */
  readonly storyboards: readonly StoryboardResult[];
  /** Those of the bundle that this agent has nothing to do with, each with its reason. */
  readonly not_selected: readonly NotSelected[];
  /** The steps of all of them, in the order in which they ran. */
  readonly steps: readonly StepResult[];
  readonly totals: RunTotals;
  /** What this runner could not evaluate of the bundle, each once; absent for nothing. Never held against the agent. */
  readonly limitations?: readonly RunnerLimitation[];
  /** The first refusal of an account, brand or operator, where later steps were skipped because of it. */
  readonly blocked_by?: BlockingRefusal;
  /** What the agent declares and could not be read as it was meant, with what it wrote. Owner's eyes only. */
  readonly unclear_declarations?: readonly DeclarationFinding[];
  /** Kept verbatim, unknown codes and severities too. */
  readonly notices: readonly RunNotice[];
  readonly observations: readonly RunObservation[];
  /** What the run made, and whether it could be taken back. */
  readonly made: readonly CreatedThing[];
  /** HTTP requests that were sent. */
  readonly requests: number;
}

/** A run with an end; every ComplianceRun has one, the word is for those who judge it. */
export type FinishedRun = ComplianceRun;

/** What the agent said in handshake, tool list and capabilities. */
export interface AgentUnderTest {
  readonly protocol: Protocol;
  readonly endpoint: string;
  readonly name?: string;
  /** Names in the protocol's words: `media_buy`, `creative`, … */
  readonly supported_protocols: readonly string[];
  /** The capabilities could not be read: what the agent declares is unknown, and not empty. */
  readonly capabilities_unread?: true;
  /** As declared, `sales-non-guaranteed` for example. */
  readonly specialisms: readonly string[];
  readonly supported_versions: readonly string[];
  /** By the name of its capabilities task; absent where it has none. */
  readonly vocabulary?: VocabularyName;
  /** `account.sandbox` of the capabilities. */
  readonly sandbox: boolean;
  readonly test_controller: boolean;
  readonly tools_count: number;
}

/** The tracks that are shown. A storyboard with another one is kept under its word, and counts for no track. */
export const TRACKS = [
  'core',
  'products',
  'media_buy',
  'creative',
  'signals',
  'audiences',
  'governance',
  'brand',
  'measurement',
  'reporting',
  'error_handling',
  'security',
] as const;

/** Why a storyboard was selected; `named` is one that was asked for by its id alone. */
export type Origin = 'universal' | 'baseline' | 'specialism' | 'named';

export interface StoryboardResult {
  readonly storyboard_id: string;
  readonly title: string;
  readonly category: string;
  /** One of TRACKS where the bundle is ours; any word in a foreign one. */
  readonly track: string;
  readonly version: string;
  readonly origin: Origin;
  /** The declared specialism that it is named after. */
  readonly specialism?: string;
  /** `fail` when a step failed; else `incomplete` with a coverage gap; else `pass` when a step ran; else `skipped`. */
  readonly result: StoryboardOutcome;
  /** Of the storyboard as a whole; absent when it was begun. */
  readonly skip_reason?: SkipReason;
  readonly skip_detail?: string;
  /** The whole or a step of it is a coverage gap. */
  readonly coverage_gap: boolean;
  /** A part of it could not be evaluated by this runner, so that a pass does not show all that it is for. */
  readonly limited?: true;
  readonly steps_total: number;
  readonly steps_passed: number;
  readonly steps_failed: number;
  readonly steps_skipped: number;
  readonly duration_ms: number;
}

export interface NotSelected {
  readonly storyboard_id: string;
  readonly skip_reason: SkipReason;
  readonly skip_detail: string;
}

/** What the selection of storyboards rests on, and could not be read. */
export interface UnreadDeclaration extends NoAnswer {
  /** `handshake`, `agent card`, `tools/list`, or the capabilities task by the name that was called. */
  readonly request: string;
  /** One sentence without the agent's words. */
  readonly message: string;
}

/** A part of the bundle that this runner cannot evaluate. */
export interface RunnerLimitation {
  /** `gate`: the storyboard, phase or step behind it did not run. */
  readonly kind: 'gate' | 'check' | 'member' | 'placeholder' | 'invariant' | 'contract' | 'task';
  /** As the bundle names it: `storyboard.requires: multi_agent`, `upstream_traffic`. */
  readonly name: string;
  /** Why, in one clause. Absent in runs of earlier versions, like `count`. */
  readonly reason?: string;
  /** How often the storyboards of this run have it. */
  readonly count?: number;
  /** Storyboards of this run that have it, sorted. */
  readonly storyboards: readonly string[];
}

/** A refusal because of which later steps could not run. Owner's eyes only. */
export interface BlockingRefusal {
  /** `storyboard/phase/step`. */
  readonly step: string;
  readonly task: string;
  readonly code?: string;
  /** The agent's words, redacted and cut at 300 characters. */
  readonly message: string;
  /** Steps that were skipped because of it. */
  readonly steps_skipped: number;
}

export interface RunTotals {
  readonly storyboards: ResultCounts & { readonly incomplete: number };
  readonly steps: ResultCounts;
  readonly checks: {
    readonly total: number;
    readonly passed: number;
    readonly failed: number;
    readonly not_applicable: number;
  };
}

export interface ResultCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface CreatedThing {
  /** `media_buy`, … */
  readonly kind: string;
  readonly id: string;
  /** The step that made it, `storyboard/phase/step`. */
  readonly step: string;
  readonly cancelled: 'yes' | 'no' | 'not_tried';
  readonly detail?: string;
}
