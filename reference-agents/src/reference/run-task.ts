import { randomBytes } from 'node:crypto';
import {
  PROTOCOL_TASKS,
  type Problem,
  problem,
  readRequest,
  type TaskName,
  type TaskRequests,
  taskNamed,
} from '@agent-registry/surface/agent-kit';
import { agentTimeAt, keepTime } from './agent-time.ts';
import { asItCame } from './as-it-came.ts';
import {
  ANONYMOUS,
  type Caller,
  type Handlers,
  type ReferenceAgent,
  type TaskCall,
  type TaskHandler,
  TaskRefused,
} from './handler.ts';
import { earlierAnswer, rememberAnswer } from './idempotency.ts';

/** An answer of a task; its errors are answers too, the same over every transport (core/error.json). */
export type TaskResult =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly error: Problem;
      /** What goes over the wire instead of the error itself, where the vocabulary has another form for it. */
      readonly shown?: Readonly<Record<string, unknown>>;
    };

type AnyHandler = TaskHandler<TaskName, unknown>;
type AnyRequest = TaskRequests[TaskName];

/**
 * The way of every task of every reference agent: the request is held against its schema, the caller has to be
 * known where the task asks for it, an answer that the idempotency key had before is given again, and the effect and
 * its answer are kept in one transaction. Of a refused request nothing is kept. Rejects only for faults of the agent.
 *
 * @param clockNow What the clock says, epoch milliseconds; the call has the agent's time (see `agentTimeAt`).
 */
export async function runTask(
  agent: ReferenceAgent,
  handlers: Handlers,
  name: string,
  payload: unknown,
  caller: Caller,
  clockNow: number,
): Promise<TaskResult> {
  const task = taskNamed(name);
  const handler = task === undefined ? undefined : (handlers[task] as AnyHandler | undefined);
  if (task === undefined || handler === undefined) return refused(unknownTask(Object.keys(handlers)));
  const read = readRequest(task, payload);
  if (!read.ok) return refused(read.problem);
  if (handler.callers === 'known' && caller.id === ANONYMOUS.id) return refused(unknownCaller());
  if (agent.spec.signed?.includes(task) === true && !caller.signed) return refused(unsigned());
  const call: TaskCall = { agent, caller, now: agentTimeAt(agent.state, clockNow), newId };
  try {
    const data = await answer(task, handler, read.request, call);
    return { ok: true, data: withContext(data, read.request) };
  } catch (error) {
    if (error instanceof TaskRefused) return refused(error.problem);
    throw error;
  }
}

async function answer(
  task: TaskName,
  handler: AnyHandler,
  request: AnyRequest,
  call: TaskCall,
): Promise<Readonly<Record<string, unknown>>> {
  const replay = replayer(task, request, call);
  const earlier = replay?.earlier();
  if (earlier !== undefined) return earlier;
  const prepared = await handler.prepare?.(request, call);
  const response = call.agent.state.transaction(() => {
    keepTime(call.agent.state, call.now);
    // Asked again: while `prepare` waited, the same request may have been done.
    const meanwhile = replay?.earlier();
    if (meanwhile !== undefined) return meanwhile;
    const made = handler.run(request, call, prepared);
    replay?.remember(made);
    return made;
  });
  return { ...((await handler.finish?.(response as never, call)) ?? response) };
}

/** What an idempotency key does, for the tasks that take one. */
function replayer(task: TaskName, request: AnyRequest, call: TaskCall) {
  if (!PROTOCOL_TASKS[task].mutating) return undefined;
  const {
    idempotency_key: key,
    context: _context,
    ...payload
  } = asItCame(request) as { readonly idempotency_key: string } & Record<string, unknown>;
  const scope = { call, task, key, payload };
  return {
    earlier: () => {
      const response = earlierAnswer(scope);
      return response === undefined ? undefined : { ...response, replayed: true };
    },
    remember: (response: object) => rememberAnswer(scope, response),
  };
}

function withContext(
  data: Readonly<Record<string, unknown>>,
  { context }: AnyRequest,
): Readonly<Record<string, unknown>> {
  return context === undefined ? data : { ...data, context };
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`;
}

/** A task that is not offered, with the names of those that are, as the caller knows them. */
export function unknownTask(names: readonly string[]): Problem {
  return problem('UNKNOWN_TASK', 'this agent does not offer this task', {
    pointer: '',
    suggestion: `available tasks: ${names.join(', ')}`,
  });
}

/** Why somebody who does not say who they are gets nothing. */
export function unknownCaller(): Problem {
  return problem('AUTH_REQUIRED', 'this task requires authentication', {
    pointer: '',
    suggestion: 'send a bearer token, or sign the request with a key listed in your brand.json',
  });
}

/** Whoever stands before the agent asks for the signature too, and says so with a 401; this is the second lock. */
function unsigned(): Problem {
  return problem('AUTH_REQUIRED', 'this task requires a signed request', {
    pointer: '',
    suggestion: 'sign the request (RFC 9421); see docs/reference/signing.md',
  });
}

function refused(error: Problem): TaskResult {
  return { ok: false, error };
}
