import {
  isObject,
  type JsonObject,
  type KnownErrorCode,
  type TaskName,
  taskNamed,
} from '@agent-registry/surface/agent-kit';
import type { Admit } from '../agents/admission.ts';
import type { AgentSpec } from '../agents/agent.ts';
import type { RunningAgent } from '../agents/running-agent.ts';
import type { Callers } from '../reference/callers.ts';
import type { TaskResult } from '../reference/run-task.ts';

/** What is wrong with an agent: either how it does its tasks, or what stands before them. */
export interface AgentFault {
  /** Put around the tasks of one agent; made once for each, so that it may remember what was called. */
  readonly tasks?: () => (call: Answering) => Answering;
  /** Stands in the place of the agent's own admission. */
  readonly admit?: (spec: AgentSpec, callers: Callers) => Admit;
}

/** Answers one task; the caller is known already. */
export type Answering = (task: string, request: JsonObject) => Promise<TaskResult>;

/** The agent with its fault. */
export function withFault(agent: RunningAgent, fault: AgentFault): RunningAgent {
  const around = fault.tasks?.();
  if (around === undefined) return agent;
  return {
    ...agent,
    call: (task, payload, caller) =>
      around((name, request) => agent.call(name, request, caller))(task, isObject(payload) ? payload : {}),
  };
}

/** A fault in one task: `wrong` has the request and the right way to answer it. */
export function inTask(
  task: TaskName,
  wrong: (request: JsonObject, right: (request: JsonObject) => Promise<TaskResult>) => Promise<TaskResult>,
): AgentFault {
  return {
    tasks: () => (call) => (name, request) =>
      taskNamed(name) === task ? wrong(request, (changed) => call(name, changed)) : call(name, request),
  };
}

/** Answers of a task are changed before they are sent. */
export function answers(
  task: TaskName,
  change: (data: JsonObject, request: JsonObject) => JsonObject,
): AgentFault {
  return inTask(task, async (request, right) => {
    const result = await right(request);
    return result.ok ? { ok: true, data: change(result.data, request) } : result;
  });
}

/** What should be refused with this code is done all the same, after the request was put right. */
export function accepts(
  task: TaskName,
  code: KnownErrorCode,
  putRight: (request: JsonObject) => JsonObject,
): AgentFault {
  return inTask(task, async (request, right) => {
    const result = await right(request);
    return !result.ok && result.error.code === code ? right(putRight(request)) : result;
  });
}
