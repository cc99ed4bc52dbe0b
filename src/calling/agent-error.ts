import { elements, isObject, type JsonObject, member, parseObject, pointerOf } from '../base/json.ts';

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
    ...placeIn(object),
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

/** Fields of an answer that carry no payload, in both vocabularies. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...['error', 'errors', 'adcp_error', 'proto_error', 'context', 'ext', 'status', 'message', 'success'],
  ...['task_id', 'context_id', 'timestamp', 'replayed', 'operation_id', 'adcp_version', 'proto_version'],
]);

/**
 * The error of an answer that holds nothing else, although nothing marks it as a refusal: no payload beside the envelope, and
 * an error with a code, or a status that says so. Undefined for any other answer.
 */
export function onlyError(data: JsonObject): AgentError | undefined {
  if (Object.keys(data).some((key) => !ENVELOPE.has(key))) return undefined;
  const listed = elements(member(data, 'errors'))[0];
  const found = [member(data, 'adcp_error'), member(data, 'proto_error'), member(data, 'error'), listed];
  const error = found.filter(isObject).find((one) => typeof member(one, 'code') === 'string');
  const hasFailed = ['failed', 'rejected'].includes(String(member(data, 'status')));
  if (error !== undefined) return agentErrorOf(error);
  return hasFailed ? agentErrorOf(data) : undefined;
}

function errorObject(data: JsonObject): JsonObject {
  if (typeof member(data, 'code') === 'string') return data;
  const wrapped = [member(data, 'error'), member(data, 'adcp_error'), elements(member(data, 'errors'))[0]];
  return wrapped.find(isObject) ?? data;
}

/**
 * Where in the request: our pointer, or the public protocol's `field`. That is a path such as `packages[0].budget`; the
 * servers of both of its packages write a pointer there.
 */
function placeIn(object: JsonObject): { readonly pointer?: string } {
  const field = member(object, 'field');
  const own = textMember(object, 'pointer');
  if (own.pointer !== undefined || typeof field !== 'string') return own;
  if (field.startsWith('/')) return { pointer: field };
  if (!FIELD_PATH.test(field)) return own;
  return { pointer: pointerOf(field.replaceAll(/\[(\d{1,9})\]/g, '.$1').split('.')) };
}

const FIELD_PATH = /^[\w-]{1,255}(\.[\w-]{1,255}|\[\d{1,9}\]){0,32}$/;

function textMember<K extends 'code' | 'pointer' | 'recovery'>(
  object: JsonObject,
  key: K,
): { readonly [P in K]?: string } {
  const value = member(object, key);
  return typeof value === 'string' ? ({ [key]: value } as { [P in K]: string }) : {};
}

/**
 * The JSON-RPC error in the bytes of an answer, plain or as events, with the protocol's own error where its `data`
 * holds one. Read from the bytes, as the SDKs keep only parts of it; undefined when there is none.
 */
export function rpcErrorIn(raw: string): AgentError | undefined {
  for (const envelope of envelopesIn(raw)) {
    const error = member(envelope, 'error');
    const code = member(error, 'code');
    if (isObject(error) && typeof code === 'number' && isRpc(envelope, code))
      return readRpcError(error, code);
  }
  return undefined;
}

/** Others have an `error` with a number too: those of HTTP+JSON repeat the status. */
function isRpc(envelope: JsonObject, code: number): boolean {
  return member(envelope, 'jsonrpc') === '2.0' || code <= -32_000;
}

function readRpcError(error: JsonObject, rpcCode: number): AgentError {
  const data = member(error, 'data');
  const told = member(error, 'message');
  const message = typeof told === 'string' ? told : '';
  const own = isObject(data) ? agentErrorOf(data, message, rpcCode) : undefined;
  return own?.code === undefined ? agentErrorOf(error, message, rpcCode) : own;
}

/** Events that say nothing of an error are passed over, and more that do than these are not read. */
const MAX_ERROR_EVENTS = 100;

/** One JSON text, or the data of server-sent events (WHATWG HTML, 9.2.6: lines of one event are joined). */
function envelopesIn(raw: string): readonly JsonObject[] {
  if (!raw.includes('"error"')) return [];
  const whole = parseObject(raw);
  if (whole !== undefined) return [whole];
  const events = raw
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
    .filter((event) => event.includes('"error"'));
  return events.slice(0, MAX_ERROR_EVENTS).flatMap((event) => {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    const envelope = parseObject(lines.map((line) => line.slice(5)).join('\n'));
    return envelope === undefined ? [] : [envelope];
  });
}
