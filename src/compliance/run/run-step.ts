import { elements, type JsonObject } from '../../base/json.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import { CONTRIBUTION_CHECK } from '../checks/table.ts';
import { ASSERT_CONTRIBUTION, mayRunStep, withdrawsConsent } from '../conversation/consent.ts';
import { firstAt } from '../json-path.ts';
import type { Origin } from '../run-result.ts';
import type { CheckResult, Skip, StepResult } from '../step-result.ts';
import { allSteps, type Phase, type Step, type Storyboard, stepKey } from '../storyboard.ts';
import { type Context, fillRequest } from './context.ts';
import { noteCreated } from './created.ts';
import { evidenceOf, judgeStep, payloadOf } from './judge-step.ts';
import {
  effectiveAgent,
  isOver,
  isOwnFault,
  MAX_SILENT_CALLS,
  type RunState,
  shareOfTime,
  wantsCredential,
} from './run-state.ts';

/** A step in its place. */
export interface StepPlace {
  readonly storyboard: Storyboard;
  readonly phase: Phase;
  readonly step: Step;
  readonly origin: Origin;
  readonly context: Context;
  /** Flags that were raised. */
  readonly flags: ReadonlySet<string>;
}

/** Runs one step: asks whether it may, fills its request, calls, and holds the answer against its checks. Never rejects for anything an agent does. */
export async function runStep(state: RunState, place: StepPlace): Promise<StepResult> {
  const { step, storyboard, phase, context, flags } = place;
  if (step.task === ASSERT_CONTRIBUTION) return assertContribution(place, flags);
  for (const { name, generate } of step.outputs)
    if (generate !== undefined) context.values.set(name, context.uuid(`output ${name}`));
  const label = `${phase.id}/${step.id}`;
  const { payload, missing } = fillRequest(step, label, context, state.values);
  const refused = mayRunStep({
    step,
    payload,
    agent: effectiveAgent(state),
    tools: state.tools,
    origin: place.origin,
    dryRun: state.dryRun,
  });
  const skip = refused ?? unfilled(missing, storyboard) ?? unsigned(step, state) ?? silenced(state);
  if (skip !== undefined) return skipped(place, skip);
  return callStep(state, place, payload, stepKey(storyboard.id, phase.id, step.id));
}

/** A step that was not run, with its reason. */
export function skipped(
  { storyboard, phase, step }: Omit<StepPlace, 'context' | 'flags' | 'origin'>,
  skip: Skip,
): StepResult {
  return {
    ...head(storyboard, phase, step),
    result: 'skipped',
    skip_reason: skip.reason,
    skip_detail: skip.detail,
    coverage_gap: skip.coverage_gap,
    duration_ms: 0,
    checks: [],
  };
}

async function callStep(
  state: RunState,
  place: StepPlace,
  payload: JsonObject,
  key: string,
): Promise<StepResult> {
  const { step, context } = place;
  if (isOver(state)) return skipped(place, STOPPED);
  const wished = step.timeoutMs ?? state.stepMs;
  const left = state.endsAt - state.clock.now();
  const callMs = Math.max(1, Math.min(wished, left));
  const outcome = await state.conversation.call({
    key,
    task: step.task,
    payload,
    auth: step.auth,
    callMs,
  });
  const { name, answer, waited } = outcome;
  const judgement = judgeStep({ step, answer, context, run: state.values, version: state.version });
  noteCreated(state, step.task, payload, answer, key);
  if (withdrawsConsent(step, answer)) state.withdrawn = true;
  if (!judgement.passed) {
    if (await isOwnFault(state, outcome, left < wished)) return skipped(place, STOPPED);
    if (wantsCredential(answer, step.auth, state.hasCredential)) {
      state.wantsCredential = true;
      return skipped(place, NO_CREDENTIAL);
    }
  }
  const silent = answer.outcome === 'failed' && OF_THE_NETWORK.includes(answer.failure.errorClass);
  if (step.auth === 'given') state.silentCalls = silent ? state.silentCalls + 1 : 0;
  if (judgement.passed) keep(place, judgement.kept, payloadOf(answer));
  const isLate = waited !== undefined && waited.waitedMs > shareOfTime(state);
  const evidence = judgement.passed && !isLate ? undefined : evidenceOf(name, payload, answer);
  const result: StepResult = {
    ...head(place.storyboard, place.phase, step),
    result: judgement.passed ? 'pass' : 'fail',
    duration_ms: answer.durationMs,
    checks: judgement.checks,
    ...(!judgement.passed && evidence && { evidence }),
  };
  if (isLate && evidence) state.late.push({ result, evidence, ...waited });
  return result;
}

