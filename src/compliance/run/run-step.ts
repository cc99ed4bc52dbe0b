import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import { CAPABILITIES_TASKS } from '../../protocol/vocabulary.ts';
import { saidNo } from '../checks/answers.ts';
import { CONTRIBUTION_CHECK } from '../checks/table.ts';
import {
  ASSERT_CONTRIBUTION,
  DOCUMENTS,
  isSpecial,
  mayRunStep,
  notOffered,
  offers,
  withdrawsConsent,
} from '../conversation/consent.ts';
import type { CallOutcome, OutgoingCall } from '../conversation/conversation.ts';
import { evidenceOf } from '../conversation/evidence.ts';
import type { Origin } from '../run-result.ts';
import type { dispatchAtOnce } from '../special/parallel-dispatch.ts';
import type { CheckResult, NoAnswer, StepResult } from '../step-result.ts';
import { type Phase, type Step, type Storyboard, stepKey } from '../storyboard.ts';
import { conventionalValues } from '../storyboards/conventions.ts';
import { type Context, fillRequest, type RunValues } from './context.ts';
import { noteCreated } from './created.ts';
import { demandsOf, judgeStep, payloadOf } from './judge-step.ts';
import { effectiveAgent, isOver, isOwnFault, noteRefusal, type RunState, shareOfTime } from './run-state.ts';
import { runsAlone } from './single-step.ts';
import { completed, completionOf, documentOf, NO_DOCUMENT, specialStep, type Watch } from './special-step.ts';
import {
  brokenRequest,
  foreignStep,
  NO_CREDENTIAL,
  STOPPED,
  silenced,
  skipped,
  skippedBranches,
  stepHead,
  unfilled,
  unopened,
  unsigned,
  wantsCredential,
} from './step-skips.ts';

/** A step in its place. */
export interface StepPlace {
  readonly storyboard: Storyboard;
  readonly phase: Phase;
  readonly step: Step;
  readonly origin: Origin;
  readonly context: Context;
  /** What it can refer to, with the test kit of its storyboard. */
  readonly values: RunValues;
  /** Flags that were raised. */
  readonly flags: ReadonlySet<string>;
  /** Of the steps of the storyboard before this one. */
  readonly results: readonly StepResult[];
  /** What has to hold across steps; absent where the storyboard names nothing. */
  readonly watch?: Watch;
}

/** Runs one step: asks whether it may, fills its request, calls, and holds the answer against its checks. Never rejects for anything an agent does. */
export async function runStep(state: RunState, written: StepPlace): Promise<StepResult> {
  const place = inVocabulary(state, written);
  const { step, storyboard, phase, context, flags } = place;
  if (step.task === ASSERT_CONTRIBUTION) {
    const skip = skippedBranches(storyboard, step, place.results);
    return skip === undefined ? assertContribution(place, flags) : skipped(place, skip);
  }
  for (const { name, generate } of step.outputs)
    if (generate !== undefined) context.values.set(name, context.uuid(`output ${name}`));
  const label = `${phase.id}/${step.id}`;
  const { payload, missing } = fillRequest(
    step.isPartial ? completed(step, state) : step,
    label,
    context,
    place.values,
  );
  const refused = mayRunStep({
    step,
    payload,
    agent: effectiveAgent(state),
    tools: state.tools,
    origin: place.origin,
    dryRun: state.dryRun,
  });
  const skip =
    foreignStep(step) ??
    refused ??
    unfilled(missing, storyboard, place.results) ??
    unsigned(step, state) ??
    silenced(state);
  if (skip !== undefined) return skipped(place, skip);
  if (isSpecial(step.task)) return specialStep(state, place);
  return callStep(state, place, payload, stepKey(storyboard.id, phase.id, step.id));
}

