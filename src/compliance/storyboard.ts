import type { JsonObject } from '../base/json.ts';

/** A storyboard as it is run: the public YAML format (schemas/storyboard.json) with what was left out filled in. */
export interface Storyboard {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly category: string;
  readonly summary: string;
  readonly track: string;
  /** At least one of these must be offered; empty for any agent. */
  readonly requiredTools: readonly string[];
  readonly requiredCapabilities: readonly CapabilityNeed[];
  /** Storyboards that must have passed before. */
  readonly prerequisites: readonly string[];
  /** Storyboards that are run with it. */
  readonly requiredScenarios: readonly string[];
  /** What is seeded before the first phase. */
  readonly fixtures: readonly Fixture[];
  readonly context: JsonObject;
  /** Of the test kit that it names: whom the run plays, and what goes with that. */
  readonly testKit: JsonObject;
  /** What has to hold across its steps, `status.monotonic` for example. */
  readonly invariants: readonly string[];
  readonly phases: readonly Phase[];
  /** What of it is not understood, its steps apart: it tests less than it says, so it is a gap. */
  readonly open?: readonly string[];
}

export interface CapabilityNeed {
  readonly path: string;
  readonly equals?: unknown;
  readonly contains?: unknown;
  readonly present?: boolean;
}

export interface Fixture {
  /** Of the test controller, `seed_product` for example. */
  readonly scenario: string;
  readonly params: JsonObject;
}

export interface Phase {
  readonly id: string;
  readonly title: string;
  readonly optional: boolean;
  readonly dependsOn: readonly string[];
  readonly requiredCapabilities: readonly CapabilityNeed[];
  readonly skipIf?: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly stateful: boolean;
  /** One of them must be offered. */
  readonly requiresTool: readonly string[];
  readonly request: JsonObject;
  /** Its task is left to the test kit, so it says only what is new: the rest is of a request that was accepted before. */
  readonly isPartial: boolean;
  /** Kept values that go to a place of the request after everything else. */
  readonly inputs: readonly ContextInput[];
  /** Where the schema of the answer stands in the bundle's set, `media-buy/get-products-response.json`. */
  readonly responseSchema?: string;
  readonly requestSchema?: string;
  /** Steps of the same phase that need not be offered when this one passes. */
  readonly standsInFor: readonly string[];
  /** What the runner has to be able to do for it, `webhook_receiver_runner` for example. */
  readonly contract?: string;
  /** Members that only some kinds of steps have, as the file has them. */
  readonly more: JsonObject;
  readonly omitKey: boolean;
  readonly auth: StepAuth;
  readonly timeoutMs?: number;
  /** A refusal is as good as an answer: the file says that its request breaks the schema, and not that it is to be refused. */
  readonly mayRefuse: boolean;
  /** The agent has to refuse; told by the step, or by checks that only a refusal can pass. */
  readonly expectsError: boolean;
  /** To agents of this vocabulary it is advice: whatever comes of it decides nothing. */
  readonly adviceFor?: string;
  /** The flag that it raises when it passes. */
  readonly contributesTo?: string;
  /** The step that must have passed for that. */
  readonly contributesIf?: string;
  readonly outputs: readonly ContextOutput[];
  readonly validations: readonly Validation[];
  /** What of it is not understood; absent for nothing. It cannot pass then. */
  readonly open?: readonly string[];
}

/**
 * As whom a step is called. `given` is the run's own token and signature; `invalid` and `invalid_jwt` are tokens made
 * up for the run; `unsigned` is the token alone; `broken_signature` is a signature that does not hold, and
 * `replayed_signature` one on a message that was sent before.
 */
export type StepAuth =
  | 'given'
  | 'none'
  | 'invalid'
  | 'invalid_jwt'
  | 'unsigned'
  | 'signed'
  | 'broken_signature'
  | 'replayed_signature'
  | { readonly literal: string };

export interface ContextOutput {
  readonly name: string;
  readonly path?: string;
  readonly generate?: string;
  /** Absent when there is none; its value may be anything. */
  readonly fallback?: { readonly value: unknown };
}

export interface ContextInput {
  /** Of the kept value. */
  readonly name: string;
  readonly path: string;
}

/** A check as the storyboard has it; which members count depends on its kind. */
export interface Validation {
  readonly check: string;
  readonly path?: string;
  readonly value?: unknown;
  readonly allowed_values?: readonly unknown[];
  readonly context_key?: string;
  readonly description?: string;
  /** For refs_resolve: the references, what they refer to, and which of them count. */
  readonly source?: unknown;
  readonly target?: unknown;
  readonly match_keys?: readonly unknown[];
  readonly scope?: unknown;
  readonly on_out_of_scope?: unknown;
  /** To agents of this vocabulary it is advice. */
  readonly advice_for?: string;
  /** What of it is not understood, so that nothing can be looked at. */
  readonly open?: string;
}

/** A signed request of the public bundle, and what a verifier has to make of it. */
export interface SignatureVector {
  /** `negative/002-wrong-tag`. */
  readonly name: string;
  readonly document: JsonObject;
  /** The set that its keys stand in; they are public, and for tests alone. */
  readonly keys: readonly unknown[];
}

/** The same request as it can be sent to this agent now. */
export interface SignedVector {
  /** The task that it calls. */
  readonly task: string;
  readonly arguments: JsonObject;
  readonly document: SignatureVector;
  /** Twice: the second time is the one that counts. */
  readonly twice: boolean;
}

/** What may have to hold across the steps of a storyboard (src/compliance/special/invariants.ts). */
export const INVARIANT_NAMES: readonly string[] = [
  'status.monotonic',
  'governance.denial_blocks_mutation',
  'idempotency.conflict_no_payload_leak',
  'context.no_secret_echo',
];

/** `storyboard/phase/step`: the name of a step inside a run. */
export function stepKey(storyboard: string, phase: string, step: string): string {
  return `${storyboard}/${phase}/${step}`;
}

/** The steps of all phases. */
export function allSteps({ phases }: Storyboard): readonly Step[] {
  return phases.flatMap(({ steps }) => steps);
}
