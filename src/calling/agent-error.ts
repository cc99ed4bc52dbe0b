import { elements, isObject, type JsonObject, member } from '../base/json.ts';

/** An agent's own error. What is read of it stands beside the object as it came. */
export interface AgentError {
  /** The agent's code, `INVALID_REQUEST` for example; absent when it gave none. */
  readonly code?: string;
  /** In its own words; empty when it gave none. */
  readonly message: string;
  /** JSON Pointer into the request. */
  readonly pointer?: string;
  /** `correctable`, `transient` or `terminal`, when the agent follows the protocol. */
  readonly recovery?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The error came as one of JSON-RPC, with this code, and not as the answer of a task. */
  readonly rpcCode?: number;
  /** Whole and as it came; empty where the agent sent only text. */
  readonly object: JsonObject;
}

/**
 * The error `{code, message, pointer, recovery, retry_after}` in what an agent answered: at the root, under `error`
 * or `adcp_error`, or first in `errors` (field notes of the transports). `text` is its message where it gave none.
 */
export function agentErrorOf(data: JsonObject | undefined, text = '', rpcCode?: number): AgentError {
  const object = data === undefined ? {} : errorObject(data);
  const message = member(object, 'message');
  const retryAfter = member(object, 'retry_after');
  return {
    message: typeof message === 'string' ? message : text,
    ...textMember(object, 'code'),
    ...textMember(object, 'pointer'),
    ...textMember(object, 'recovery'),
    ...(typeof retryAfter === 'number' && { retryAfter }),
    ...(rpcCode !== undefined && { rpcCode }),
    object,
  };
}

/** The error of an answer that could not be marked as one; undefined for an answer that is none. */
export function unmarkedError(data: JsonObject): JsonObject | undefined {
  const wrapped = member(data, 'adcp_error') ?? member(data, 'error');
  return isObject(wrapped) && typeof wrapped.code === 'string' ? wrapped : undefined;
}

function errorObject(data: JsonObject): JsonObject {
  if (typeof member(data, 'code') === 'string') return data;
  const wrapped = [member(data, 'error'), member(data, 'adcp_error'), elements(member(data, 'errors'))[0]];
  return wrapped.find(isObject) ?? data;
}

function textMember<K extends 'code' | 'pointer' | 'recovery'>(
  object: JsonObject,
  key: K,
): { readonly [P in K]?: string } {
  const value = member(object, key);
  return typeof value === 'string' ? ({ [key]: value } as { [P in K]: string }) : {};
}
