import { setTimeout as pause } from 'node:timers/promises';
import { elements, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { isSpecial } from '../conversation/consent.ts';
import type { CheckResult, Skip, StepResult } from '../step-result.ts';
import { allSteps, type Phase, type Step, type Storyboard, stepKey } from '../storyboard.ts';
import type { Context, RunValues } from './context.ts';
import { effectiveAgent, isOver, type RunState, shareOfTime } from './run-state.ts';
import { STOPPED, skipped, stepHead } from './step-skips.ts';

/*
 * What only some bundles have, and where the rest of it is loaded: the folder `special`.
 */

interface Placed {
  readonly storyboard: Storyboard;
  readonly phase: Phase;
  readonly step: Step;
  readonly context: Context;
  readonly values: RunValues;
  readonly results: readonly StepResult[];
}

/** Checks that a step breaks by what other steps said. */
export type Watch = (exchanged: {
  readonly task: string;
  readonly request: JsonObject;
  readonly answer: TaskAnswer;
}) => readonly CheckResult[];

/** What has to be there before the first step of a storyboard: who watches over all of them, and a receiver that refuses. */
export async function prepareSpecial(
  state: RunState,
  storyboard: Storyboard,
  context: Context,
): Promise<Watch | undefined> {
  if (state.listener !== undefined && allSteps(storyboard).some(({ task }) => isSpecial(task)))
    (await import('../special/special-steps.ts')).armReceiver(state, storyboard, context);
  if (storyboard.invariants.length === 0) return undefined;
  return (await import('../special/invariants.ts')).watchInvariants(
    storyboard.invariants,
    state.conversation.capabilities,
  );
}

/** What a step leaves open is as in the latest request of its task that the agent took. */
export function completed(step: Step, { taken }: Pick<RunState, 'taken'>): Step {
  const before = taken.get(step.task);
  return before === undefined ? step : { ...step, request: { ...before, ...step.request } };
}

/** Runs a step that is no call of a task. */
export async function specialStep(state: RunState, place: Placed): Promise<StepResult> {
  const { storyboard, phase, step } = place;
  if (isOver(state)) return skipped(place, STOPPED);
  const { runSpecial } = await import('../special/special-steps.ts');
  const key = stepKey(storyboard.id, phase.id, step.id);
  const came = await runSpecial(state, { ...place, key, agent: effectiveAgent(state) });
  if ('reason' in came) return skipped(place, came);
  const failed = came.checks.some(({ result }) => result === 'fail');
  if (failed && isOver(state)) return skipped(place, STOPPED);
  const { checks, evidence, waited } = came;
  const result: StepResult = {
    ...stepHead(place),
    result: failed ? 'fail' : 'pass',
    duration_ms: came.durationMs,
    checks,
    ...(failed && { evidence }),
  };
  if (waited !== undefined && waited.waitedMs > shareOfTime(state))
    state.late.push({ result, evidence, ...waited });
  return result;
}

/** What the task of an answer comes to in the end, where the step keeps something of that: it is asked for until it is over. */
export async function completionOf(
  { conversation, clock, endsAt, waits }: RunState,
  { step, key }: { readonly step: Step; readonly key: string },
  answer: TaskAnswer,
  callMs: number,
): Promise<JsonObject | undefined> {
  const { completionOfTask, TASKS_GET } = await import('../special/task-completion.ts');
  const ask = async (taskId: string, poll: number) => {
    const call = { key: `${key}/completion-${poll}`, task: TASKS_GET, payload: { task_id: taskId } };
    return (await conversation.call({ ...call, auth: step.auth, callMs })).answer;
  };
  const wait = waits === undefined ? async () => undefined : (ms: number) => pause(ms);
  const until = Math.min(endsAt, clock.now() + callMs);
  return completionOfTask(answer, ask, { wait, isOver: () => clock.now() >= until });
}

export const NO_DOCUMENT: Skip = {
  reason: 'not_applicable',
  detail: 'the agent does not serve this optional document (404)',
  coverage_gap: false,
};

/**
 * Where a document about authentication stands: the metadata of the resource below the agent's own origin (RFC 9728,
 * section 3.1), those of its authorisation server below the issuer (RFC 8414, section 3.1), which only the same origin is
 * asked for: consent covers no other.
 */
export function documentOf(task: string, agentUrl: string, { prior }: Context): string | Skip {
  const own = new URL(agentUrl);
  const pathOf = ({ pathname }: URL) => (pathname === '/' ? '' : pathname);
  if (task === 'protected_resource_metadata')
    return `${own.origin}/.well-known/oauth-protected-resource${pathOf(own)}`;
  const [named] = [...prior.values()].flatMap((payload) => elements(payload.authorization_servers));
  const issuer = typeof named === 'string' ? URL.parse(named) : null;
  const told = { reason: 'requirement_unmet', coverage_gap: false } as const;
  if (issuer === null) return { ...told, detail: 'no earlier step returned an authorisation server' };
  if (issuer.origin !== own.origin)
    return { ...told, detail: 'the authorisation server has another origin, which the owner has not proven' };
  return `${own.origin}/.well-known/oauth-authorization-server${pathOf(issuer)}`;
}
