import { depthOf, hasMoreValues, type JsonObject } from '../base/json.ts';
import type { ErrorClass } from '../domain/observation.ts';
import { shortText } from '../domain/text.ts';
import { type AgentError, agentErrorOf, rpcErrorIn } from './agent-error.ts';
import type { TaskAnswer, TaskContent, TaskOptions } from './connection.ts';
import { CallFailure } from './failure.ts';
import { ANSWER_BYTES, MAX_ANSWER_DEPTH, MAX_ANSWER_VALUES } from './limits.ts';
import type { CallSession, Exchange, StepOptions } from './session.ts';

/** Shorter ones stand in many words by chance, and could be guessed from the gaps. */
const MIN_SECRET = 8;

/** A failure of the transport as content. */
export function failedContent(
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
export function failedContentOf({ errorClass, message, status, challenge }: CallFailure): TaskContent {
  return failedContent(errorClass, message, {
    ...(status !== undefined && { status }),
    ...(challenge !== undefined && { challenge }),
  });
}

/** How a step of the session is to go for this call: its bounds, and the bytes kept. */
export function callStepOf({ callMs, maxBytes = ANSWER_BYTES, auth }: TaskOptions): StepOptions {
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
export function taskAnswerOf(
  session: CallSession,
  { result, status, durationMs, raw }: Exchange<TaskContent>,
  { auth }: TaskOptions,
): TaskAnswer {
  const content = bounded(result instanceof CallFailure ? noResult(result, raw) : result);
  const answer = { ...content, durationMs, raw, ...(status !== undefined && { status }) };
  return redact(answer, ...[session.auth, auth].filter((token) => typeof token === 'string'));
}

/** The failure that an answer without data stands for, for those who only want the data. */
export function callFailureOf(answer: Exclude<TaskContent, { outcome: 'answered' }>): CallFailure {
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
    return failedContent(
      'timeout',
      `${failure.message}, though ${sizeOf(raw)} came that are no answer to this call`,
    );
  const mayHoldError = errorClass === 'not_protocol' || errorClass === 'http_error';
  const error = mayHoldError ? rpcErrorIn(raw) : undefined;
  if (error === undefined) return failedContentOf(failure);
  return { outcome: 'refused', error };
}

function sizeOf(raw: string): string {
  return `${Buffer.byteLength(raw).toLocaleString('en-GB')} bytes`;
}

function bounded(content: TaskContent): TaskContent {
  const value = content.outcome === 'answered' ? content.data : undefined;
  const object = content.outcome === 'refused' ? (content.data ?? content.error.object) : value;
  if (hasMoreValues(object, MAX_ANSWER_VALUES))
    return failedContent(
      'too_large',
      `the answer holds more than ${MAX_ANSWER_VALUES.toLocaleString('en-GB')} values`,
    );
  return depthOf(object, MAX_ANSWER_DEPTH) > MAX_ANSWER_DEPTH
    ? failedContent('too_large', `the answer is nested more than ${MAX_ANSWER_DEPTH} deep`)
    : content;
}

function classOf({ code, recovery }: AgentError): ErrorClass {
  if (code !== undefined && /^(auth_required|auth_missing|unauthori[sz]ed|forbidden)$/i.test(code))
    return 'auth_required';
  return recovery === 'transient' ? 'http_error' : 'not_protocol';
}

/** A refusal with what the agent put into its error; `whole` where the error is only a part of the payload. */
export function refusedContent(
  data: JsonObject | undefined,
  text: string,
  whole: JsonObject | undefined = data,
): TaskContent {
  return { outcome: 'refused', error: agentErrorOf(data, text), ...(whole !== undefined && { data: whole }) };
}

/**
 * The same JSON value with every text and every name free of the secrets, wherever an agent may have echoed them.
 * What is shorter than eight characters is no secret, and stays.
 */
export function redact<T>(value: T, ...secrets: readonly string[]): T {
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET);
  return hidden.length === 0 ? value : (redactAll(value, hidden) as T);
}

function redactAll(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactAll(item, secrets));
  const members = Object.entries(value).map(([key, item]) => [
    redactText(key, secrets),
    redactAll(item, secrets),
  ]);
  return Object.fromEntries(members);
}

function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
