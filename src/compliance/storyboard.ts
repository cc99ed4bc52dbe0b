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
  /** `requires` of the public format: `controller`, `webhook_receiver`, … All must be met. */
  readonly requires: readonly string[];
  /** `required_any_of_tools`: of each family one tool must be offered. */
  readonly requiredToolFamilies: readonly (readonly string[])[];
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
  /** Requirements that this runner does not understand: the storyboard never runs. */
  readonly unknownGates?: readonly string[];
  /** Other parts that this runner cannot evaluate, without those of its phases. */
  readonly notEvaluated?: readonly string[];
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
  /** Earlier phases that it builds on; absent for all of them, empty for none. */
  readonly dependsOn?: readonly string[];
  readonly requiredCapabilities: readonly CapabilityNeed[];
  readonly skipIf?: string;
  /** Optional phases with the same id are alternatives. */
  readonly branchSet?: string;
  readonly steps: readonly Step[];
  /** Requirements that this runner does not understand: the phase never runs. */
  readonly unknownGates?: readonly string[];
  /** Other parts that this runner cannot evaluate, without those of its steps. */
  readonly notEvaluated?: readonly string[];
}

export interface Step {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly stateful: boolean;
  /** One of them must be offered. */
  readonly requiresTool: readonly string[];
  readonly request: JsonObject;
  /** Fields that replace those of the request to agents of the public vocabulary. */
  readonly publicRequest?: JsonObject;
  /** Its task is left to the test kit, and the agent need not offer it. */
  readonly isTaskOfKit: boolean;
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
  /** The request is sent several times at once. */
  readonly parallel?: ParallelDispatch;
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
  /** The text that does not demand it, in one sentence. */
  readonly adviceBecause?: string;
  /** The flag that it raises when it passes. */
  readonly contributesTo?: string;
  /** The step that must have passed for that. */
  readonly contributesIf?: string;
  readonly outputs: readonly ContextOutput[];
  readonly validations: readonly Validation[];
  /** `severity: advisory`: what fails is an observation, and the step passes. */
  readonly isAdvisory: boolean;
  /** Where the bundle documents what it asks for. */
  readonly docRef?: string;
  /** Requirements that this runner does not understand: the step never runs. */
  readonly unknownGates?: readonly string[];
  /** Members and values that this runner cannot evaluate, without those of its checks: its result is not counted. */
  readonly notEvaluated?: readonly string[];
}

/** `parallel_dispatch` of the public format. */
export interface ParallelDispatch {
  /** From 2 to 10. */
  readonly count: number;
  /** False: each request has an idempotency key of its own. */
  readonly sameKey: boolean;
}

/**
 * As whom a step is called. `given` is the run's own token and signature; `invalid`, `invalid_jwt` and `invalid_basic` are
 * credentials made up for the run; `unsigned` is the token alone; `broken_signature` is a signature that does not hold, and
 * `replayed_signature` one on a message that was sent before.
 */
export type StepAuth =
  | 'given'
  | 'none'
  | 'invalid'
  | 'invalid_jwt'
  | 'invalid_basic'
  | 'unsigned'
  | 'signed'
  | 'broken_signature'
  | 'replayed_signature'
  | { readonly literal: string };

export interface ContextOutput {
  readonly name: string;
  readonly path?: string;
  /** Where agents of the public vocabulary have it, when that is another place. */
  readonly publicPath?: string;
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
  /** Where agents of the public vocabulary have it, when that is another place. */
  readonly public_path?: string;
  readonly value?: unknown;
  readonly allowed_values?: readonly unknown[];
  readonly context_key?: string;
  /** For field_pattern: the source of a JavaScript regular expression. */
  readonly pattern?: string;
  readonly description?: string;
  /** For refs_resolve: the references, what they refer to, and which of them count. */
  readonly source?: unknown;
  readonly target?: unknown;
  readonly match_keys?: readonly unknown[];
  readonly scope?: unknown;
  readonly on_out_of_scope?: unknown;
  /** For replay_equals: the step that was answered first. */
  readonly step?: string;
  /** To agents of this vocabulary it is advice. */
  readonly advice_for?: string;
  /** `advisory`: what fails is an observation. Default `required`. */
  readonly severity?: string;
  /** Marks an advisory check that stays one in every version. */
  readonly permanent_advisory?: unknown;
  /** What this runner cannot evaluate of it; the check is not applicable then. */
  readonly notEvaluated?: string;
  /** The text that does not demand it; required with `advice_for`. */
  readonly advice_because?: string;
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
  'impairment.coherence',
];

/** `storyboard/phase/step`: the name of a step inside a run. */
export function stepKey(storyboard: string, phase: string, step: string): string {
  return `${storyboard}/${phase}/${step}`;
}

/** The steps of all phases. */
export function allSteps({ phases }: Storyboard): readonly Step[] {
  return phases.flatMap(({ steps }) => steps);
}
