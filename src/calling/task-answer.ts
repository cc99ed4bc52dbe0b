import type { JsonObject } from '../base/json.ts';
import type { ErrorClass } from '../domain/observation.ts';
import { shortText } from '../domain/text.ts';
import { type AgentError, agentErrorOf } from './agent-error.ts';
import type { TaskOptions } from './connection.ts';
import { depthOf, hasMoreValues } from './depth.ts';
import { CallFailure } from './failure.ts';
import { ANSWER_BYTES, MAX_DEPTH, MAX_VALUES } from './limits.ts';
import { redact } from './redact.ts';
import { rpcErrorIn } from './rpc-error.ts';
import type { CallSession, Exchange, StepOptions } from './session.ts';

/** What one call of a task came to. Plain data: it can be kept and printed, and the bearer token stands nowhere in it. */
export type TaskAnswer = TaskContent & {
  /** HTTP status of the last answer; absent when none came. */
  readonly status?: number;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** The body as it came; for a stream all of it that belongs to this call. */
  readonly raw: string;
};

/** The answer alone: data, the agent's own no, or no answer of the protocol at all. */
export type TaskContent =
  | { readonly outcome: 'answered'; readonly data: JsonObject }
  | {
      readonly outcome: 'refused';
      readonly error: AgentError;
      /** The whole payload in which the error stood; absent for an error of JSON-RPC and for plain text. */
      readonly data?: JsonObject;
    }
  | { readonly outcome: 'failed'; readonly failure: TransportFailure };

export interface TransportFailure {
  readonly errorClass: ErrorClass;
  /** One sentence, lower case. */
  readonly message: string;
  /** The HTTP status where it is the reason. */
  readonly status?: number;
  /** What a 401 said under WWW-Authenticate. */
  readonly challenge?: string;
}

/** A failure of the transport as content. */
export function failed(
  errorClass: ErrorClass,
  message: string,
  { status, challenge }: { readonly status?: number; readonly challenge?: string } = {},
): TaskContent {
  return {
    outcome: 'failed',
    failure: {
      errorClass,
      message,
      ...(status !== undefined && { status }),
      ...(challenge !== undefined && { challenge }),
    },
  };
}

/** The same of a failure that was caught. */
export function failedBy({ errorClass, message, status, challenge }: CallFailure): TaskContent {
  return failed(errorClass, message, {
    ...(status !== undefined && { status }),
    ...(challenge !== undefined && { challenge }),
  });
}

/** How a step of the session is to go for this call: its bounds, and the bytes kept. */
export function stepOf({ callMs, maxBytes = ANSWER_BYTES, auth }: TaskOptions): StepOptions {
  return {
    keep: true,
    budget: { left: maxBytes },
    ...(callMs !== undefined && { callMs }),
    ...(auth !== undefined && { auth }),
  };
}

/**
 * The answer of an exchange: what was read of its result, a JSON-RPC error as the refusal that it is, or the failure.
 * An answer with too many values, or nested too deeply for others to read, is a failure too.
 */
export function answerOf(
  session: CallSession,
  { result, status, durationMs, raw }: Exchange<TaskContent>,
  { auth }: TaskOptions,
): TaskAnswer {
  const content = bounded(result instanceof CallFailure ? noResult(result, raw) : result);
  const answer = { ...content, durationMs, raw, ...(status !== undefined && { status }) };
  return redact(answer, ...[session.auth, auth].filter((token) => typeof token === 'string'));
}

/** The failure that an answer without data stands for, for those who only want the data. */
export function failureOf(answer: Exclude<TaskContent, { outcome: 'answered' }>): CallFailure {
  if (answer.outcome === 'failed') {
    const { errorClass, message, ...facts } = answer.failure;
    return new CallFailure(errorClass, message, facts);
  }
  const { code, message: told, rpcCode } = answer.error;
  const short = shortText(told, 200);
  if (rpcCode !== undefined && code === undefined)
    return new CallFailure('not_protocol', `json-rpc error ${rpcCode}: ${short ?? ''}`, { rpcCode });
  const message = ['the task failed', shortText(code, 64), short].filter((part) => part !== undefined);
  return new CallFailure(classOf(answer.error), message.join(': '));
}

function noResult(failure: CallFailure, raw: string): TaskContent {
  const { errorClass } = failure;
  // something came, and nothing of it was the answer to this call: whoever wrote the agent looks in the wrong place else
  if (errorClass === 'timeout' && raw !== '')
    return failed(
      'timeout',
      `${failure.message}, though ${sizeOf(raw)} came that are no answer to this call`,
    );
  const mayTell = errorClass === 'not_protocol' || errorClass === 'http_error';
  const error = mayTell ? rpcErrorIn(raw) : undefined;
  if (error === undefined) return failedBy(failure);
  return { outcome: 'refused', error };
}

function sizeOf(raw: string): string {
  return `${Buffer.byteLength(raw).toLocaleString('en-GB')} bytes`;
}

function bounded(content: TaskContent): TaskContent {
  const value = content.outcome === 'answered' ? content.data : undefined;
  const object = content.outcome === 'refused' ? (content.data ?? content.error.object) : value;
  if (hasMoreValues(object, MAX_VALUES))
    return failed('too_large', `the answer holds more than ${MAX_VALUES.toLocaleString('en-GB')} values`);
  return depthOf(object, MAX_DEPTH) > MAX_DEPTH
    ? failed('too_large', `the answer is nested more than ${MAX_DEPTH} deep`)
    : content;
}

function classOf({ code, recovery }: AgentError): ErrorClass {
  if (code !== undefined && /^(auth_required|auth_missing|unauthori[sz]ed|forbidden)$/i.test(code))
    return 'auth_required';
  return recovery === 'transient' ? 'http_error' : 'not_protocol';
}

/** A refusal with what the agent put into its error; `whole` where the error is only a part of the payload. */
export function refused(
  data: JsonObject | undefined,
  text: string,
  whole: JsonObject | undefined = data,
): TaskContent {
  return { outcome: 'refused', error: agentErrorOf(data, text), ...(whole !== undefined && { data: whole }) };
}
