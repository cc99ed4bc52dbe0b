import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { HeardWebhook } from '../../ports/webhook-listener.ts';
import { mayChange } from '../conversation/consent.ts';
import type { OutgoingCall, Waited } from '../conversation/conversation.ts';
import { type Context, fill, type RunValues } from '../run/context.ts';
import type { RunState } from '../run/run-state.ts';
import { buildsOn, NO_RECEIVER } from '../run/step-skips.ts';
import type { AgentUnderTest } from '../run-result.ts';
import type { CheckResult, Skip, StepEvidence, StepResult } from '../step-result.ts';
import { allSteps, type SignatureVector, type Step, type Storyboard } from '../storyboard.ts';
import { judgeVector, vectorFor } from './signed-vectors.ts';
import { judgeSubstitution } from './substitution.ts';
import { expectationOf, owesWebhook, refusalsOf, windowOf } from './webhook-expectation.ts';
import { judgeWebhooks } from './webhook-steps.ts';

/** A step that is no call of a task, in its place. */
interface SpecialPlace {
  readonly storyboard: Storyboard;
  readonly step: Step;
  readonly context: Context;
  readonly values: RunValues;
  readonly key: string;
  /** Of the steps before this one. */
  readonly results: readonly StepResult[];
  /** As it may be treated now. */
  readonly agent: AgentUnderTest;
}

/** What came of it: its checks with what was looked at, or why it says nothing. */
export type SpecialOutcome =
  | Skip
  | {
      readonly checks: readonly CheckResult[];
      readonly durationMs: number;
      readonly evidence: StepEvidence;
      /** Where the agent was waited for. */
      readonly waited?: Waited;
    };

/** Before the first step: a receiver has to refuse from the first delivery on. */
export function armReceiver(
  { listener }: Pick<RunState, 'listener'>,
  storyboard: Storyboard,
  { uuid }: Context,
): void {
  for (const step of allSteps(storyboard)) {
    const refusals = refusalsOf(step);
    if (refusals !== undefined)
      listener?.refuseFirst(
        uuid(`webhook ${String(step.more.triggered_by)}`),
        refusals.count,
        refusals.status,
      );
  }
}

/** Runs a step that only some bundles have: one that waits for webhooks, looks at a preview, or sends a signed vector. */
export async function runSpecial(state: RunState, place: SpecialPlace): Promise<SpecialOutcome> {
  const { task, more } = place.step;
  if (task === 'expect_substitution_safe') return lookAtPreview(place);
  if (task === 'request_signing_probe')
    return isObject(member(more.vector, 'document'))
      ? sendSigned(state, place, more.vector as unknown as SignatureVector)
      : noVector();
  return lookAtWebhooks(state, place);
}

function noVector(): Skip {
  return {
    reason: 'requirement_unmet',
    detail: 'the bundle does not contain this vector',
    coverage_gap: false,
  };
}

function lookAtPreview({ step, storyboard, context }: SpecialPlace): SpecialOutcome {
  const steps = storyboard.phases.find((phase) => phase.steps.includes(step))?.steps ?? [];
  const before = steps[steps.indexOf(step) - 1];
  const preview = before && context.prior.get(before.id);
  const came = judgeSubstitution(
    step,
    preview,
    allSteps(storyboard).map(({ request }) => request),
  );
  if (!Array.isArray(came)) return came as Skip;
  return { checks: came, durationMs: 0, evidence: evidenceOf(step.task, {}, preview) };
}

async function lookAtWebhooks(state: RunState, place: SpecialPlace): Promise<SpecialOutcome> {
  const { step, context, values, key } = place;
  const { triggered_by: by, filter } = step.more;
  const trigger = context.prior.get(String(by));
  if (trigger === undefined)
    return buildsOn(
      place.results.filter(({ step_id: id }) => id === by),
      (why) => `step ${String(by)} ${why}`,
    );
  if (values.webhookBase === undefined) return NO_RECEIVER;
  const expectation = expectationOf(step, known(fill(filter ?? {}, context, values).value));
  const left = Math.max(1, state.endsAt - state.clock.now());
  const waitMs = Math.min(windowOf(step), left);
  const operation = context.uuid(`webhook ${String(by)}`);
  const webhooks = { operation, expectation, isOwed: owesWebhook(trigger), waitMs };
  const { answer, waited } = await state.conversation.call({
    ...callOf(place, {}),
    key,
    callMs: waitMs,
    webhooks,
  });
  if (answer.outcome !== 'answered') return NO_RECEIVER;
  const deliveries = elements(answer.data.deliveries) as unknown as readonly HeardWebhook[];
  const came = judgeWebhooks(step, expectation, deliveries, trigger, state.bundle.schemas);
  if (!Array.isArray(came)) return came as Skip;
  const evidence = evidenceOf(step.task, { ...expectation.filter, operation_id: operation }, { deliveries });
  return { checks: came, durationMs: answer.durationMs, evidence, ...(waited && { waited }) };
}

/** Without what nothing filled in: it narrows nothing. */
function known(filter: unknown): JsonObject {
  const members = Object.entries(isObject(filter) ? filter : {});
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== ''));
}

async function sendSigned(
  state: RunState,
  place: SpecialPlace,
  vector: SignatureVector,
): Promise<SpecialOutcome> {
  const { agent, step } = place;
  const { capabilities } = state.conversation;
  const found = vectorFor(vector, { protocol: agent.protocol, tools: state.tools, capabilities });
  if ('reason' in found) return found;
  const { task, arguments: payload } = found;
  const refused = mayChange({ task, payload, agent, tools: state.tools, dryRun: state.dryRun });
  if (refused !== undefined) return refused;
  const call = { ...callOf(place, payload), task, vector: found };
  const { answer } = await state.conversation.call(call);
  const evidence = evidenceOf(step.task, { vector: vector.name, task, arguments: payload }, shown(answer));
  return { checks: [judgeVector(vector, verdictOf(answer))], durationMs: answer.durationMs, evidence };
}

function verdictOf(answer: TaskAnswer) {
  const challenge = answer.outcome === 'failed' ? answer.failure.challenge : undefined;
  return {
    ...(answer.status !== undefined && { status: answer.status }),
    ...(challenge !== undefined && { challenge }),
  };
}

function shown(answer: TaskAnswer): unknown {
  return answer.outcome === 'failed' ? answer.failure : { http_status: answer.status };
}

function callOf({ key, step }: SpecialPlace, payload: JsonObject): OutgoingCall {
  return { key, task: step.task, payload, auth: 'given', callMs: windowOf(step) };
}

function evidenceOf(task: string, request: unknown, response: unknown): StepEvidence {
  return { task, request, outcome: 'answered', response: response ?? null };
}
