import { depthOf, hasMoreValues, type JsonObject } from '../base/json.ts';
import type { ErrorClass } from '../domain/observation.ts';
import { shortText } from '../domain/text.ts';
import { isRepeatable } from '../protocol/tasks.ts';
import { type AgentError, agentErrorOf, onlyError, rpcErrorIn } from './agent-error.ts';
import type { TaskAnswer, TaskContent, TaskOptions } from './connection.ts';
import { CallFailure, type FailureFacts, inFull, MAX_WORDS, RETRY_MS } from './failure.ts';
import { ANSWER_BYTES, MAX_ANSWER_DEPTH, MAX_ANSWER_VALUES } from './limits.ts';
import type { CallSession, Exchange, StepOptions } from './session.ts';

/** A failure of the transport as content. */
export function failedContent(
  errorClass: ErrorClass,
  message: string,
  facts: FailureFacts = {},
): TaskContent {
  const { rpcCode: _code, retryInMs: _wait, request: _request, ...kept } = facts;
  return { outcome: 'failed', failure: { errorClass, message, ...kept } };
}

/** The same of a failure that was caught. */
function failedContentOf({ errorClass, message, facts }: CallFailure): TaskContent {
  return failedContent(errorClass, message, facts);
}

/** The answer to a call that could not be made, as no connection could be opened for it. */
export function unconnectedAnswer(failure: CallFailure): TaskAnswer {
  const { status, contentType, words, retried } = failure.facts;
  return {
    ...failedContentOf(failure),
    ...{ durationMs: 0, raw: '' },
    ...(status !== undefined && { status }),
    ...(contentType !== undefined && { contentType }),
    ...(words !== undefined && { words }),
    ...(retried && { retried }),
  };
}

interface TaskCall {
  readonly task: string;
  /** The URL that it is sent to. */
  readonly at: string;
  /** As the caller gave it. */
  readonly payload: unknown;
  readonly options: TaskOptions;
}

/**
 * Calls a task in one step of the session, and once more after a passing trouble where the call is repeatable. `send` reads
 * the result inside the step, so that a result of any shape is an answer or a failure. Never rejects.
 */
export async function callStep(
  session: CallSession,
  { task, at, payload, options }: TaskCall,
  send: (signal: AbortSignal) => Promise<TaskContent>,
): Promise<TaskAnswer> {
  const { repeatable = isRepeatable(task, payload), retryRefusals = true } = options;
  const attempt = async () => {
    const exchange = await session.exchange(task, at, send, callStepOf(options));
    return { result: exchange.result, answer: taskAnswerOf(session, exchange) };
  };
  const { outcome, retried } = await session.retryOnce(attempt, ({ result, answer }) => {
    // a server that answers 429 has not looked at the request (RFC 6585)
    if (!repeatable && answer.status !== 429) return undefined;
    if (result instanceof CallFailure) return result.facts.retryInMs;
    const error = refusalIn(answer);
    return error !== undefined && retryRefusals ? retryInMsOf(error) : undefined;
  });
  return retried ? { ...outcome.answer, retried } : outcome.answer;
}

/** The agent's own error, also where it is the whole of an answer that is not marked as a refusal. */
function refusalIn(answer: TaskAnswer): AgentError | undefined {
  if (answer.outcome === 'refused') return answer.error;
  return answer.outcome === 'answered' ? onlyError(answer.data) : undefined;
}

/** The same answer, as the refusal that it is when it holds only an error. */
export function asRefusal(answer: TaskAnswer): TaskAnswer {
  const error = answer.outcome === 'answered' ? onlyError(answer.data) : undefined;
  return error === undefined ? answer : { ...answer, outcome: 'refused', error };
}

const TRANSIENT_CODES = /^(?:RATE_LIMITED|SERVICE_UNAVAILABLE)$/i;

/** When the agent itself says that the same call may succeed, milliseconds; undefined when it does not. */
function retryInMsOf({ code, recovery, retryAfter }: AgentError): number | undefined {
  const isTransient = recovery === 'transient' || TRANSIENT_CODES.test(code ?? '');
  if (!isTransient) return undefined;
  return retryAfter === undefined || retryAfter < 0 ? RETRY_MS : retryAfter * 1_000;
}

/** The bounds of one call, for its step of the session. */
function callStepOf({ callMs, maxBytes = ANSWER_BYTES, auth }: TaskOptions): StepOptions<TaskContent> {
  return {
    keep: true,
    fault: (content) => (content.outcome === 'answered' ? undefined : inFull(callFailureOf(content))),
    budget: { left: maxBytes },
    ...(callMs !== undefined && { callMs }),
    ...(auth !== undefined && { auth }),
  };
}

/**
 * The answer of an exchange: its result, a JSON-RPC error as the refusal that it is, or the failure. An answer with too many
 * values, or nested too deeply for others to read, is a failure too.
 */
export function taskAnswerOf(
  session: Pick<CallSession, 'redact'>,
  { result, status, contentType, durationMs, raw }: Exchange<TaskContent>,
): TaskAnswer {
  const content = bounded(result instanceof CallFailure ? noResult(result, raw) : result);
  const words = wordsOfContent(content);
  const answer = {
    ...content,
    ...{ durationMs, raw },
    ...(status !== undefined && { status }),
    ...(contentType !== undefined && { contentType }),
    ...(words !== undefined && { words }),
  };
  return session.redact(answer);
}

function wordsOfContent(content: TaskContent): string | undefined {
  if (content.outcome === 'failed') return content.failure.words;
  return content.outcome === 'refused' && content.error.rpcCode !== undefined
    ? shortText(content.error.message, MAX_WORDS)
    : undefined;
}

/** Codes of the protocol; anything else in the place of a code may be a sentence of the agent. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The failure that an answer without data amounts to, for callers that want only the data. */
export function callFailureOf(answer: Exclude<TaskContent, { outcome: 'answered' }>): CallFailure {
  if (answer.outcome === 'failed') {
    const { errorClass, message, ...facts } = answer.failure;
    return new CallFailure(errorClass, message, facts);
  }
  const { code, message, rpcCode } = answer.error;
  const words = shortText(message, MAX_WORDS);
  const said = { answered: true as const, ...(words !== undefined && { words }) };
  if (rpcCode !== undefined && code === undefined)
    return new CallFailure('not_protocol', `JSON-RPC error ${rpcCode}`, { ...said, rpcCode });
  const shown = code !== undefined && CODE.test(code) ? ` with ${code}` : '';
  return new CallFailure(classOf(answer.error), `the agent refused the task${shown}`, said);
}

function noResult(failure: CallFailure, raw: string): TaskContent {
  const { errorClass } = failure;
  // says that something came, so that the author of the agent does not look for a slow server
  if (errorClass === 'timeout' && raw !== '' && failure.message.startsWith('no answer within'))
    return failedContent(
      'timeout',
      `${failure.message}; received ${sizeOf(raw)} that do not answer this call`,
      failure.facts,
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
