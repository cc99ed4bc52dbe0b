import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { agentTimeAt } from '../reference/agent-time.ts';
import { keepOriginal } from '../reference/as-it-came.ts';
import { ANONYMOUS, type Caller, type ReferenceAgent, TaskRefused } from '../reference/handler.ts';
import { type TaskResult, unknownCaller } from '../reference/run-task.ts';
import { SELLER_TASKS } from './buys-and-creatives.ts';
import { publicRefusal } from './errors.ts';
import { ownRequest, publicAnswer } from './translate.ts';
import type { Talk } from './wire.ts';

/** Runs a task; the moment is what the clock says, epoch milliseconds. */
export type Run = (task: string, payload: unknown, caller: Caller, now: number) => Promise<TaskResult>;

/** Everything that an agent of the public vocabulary hears and says goes through here, whatever the transport. */
export function speakPublicly(agent: ReferenceAgent, run: Run): Run {
  return async (task, payload, caller, clockNow) => {
    const talk = { agent, caller, now: agentTimeAt(agent.state, clockNow) };
    const own = ownRequest(task, payload, talk);
    if (isObject(own) && isObject(payload)) keepOriginal(own, payload);
    const result = isPublicTask(agent, task)
      ? runPublicTask(task, own, talk)
      : await run(task, own, caller, clockNow);
    if (!result.ok) return { ...result, shown: publicRefusal(result.error, task, payload) };
    return { ok: true, data: publicAnswer(task, { ...result.data }, payload, talk) };
  };
}

/** Tasks that only the public protocol has. */
export function publicTasks({ type }: ReferenceAgent['spec']): typeof SELLER_TASKS {
  return type === 'sales' ? SELLER_TASKS : {};
}

function isPublicTask({ spec }: ReferenceAgent, task: string): boolean {
  return Object.hasOwn(publicTasks(spec), task);
}

function runPublicTask(task: string, payload: unknown, talk: Talk): TaskResult {
  if (talk.caller.id === ANONYMOUS.id) return { ok: false, error: unknownCaller() };
  const request: JsonObject = isObject(payload) ? payload : {};
  const call = { ...talk, newId: (prefix: string) => prefix };
  try {
    const data = talk.agent.state.transaction(() => SELLER_TASKS[task]?.run(request, call) ?? {});
    const { context } = request;
    return { ok: true, data: isObject(context) ? { ...data, context } : data };
  } catch (error) {
    if (error instanceof TaskRefused) return { ok: false, error: error.problem };
    throw error;
  }
}
