import { elements, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { codeOf } from '../checks/answers.ts';
import { firstAt } from '../json-path.ts';
import type { Origin } from '../run-result.ts';
import type { Skip, StepResult } from '../step-result.ts';
import { allSteps, type Phase, type Step, type StepAuth, type Storyboard } from '../storyboard.ts';
import { conventionalNames } from '../storyboards/conventions.ts';
import { isForeignContract, isForeignTask, unknownPlaceholders } from './limitations.ts';
import { MAX_SILENT_CALLS, type RunState } from './run-state.ts';

/** A step that was not run, with its reason. */
export function skipped(place: PlacedStep, skip: Skip): StepResult {
  return {
    ...stepHead(place),
    result: 'skipped',
    skip_reason: skip.reason,
    skip_detail: skip.detail,
    coverage_gap: skip.coverage_gap,
    ...(skip.notEvaluated && { not_evaluated: skip.notEvaluated }),
    duration_ms: 0,
    checks: [],
  };
}

interface PlacedStep {
  readonly storyboard: Storyboard;
  readonly phase: Phase;
  readonly step: Step;
}

export function stepHead({ storyboard, phase, step }: PlacedStep) {
  return {
    storyboard_id: storyboard.id,
    phase_id: phase.id,
    step_id: step.id,
    title: step.title,
    task: step.task,
    ...(step.docRef !== undefined && { doc_ref: step.docRef }),
  };
}

/** An agent is right to refuse what the schema refuses: the sample is wrong. A part of a request names no schema of its own. */
export function brokenRequest(
  { bundle: { schemas } }: RunState,
  step: Step,
  payload: JsonObject,
): Skip | undefined {
  const named = step.requestSchema === undefined ? undefined : schemas?.find(step.requestSchema);
  const path = named ?? (step.isPartial ? schemas?.ofTask(step.task, 'request') : undefined);
  const [first] = (path !== undefined && schemas?.check(path, payload)) || [];
  if (first === undefined) return undefined;
  const detail = `the request of the storyboard does not match ${path}: ${first.pointer} ${first.message}`;
  return { reason: 'requirement_unmet', detail: detail.slice(0, 300), coverage_gap: true };
}

/**
 * The same of an account that no step of the storyboard has opened: a seller opens one when it is asked to, and not before.
 * An account with an id is one that the agent itself has named, so that it must find it.
 */
export function unopened(
  { id }: Storyboard,
  { payload, answer, steps }: { payload: JsonObject; answer: TaskAnswer; steps: readonly StepResult[] },
): Skip | undefined {
  if (codeOf(answer) !== 'ACCOUNT_NOT_FOUND' || firstAt(payload, 'account.account_id').present)
    return undefined;
  const isOpened = steps.some(
    ({ storyboard_id, task, result }) =>
      storyboard_id === id && task === 'sync_accounts' && result === 'pass',
  );
  if (isOpened) return undefined;
  const detail = 'the storyboard uses an account that none of its steps opened';
  return { reason: 'requirement_unmet', detail, coverage_gap: true };
}

/** A step for another kind of runner says nothing about the agent. */
export function foreignStep(step: Step): Skip | undefined {
  const { contract, task } = step;
  const placeholders = unknownPlaceholders(step);
  if (placeholders.length > 0) {
    const detail = `this runner does not support the placeholder ${placeholders.join(', ')}`.slice(0, 300);
    return { reason: 'not_applicable', detail, coverage_gap: false, notEvaluated: placeholders };
  }
  const name = isForeignContract(contract) ? `the contract ${contract}` : isForeignTask(task) && task;
  if (name === false) return undefined;
  const detail = `this runner does not offer ${name.slice(0, 100)}`;
  return { reason: 'not_applicable', detail, coverage_gap: false };
}

/** True for a step that was skipped because it does not apply, and not because its answer was not counted. */
function doesNotApply({ result, skip_reason: reason, tried, advice }: StepResult): boolean {
  return result === 'skipped' && reason === 'not_applicable' && tried !== true && advice !== true;
}

/**
 * A step that refers to values which no earlier step provided. It shares the reason of the steps that were to provide
 * them: it does not apply where they do not, and is a gap where they are.
 */
export function unfilled(
  missing: readonly { readonly text: string; readonly root: string; readonly name: string }[],
  storyboard: Storyboard,
  results: readonly StepResult[],
): Skip | undefined {
  if (missing.length === 0) return undefined;
  if (missing.every(({ root }) => root === 'runner')) return NO_RECEIVER;
  const names = [...new Set(missing.map(({ text }) => text))].slice(0, 5).join(', ');
  const providers = missing.map(({ name }) =>
    allSteps(storyboard).filter(
      ({ outputs, id, task }) =>
        id === name ||
        outputs.some((output) => output.name === name) ||
        conventionalNames(task).includes(name),
    ),
  );
  if (providers.some((steps) => steps.length === 0))
    return { reason: 'requirement_unmet', detail: `no value for ${names}`, coverage_gap: false };
  const came = providers.flat().flatMap(({ id }) => results.find(({ step_id }) => step_id === id) ?? []);
  return buildsOn(came, () => `no earlier step provided ${names}`);
}

/**
 * Why a step is skipped that builds on these: it does not apply where they do not. Where one failed, that says it all;
 * otherwise it is a gap if they are, or if their answers were not counted.
 */
export function buildsOn(base: readonly StepResult[], detail: (why: string) => string): Skip {
  if (base.length > 0 && base.every(doesNotApply))
    return { reason: 'not_applicable', detail: detail('does not apply'), coverage_gap: false };
  const isGap = base.some(
    ({ coverage_gap: gap, advice, tried }) => gap === true || advice === true || tried === true,
  );
  return {
    reason: 'prerequisite_failed',
    detail: detail('did not pass'),
    coverage_gap: isGap && base.every(({ result }) => result !== 'fail'),
  };
}

/** Why an `assert_contribution` has nothing to assert: every branch that could contribute was skipped. */
export function skippedBranches(
  storyboard: Storyboard,
  { validations }: Step,
  results: readonly StepResult[],
): Skip | undefined {
  const flags = new Set(validations.flatMap(({ allowed_values: allowed = [] }) => allowed.map(String)));
  // a step that may contribute only when another one passed is skipped with that one
  const ids = allSteps(storyboard).flatMap(({ id, contributesTo, contributesIf = id }) =>
    contributesTo !== undefined && flags.has(contributesTo) ? [contributesIf] : [],
  );
  const branches = results.filter(({ step_id: id }) => ids.includes(id));
  const isSkipped = ({ result, tried, advice }: StepResult) =>
    result === 'skipped' && tried !== true && advice !== true;
  if (branches.length === 0 || !branches.every(isSkipped)) return undefined;
  return buildsOn(branches, () => 'every alternative was skipped');
}

export const UNSIGNED = 'the run had no signing key';

/** Without a signing key, steps that must be signed say nothing about the agent; if the agent requires that, neither does the run. */
export function unsigned({ auth, task }: Step, state: RunState): Skip | undefined {
  if (state.canSign) return undefined;
  const skip = { reason: 'requirement_unmet', coverage_gap: true } as const;
  if (auth === 'signed' || auth === 'broken_signature' || auth === 'replayed_signature')
    return { ...skip, detail: UNSIGNED };
  const signing = firstAt(state.conversation.capabilities, 'request_signing.required_for').value;
  if (auth !== 'given' || !elements(signing).includes(task)) return undefined;
  state.wants ??= 'signing_key';
  return { ...skip, detail: `the agent requires ${task} to be signed, and ${UNSIGNED}` };
}

export function silenced({ silentCalls, exhausted }: RunState): Skip | undefined {
  if (exhausted !== undefined)
    return { reason: 'prerequisite_failed', detail: exhausted.detail, coverage_gap: false };
  if (silentCalls < MAX_SILENT_CALLS) return undefined;
  return { reason: 'prerequisite_failed', detail: 'the agent stopped answering', coverage_gap: false };
}

export const STOPPED: Skip = {
  reason: 'requirement_unmet',
  detail: 'the run stopped before this step',
  coverage_gap: false,
};
export const NO_CREDENTIAL: Skip = {
  reason: 'requirement_unmet',
  detail: 'the agent requires a credential, and the run had none',
  coverage_gap: true,
};

/** The agent asks for credentials where none were given: the step says nothing of it. */
export function wantsCredential(answer: TaskAnswer, auth: StepAuth, hasCredential: boolean): boolean {
  if (hasCredential || auth !== 'given') return false;
  if (answer.outcome === 'failed') return answer.failure.errorClass === 'auth_required';
  if (answer.outcome === 'answered') return false;
  return /^(auth_required|auth_missing|unauthori[sz]ed|authentication_required)$/i.test(
    answer.error.code ?? '',
  );
}

export const NO_RECEIVER: Skip = {
  reason: 'requirement_unmet',
  detail: 'the run has no webhook receiver that the agent can reach; set one with --webhooks',
  coverage_gap: true,
};

const LACKS: ReadonlySet<string | undefined> = new Set([
  'missing_tool',
  'prerequisite_failed',
  'fixture_unavailable',
]);

/**
 * Whether the substance of a storyboard was not run: more steps were skipped because something is missing than passed, or
 * for a specialism all steps of a phase that is not optional.
 */
export function isHollow(phases: readonly Phase[], steps: readonly StepResult[], origin: Origin): boolean {
  const lacking = steps.filter(
    ({ skip_reason: reason, ...step }) => LACKS.has(reason) && !isConditional(phases, step),
  );
  if (lacking.length > steps.filter(({ result }) => result === 'pass').length) return true;
  if (origin !== 'specialism') return false;
  return phases.some(({ id, optional }) => {
    const own = steps.filter(({ phase_id: phase }) => phase === id);
    return !optional && own.length > 0 && own.every((step) => lacking.includes(step));
  });
}

/** A step that its author asks only of agents with some tool is not missing from the others. */
function isConditional(
  phases: readonly Phase[],
  { phase_id: phase, step_id: id }: Pick<StepResult, 'phase_id' | 'step_id'>,
): boolean {
  const own = phases.find((one) => one.id === phase)?.steps.find((one) => one.id === id);
  return (own?.requiresTool.length ?? 0) > 0;
}

/** What the agent does not offer, another step of the phase may do for it: `provides_state_for` of the public format. */
export function hasStandIn({ steps }: Phase, { id }: Step, { skip_reason: reason }: StepResult): boolean {
  if (reason !== 'missing_tool' && reason !== 'missing_test_controller') return false;
  return steps.some(({ standsInFor }) => standsInFor.includes(id));
}

/** Whether later stateful steps built on this one. A refusal that came for another reason than expected changed nothing. */
export function isFoundation(
  { stateful, outputs, expectsError }: Step,
  { result, skip_reason: reason, evidence, not_evaluated: notEvaluated }: StepResult,
): boolean {
  // a step that this runner cannot send leaves later ones without its state, which is not the agent's fault
  if (result === 'skipped' && reason === 'not_applicable' && notEvaluated === undefined) return false;
  if (!stateful && outputs.length === 0) return false;
  return !expectsError || evidence?.outcome === 'answered';
}
