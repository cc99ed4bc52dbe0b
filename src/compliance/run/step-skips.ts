import { elements, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { codeOf } from '../checks/answers.ts';
import { firstAt } from '../json-path.ts';
import type { Origin } from '../run-result.ts';
import type { Skip, StepResult } from '../step-result.ts';
import { allSteps, type Phase, type Step, type StepAuth, type Storyboard } from '../storyboard.ts';
import { conventionalNames } from '../storyboards/conventions.ts';
import { MAX_SILENT_CALLS, type RunState } from './run-state.ts';

/** A step that was not run, with its reason. */
export function skipped(place: PlacedStep, skip: Skip): StepResult {
  return {
    ...stepHead(place),
    result: 'skipped',
    skip_reason: skip.reason,
    skip_detail: skip.detail,
    coverage_gap: skip.coverage_gap,
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
  const detail = `the request of the storyboard breaks ${path}: ${first.pointer} ${first.message}`;
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
  const detail = 'the storyboard names an account that none of its steps has opened';
  return { reason: 'requirement_unmet', detail, coverage_gap: true };
}

/** What the public bundle calls the abilities of a runner that this one has. */
const CONTRACTS: readonly string[] = [
  'webhook_receiver_runner',
  'substitution_observer_runner',
  'signed_requests_runner',
];

/** A step for a kind of runner that this one is not says nothing of the agent. */
export function beyondUs({ contract }: Step): Skip | undefined {
  if (contract === undefined || CONTRACTS.includes(contract)) return undefined;
  const detail = `it needs the contract ${contract.slice(0, 64)}, which this run does not offer`;
  return { reason: 'not_applicable', detail, coverage_gap: false };
}

/** What a step refers to and nobody provided: an earlier step failed to, or the storyboard has no such step. */
export function unfilled(
  missing: readonly { readonly text: string; readonly root: string; readonly name: string }[],
  storyboard: Storyboard,
): Skip | undefined {
  if (missing.length === 0) return undefined;
  if (missing.every(({ root }) => root === 'runner')) return NO_RECEIVER;
  const provided = new Set(
    allSteps(storyboard).flatMap(({ outputs, id, task }) => [
      id,
      ...outputs.map(({ name }) => name),
      ...conventionalNames(task),
    ]),
  );
  const names = [...new Set(missing.map(({ text }) => text))].slice(0, 5).join(', ');
  const earlier = missing.every(({ name }) => provided.has(name));
  return earlier
    ? { reason: 'prerequisite_failed', detail: `no earlier step provided ${names}`, coverage_gap: false }
    : { reason: 'requirement_unmet', detail: `there is no value for ${names}`, coverage_gap: false };
}

/** Without a key of ours, what has to be signed says nothing of the agent; where it declares that, the run says nothing at all. */
export function unsigned({ auth, task }: Step, state: RunState): Skip | undefined {
  if (state.canSign) return undefined;
  const told = { reason: 'requirement_unmet', coverage_gap: false } as const;
  if (auth === 'signed' || auth === 'broken_signature' || auth === 'replayed_signature')
    return { ...told, detail: 'no signing key was given' };
  const signing = firstAt(state.conversation.capabilities, 'request_signing.required_for').value;
  if (auth !== 'given' || !elements(signing).includes(task)) return undefined;
  state.wants ??= 'signing_key';
  return { ...told, detail: `the agent takes ${task} only when it is signed, and no signing key was given` };
}

export function silenced({ silentCalls, exhausted }: RunState): Skip | undefined {
  if (exhausted !== undefined)
    return { reason: 'prerequisite_failed', detail: exhausted.detail, coverage_gap: false };
  if (silentCalls < MAX_SILENT_CALLS) return undefined;
  return { reason: 'prerequisite_failed', detail: 'the agent stopped answering', coverage_gap: false };
}

export const STOPPED: Skip = {
  reason: 'requirement_unmet',
  detail: 'the run was stopped before it',
  coverage_gap: false,
};
export const NO_CREDENTIAL: Skip = {
  reason: 'requirement_unmet',
  detail: 'the agent asks for credentials, and none were given',
  coverage_gap: false,
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
  detail: 'there is no receiver that the agent could post webhooks to; --webhooks names one',
  coverage_gap: true,
};

const LACKS: ReadonlySet<string | undefined> = new Set([
  'missing_tool',
  'prerequisite_failed',
  'fixture_unavailable',
]);

/**
 * Whether what it is about was not run: more steps lacked something than passed, or for a specialism all steps of a phase
 * that is not optional.
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

/** What its author wants only of agents with some tool is nothing that others lack. */
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
  { result, skip_reason: reason, evidence }: StepResult,
): boolean {
  if (result === 'skipped' && reason === 'not_applicable') return false;
  if (!stateful && outputs.length === 0) return false;
  return !expectsError || evidence?.outcome === 'answered';
}