/** The step with the request that agents of this vocabulary understand. */
function inVocabulary(state: RunState, place: StepPlace): StepPlace {
  const { publicRequest, request } = place.step;
  const demands = demandsOf(state.tools, state.conversation.capabilities);
  if (publicRequest === undefined || demands !== 'adcp') return place;
  return { ...place, step: { ...place.step, request: { ...request, ...publicRequest } } };
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
  const document = DOCUMENTS.includes(step.task)
    ? documentOf(step.task, state.values.agentUrl, context)
    : undefined;
  if (typeof document === 'object') return skipped(place, document);
  const call: OutgoingCall = {
    key,
    task: step.task,
    payload,
    auth: step.auth,
    callMs,
    retryRefusals: !step.expectsError,
    ...(document !== undefined && { document }),
  };
  const outcomes =
    step.parallel === undefined
      ? [await state.conversation.call(call)]
      : await sendAtOnce(state, call, step.parallel, context);
  const answers = outcomes.map((one) => one.answer);
  const { schemas } = state.bundle;
  const { values: run } = place;
  const judge = async (one: CallOutcome) => {
    const { name, answer } = one;
    const completion = keepsCompletion(step)
      ? await completionOf(state, { step, key }, answer, callMs)
      : undefined;
    const judgement = judgeStep({
      ...{ step, answer, context, run, version: state.version },
      broken: place.watch?.({ task: step.task, request: payload, answer }) ?? [],
      demands: demandsOf(state.tools, state.conversation.capabilities),
      request: payload,
      // an agent card may leave out skills that work
      ...(state.conversation.agent.protocol === 'mcp' && { tools: state.tools }),
      ...(schemas && { schemas }),
      ...(completion && { completion }),
      ...(!state.tools.has(name) && { missingTool: missingToolOf(step.task, name) }),
      ...(step.parallel && { answers }),
    });
    const whole = completion && answer.outcome === 'answered' ? { ...answer, data: completion } : answer;
    noteCreated(state, step.task, payload, whole, key);
    return { outcome: one, judgement };
  };
  if (document !== undefined && answers[0]?.status === 404) return skipped(place, NO_DOCUMENT);
  const judged = [];
  for (const one of outcomes) judged.push(await judge(one));
  // of several answers to one step the first that fails counts, one without an expected answer before the others
  const decisive =
    judged.find(({ judgement }) => judgement.checks[0]?.result === 'fail') ??
    judged.find(({ judgement }) => !judgement.passed) ??
    judged[0];
  if (decisive === undefined) throw new Error(`${key} was not sent`);
  const { outcome, judgement } = decisive;
  const { name, answer, waited } = outcome;
  noteRefusal(state, { step, key }, answer);
  if (withdrawsConsent(step, answer)) state.withdrawn = true;
  if (!judgement.passed) {
    const wrong =
      (step.expectsError ? undefined : brokenRequest(state, step, payload)) ??
      unopened(place.storyboard, { payload, answer, steps: state.steps });
    if (wrong !== undefined && saidNo(answer)) return skipped(place, wrong);
    if (step.isTaskOfKit && step.expectsError && saidNo(answer) && !offers(state.tools, step.task))
      return skipped(place, notOffered(step.task));
    if (await isOwnFault(state, outcome, left < wished)) return skipped(place, STOPPED);
    if (wantsCredential(answer, step.auth, state.hasCredential)) {
      state.wants = 'credential';
      return skipped(place, NO_CREDENTIAL);
    }
  }
  const silent = answer.outcome === 'failed' && OF_THE_NETWORK.includes(answer.failure.errorClass);
  if (step.auth === 'given') state.silentCalls = silent ? state.silentCalls + 1 : 0;
  if (judgement.passed) keep(place, judgement.kept, payloadOf(answer));
  if (answer.outcome === 'answered' && !saidNo(answer)) state.taken.set(step.task, payload);
  const isLate = waited !== undefined && waited.waitedMs > shareOfTime(state);
  const evidence = judgement.passed && !isLate ? undefined : evidenceOf(name, payload, answer);
  const noAnswer = document === undefined && !judgement.passed ? noAnswerOf(step, answer) : undefined;
  const result: StepResult = {
    ...stepHead(place),
    // the name that the agent was asked by: agents of the public protocol have their own for the capabilities
    task: name,
    result: judgement.passed ? 'pass' : 'fail',
    ...(noAnswer && { no_answer: noAnswer }),
    duration_ms: answer.durationMs,
    checks: judgement.checks,
    ...(!judgement.passed && runsAlone(place.storyboard, place.phase, step) && { independent: true }),
    ...(!judgement.passed && evidence && { evidence }),
  };
  if (isLate && evidence) state.late.push({ result, evidence, ...waited });
  return result;
}

async function sendAtOnce(...asked: Parameters<typeof dispatchAtOnce>): Promise<readonly CallOutcome[]> {
  const { dispatchAtOnce: send } = await import('../special/parallel-dispatch.ts'); // few bundles have such a step
  return send(...asked);
}

/** An agent may offer its capabilities under the name of either vocabulary. */
function missingToolOf(task: string, name: string): string {
  return CAPABILITIES_TASKS.includes(task) ? CAPABILITIES_TASKS.join(' or ') : name;
}

/** What came instead of a valid answer of the protocol; undefined for an answer, and for the refusal that the step expects. */
function noAnswerOf({ expectsError }: Step, answer: TaskAnswer): NoAnswer | undefined {
  if (answer.outcome !== 'failed' || (expectsError && saidNo(answer))) return undefined;
  const { status, contentType, words, retried, failure } = answer;
  return {
    error_class: failure.errorClass,
    ...(status !== undefined && { http_status: status }),
    ...(contentType !== undefined && { content_type: contentType }),
    ...(words !== undefined && { words }),
    ...(retried && { retried }),
  };
}

function keepsCompletion({ outputs }: Step): boolean {
  return outputs.some(({ path }) => path?.startsWith('task_completion.'));
}

function keep(
  { context, step }: StepPlace,
  kept: ReadonlyMap<string, unknown>,
  payload: JsonObject | undefined,
): void {
  for (const [name, value] of kept) context.values.set(name, value);
  if (payload === undefined) return;
  context.prior.set(step.id, payload);
  for (const [name, value] of conventionalValues(step.task, payload)) context.conventional.set(name, value);
}

/** Calls nothing: passes when one of the ways before it was taken. */
function assertContribution(place: StepPlace, flags: ReadonlySet<string>): StepResult {
  const checks = place.step.validations.map(
    ({ check, allowed_values: allowed = [], description = '' }): CheckResult => {
      if (check !== CONTRIBUTION_CHECK)
        return { check, result: 'not_applicable', message: 'no answer to check' };
      const raised = allowed.some((flag) => flags.has(String(flag)));
      if (raised) return { check, result: 'pass', message: 'one alternative passed' };
      return {
        check,
        result: 'fail',
        message: `no alternative passed ${description}`.trim(),
        expected: allowed,
        actual: [...flags],
      };
    },
  );
  const failed = checks.some(({ result }) => result === 'fail');
  return { ...stepHead(place), result: failed ? 'fail' : 'pass', duration_ms: 0, checks };
}