function keep(
  { context, step }: StepPlace,
  kept: ReadonlyMap<string, unknown>,
  payload: JsonObject | undefined,
): void {
  for (const [name, value] of kept) context.values.set(name, value);
  if (payload !== undefined) context.prior.set(step.id, payload);
}

const STOPPED: Skip = {
  reason: 'requirement_unmet',
  detail: 'the run was stopped before it',
  coverage_gap: false,
};
const NO_CREDENTIAL: Skip = {
  reason: 'requirement_unmet',
  detail: 'the agent asks for credentials, and none were given',
  coverage_gap: false,
};

/** What a step refers to and nobody provided: an earlier step failed to, or the storyboard has no such step. */
function unfilled(
  missing: readonly { readonly text: string; readonly name: string }[],
  storyboard: Storyboard,
): Skip | undefined {
  if (missing.length === 0) return undefined;
  const provided = new Set(
    allSteps(storyboard).flatMap(({ outputs, id }) => [id, ...outputs.map(({ name }) => name)]),
  );
  const names = [...new Set(missing.map(({ text }) => text))].slice(0, 5).join(', ');
  const earlier = missing.every(({ name }) => provided.has(name));
  return earlier
    ? { reason: 'prerequisite_failed', detail: `no earlier step provided ${names}`, coverage_gap: false }
    : { reason: 'requirement_unmet', detail: `there is no value for ${names}`, coverage_gap: false };
}

/** Without a key of ours, what has to be signed says nothing of the agent; where it declares that, the run says nothing at all. */
function unsigned({ auth, task }: Step, state: RunState): Skip | undefined {
  if (state.canSign) return undefined;
  const told = { reason: 'requirement_unmet', coverage_gap: false } as const;
  if (auth === 'signed' || auth === 'broken_signature' || auth === 'replayed_signature')
    return { ...told, detail: 'no signing key was given' };
  const signing = firstAt(state.conversation.capabilities, 'request_signing.required_for').value;
  if (auth !== 'given' || !elements(signing).includes(task)) return undefined;
  state.wantsCredential = true;
  return { ...told, detail: `the agent takes ${task} only when it is signed, and no signing key was given` };
}

function silenced({ silentCalls, exhausted }: RunState): Skip | undefined {
  if (exhausted !== undefined)
    return { reason: 'prerequisite_failed', detail: exhausted.detail, coverage_gap: false };
  if (silentCalls < MAX_SILENT_CALLS) return undefined;
  return { reason: 'prerequisite_failed', detail: 'the agent stopped answering', coverage_gap: false };
}

/** Calls nothing: passes when one of the ways before it was taken. */
function assertContribution({ storyboard, phase, step }: StepPlace, flags: ReadonlySet<string>): StepResult {
  const checks = step.validations.map(
    ({ check, allowed_values: allowed = [], description = '' }): CheckResult => {
      if (check !== CONTRIBUTION_CHECK)
        return { check, result: 'not_applicable', message: 'there is no answer to look at' };
      const raised = allowed.some((flag) => flags.has(String(flag)));
      if (raised) return { check, result: 'pass', message: 'one of the ways was taken' };
      return {
        check,
        result: 'fail',
        message: `none of the ways was taken ${description}`.trim(),
        expected: allowed,
        actual: [...flags],
      };
    },
  );
  const failed = checks.some(({ result }) => result === 'fail');
  return { ...head(storyboard, phase, step), result: failed ? 'fail' : 'pass', duration_ms: 0, checks };
}

function head(storyboard: Storyboard, phase: Phase, step: Step) {
  return {
    storyboard_id: storyboard.id,
    phase_id: phase.id,
    step_id: step.id,
    title: step.title,
    task: step.task,
  };
}
