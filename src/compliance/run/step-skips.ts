import { elements, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { firstAt } from '../json-path.ts';
import type { Skip } from '../step-result.ts';
import { allSteps, type Step, type StepAuth, type Storyboard } from '../storyboard.ts';
import { conventionalNames } from '../storyboards/conventions.ts';
import { MAX_SILENT_CALLS, type RunState } from './run-state.ts';

/** An agent is right to refuse what the protocol's own schema refuses: the sample is wrong, and says nothing of it. */
export function brokenRequest(
  { bundle: { schemas } }: RunState,
  step: Step,
  payload: JsonObject,
): Skip | undefined {
  const path = step.requestSchema === undefined ? undefined : schemas?.find(step.requestSchema);
  const [first] = (path !== undefined && schemas?.check(path, payload)) || [];
  if (first === undefined) return undefined;
  const detail = `the request of the storyboard breaks ${path}: ${first.pointer} ${first.message}`;
  return { reason: 'requirement_unmet', detail: detail.slice(0, 300), coverage_gap: true };
}

/** What a step refers to and nobody provided: an earlier step failed to, or the storyboard has no such step. */
export function unfilled(
  missing: readonly { readonly text: string; readonly name: string }[],
  storyboard: Storyboard,
): Skip | undefined {
  if (missing.length === 0) return undefined;
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
  state.wantsCredential = true;
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
