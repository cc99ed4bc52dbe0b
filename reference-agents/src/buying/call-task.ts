import {
  CallFailure,
  type Clock,
  callByName,
  checkResponse,
  createSigningFetch,
  type Fetcher,
  inOwnNames,
  type Protocol,
  type SigningKey,
  type TaskName,
  type TaskRequests,
  type TaskResponses,
  withConnection,
} from '@agent-registry/surface/agent-kit';

/** What a task of another agent came to. */
export type TaskReply<T extends TaskName> =
  | { readonly ok: true; readonly data: TaskResponses[T] }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Calls a task of an agent. Never rejects for what the agent does. */
export type TaskCaller = <T extends TaskName>(
  agentUrl: string,
  task: T,
  request: TaskRequests[T],
) => Promise<TaskReply<T>>;

export interface CallTaskOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly protocol: Protocol;
  /** Signs every request: it says who calls. */
  readonly key: SigningKey;
}

const DEADLINE_MS = 20_000;

/** A caller that signs all that it sends, and believes no answer that does not follow its schema. */
export function createCallTask({ fetcher, clock, protocol, key }: CallTaskOptions): TaskCaller {
  return async (url, task, request) => {
    const signing = { kind: 'request', profile: '3.2', key, clock } as const;
    const visit = {
      url,
      fetcher,
      clock,
      deadlineMs: DEADLINE_MS,
      protocols: [protocol],
      wrap: (fetch: Parameters<typeof createSigningFetch>[0]) => createSigningFetch(fetch, signing),
    };
    return withConnection(visit, async (connection) => {
      if (connection instanceof CallFailure) return failed(connection.errorClass, connection.message);
      const { answer } = await callByName(connection, task, request);
      if (answer.outcome === 'failed') return failed(answer.failure.errorClass, answer.failure.message);
      if (answer.outcome === 'refused') return failed(answer.error.code ?? 'refused', answer.error.message);
      const [issue] = checkResponse(task, answer.data);
      if (issue !== undefined) return failed('response_invalid', `${issue.pointer} ${issue.message}`);
      return { ok: true, data: inOwnNames(task, answer.data) as object as TaskResponses[typeof task] };
    });
  };
}

function failed(code: string, message: string) {
  return { ok: false, code, message } as const;
}
