import { elements, isObject, type JsonObject, member, parseObject } from '../base/json.ts';
import { FETCH_ERROR_CODES, type FetchErrorCode, type FetchFailure } from '../domain/capture.ts';
import type { ErrorClass } from '../domain/observation.ts';
import { shortText } from '../domain/text.ts';

/** What is known of a failure beside its class and its message. */
export interface FailureFacts {
  /** The HTTP status, where it is the reason. */
  readonly status?: number;
  /** The media type of the answer, lower case, without parameters. */
  readonly contentType?: string;
  /**
   * The agent's own words: redacted, at most 300 characters. For the CLI, the lab and the owner only; a public answer shows
   * the message alone.
   */
  readonly words?: string;
  /** The code of a JSON-RPC error: the other side speaks JSON-RPC. */
  readonly rpcCode?: number;
  /** The WWW-Authenticate header of a 401 or 403. */
  readonly challenge?: string;
  /** The same request may succeed after so many milliseconds; absent for a failure that does not pass by itself. */
  readonly retryInMs?: number;
  /** The request that failed, where it is known: `agent card`. */
  readonly request?: string;
  /** A valid answer of the protocol came, and holds no data. */
  readonly answered?: true;
  /** The request was sent twice, and this is the second failure. */
  readonly retried?: true;
}

/** Why a call to an agent failed. The message is one sentence, lower case, and holds none of the agent's words. */
export class CallFailure extends Error {
  readonly errorClass: ErrorClass;
  readonly facts: FailureFacts;

  constructor(errorClass: ErrorClass, message: string, facts: FailureFacts = {}) {
    super(message);
    this.name = 'CallFailure';
    this.errorClass = errorClass;
    this.facts = facts;
  }

  get status(): number | undefined {
    return this.facts.status;
  }

  get rpcCode(): number | undefined {
    return this.facts.rpcCode;
  }

  get words(): string | undefined {
    return this.facts.words;
  }
}

/** The message with the agent's own words after it: not for the public. */
export function inFull({
  message,
  words,
}: {
  readonly message: string;
  readonly words?: string | undefined;
}) {
  return words === undefined ? message : `${message}: ${words}`;
}

const CLASS_OF_FETCH: Readonly<Record<FetchErrorCode, ErrorClass>> = {
  dns: 'dns',
  refused: 'refused',
  tls: 'tls',
  timeout: 'timeout',
  interrupted: 'timeout',
  blocked: 'blocked',
  origin: 'other_origin',
  robots: 'blocked',
  redirect: 'http_error',
  too_large: 'too_large',
  encoding: 'not_protocol',
  protocol: 'not_protocol',
};

const CLASS_OF_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: 'auth_required',
  403: 'auth_required',
  404: 'wrong_path',
  405: 'wrong_path',
  410: 'wrong_path',
};

/** Statuses of a server, or of a proxy before it, that is overloaded or restarting (RFC 9110, section 15.6; RFC 6585). */
const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];

/** How long to wait before a retry when the agent names no time, milliseconds. */
export const RETRY_MS = 1_000;

/** Another path on the same host fails with these as well. */
const HOPELESS: readonly ErrorClass[] = ['dns', 'refused', 'tls', 'timeout', 'blocked'];

/** The class that says most about an agent comes first, when several addresses failed in several ways. */
const MOST_INFORMATIVE_FIRST: readonly ErrorClass[] = [
  'auth_required', // an answer of the protocol: nothing at another address takes it back
  'input_required',
  'other_origin',
  'blocked',
  'dns',
  'refused',
  'tls',
  'timeout',
  'http_error',
  'too_large',
  'not_protocol',
  'wrong_path',
];

/** An HTTP status that is no answer of the protocol. `retryAfterMs` is its Retry-After. */
export function failureOfStatus(
  status: number,
  facts: Omit<FailureFacts, 'status' | 'retryInMs'> = {},
  retryAfterMs?: number,
): CallFailure {
  return failureOf(CLASS_OF_STATUS[status] ?? 'http_error', status, facts, retryAfterMs);
}

/**
 * The status of a GET for a document that may not exist. Hosts of static files answer 403 for a file that is missing, so
 * only a 401 asks for credentials here.
 */
export function failureOfGet({ status = 0, facts }: CallFailure): CallFailure {
  return failureOf(
    status === 403 ? 'wrong_path' : (CLASS_OF_STATUS[status] ?? 'http_error'),
    status,
    facts,
    facts.retryInMs,
  );
}

function failureOf(
  errorClass: ErrorClass,
  status: number,
  facts: FailureFacts,
  retryAfterMs?: number,
): CallFailure {
  const retryInMs = TRANSIENT_STATUSES.includes(status) ? (retryAfterMs ?? RETRY_MS) : undefined;
  return new CallFailure(errorClass, `HTTP ${status}${shownType(facts)}`, {
    ...facts,
    status,
    ...(retryInMs !== undefined && { retryInMs }),
  });
}

/** JSON and plain text go without saying where their words are quoted. */
function shownType({ contentType, words }: FailureFacts): string {
  if (contentType === undefined) return '';
  const isExpected = isJson(contentType) || (contentType === 'text/plain' && words !== undefined);
  return isExpected ? '' : ` ${contentType}`;
}

function isJson(contentType: string): boolean {
  return contentType === 'application/json' || contentType.endsWith('+json');
}

/** A request that our own fetcher could not, or would not, finish. */
export function failureOfFetch({ code, detail, temporary }: FetchFailure): CallFailure {
  const passes = code === 'refused' || temporary === true;
  return new CallFailure(CLASS_OF_FETCH[code], detail, passes ? { retryInMs: RETRY_MS } : {});
}

/** The fetcher's verdict inside an error of the guarded fetch, or of whatever wrapped it. */
export function fetchFailureIn(error: unknown): FetchFailure | undefined {
  for (let depth = 0, at: unknown = error; depth < 5 && at instanceof Error; depth += 1, at = at.cause) {
    const failure: unknown = 'failure' in at ? at.failure : undefined;
    if (isFetchFailure(failure)) return failure;
  }
  return undefined;
}

const NO_MESSAGE = 'the answer is not a valid protocol message';

/**
 * An error of an SDK although the transport worked: the other side does not speak the protocol, or refused. The texts of the
 * SDKs quote the answer, so they count as the agent's words.
 */
export function failureOfProtocol(error: unknown, contentType?: string): CallFailure {
  const rpcCode = rpcCodeIn(error);
  const type = contentType === undefined ? {} : { contentType };
  const text = error instanceof Error ? shortText(error.message, MAX_WORDS) : undefined;
  if (rpcCode !== undefined) {
    const words = text?.replace(/^MCP error -?\d+: ?/, '') || undefined;
    return new CallFailure('not_protocol', `JSON-RPC error ${rpcCode}`, {
      ...type,
      rpcCode,
      ...(words !== undefined && { words }),
    });
  }
  if (contentType !== undefined && !isJson(contentType) && contentType !== 'text/event-stream')
    return new CallFailure('not_protocol', `HTTP 200 ${contentType}, which is not a protocol message`, type);
  if (error instanceof SyntaxError)
    return new CallFailure('not_protocol', 'the answer is not valid JSON', type);
  // the error of a schema is a page of JSON
  const isShort = text !== undefined && !(error instanceof Error && /ZodError$/.test(error.name));
  return new CallFailure('not_protocol', NO_MESSAGE, { ...type, ...(isShort && { words: text }) });
}

/** The failure of some work as a value; whatever else is thrown is a fault of ours and goes on. */
export async function settle<T>(work: Promise<T>): Promise<T | CallFailure> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof CallFailure) return thrown;
    throw thrown;
  }
}

/** True when no other address on the same host is worth a request. */
export function isHopeless(failure: CallFailure): boolean {
  return HOPELESS.includes(failure.errorClass);
}

/** The failure that says most; the earliest among equals. */
export function mostInformative(failures: readonly CallFailure[]): CallFailure {
  const ranked = failures.toSorted(
    (a, b) => MOST_INFORMATIVE_FIRST.indexOf(a.errorClass) - MOST_INFORMATIVE_FIRST.indexOf(b.errorClass),
  );
  return ranked[0] ?? new CallFailure('not_protocol', 'no MCP or A2A answer received');
}

function isFetchFailure(value: unknown): value is FetchFailure {
  const code = member(value, 'code');
  return isObject(value) && (FETCH_ERROR_CODES as readonly unknown[]).includes(code);
}

/** JSON-RPC 2.0, section 5.1: reserved codes are negative, five digits. */
function rpcCodeIn(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const key of ['code', 'envelopeCode'] as const) {
    const code: unknown = key in error ? (error as unknown as Record<string, unknown>)[key] : undefined;
    if (typeof code === 'number' && code <= -32_000) return code;
  }
  return undefined;
}

/** Longest quotation of an agent's own words, characters. */
export const MAX_WORDS = 300;
/** Beginning of a body in which the words are looked for, bytes. */
export const SNIPPET_BYTES = 8_192;

/** RFC 9110, section 8.3.1; longer ones are not media types that exist. */
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/;

/** The media type of a Content-Type header: lower case, without parameters; undefined when the header is none. */
export function mediaTypeOf(header: string | null): string | undefined {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : undefined;
}

/**
 * The words in the body of an answer with an error status: the message of a JSON object or of a JSON-RPC error, a plain text,
 * or the title of an HTML page. Never mark-up; at most 300 characters; undefined when there are none.
 */
export function wordsIn(body: string, contentType: string | undefined): string | undefined {
  const start = body.trimStart();
  if (contentType?.includes('html') === true || start.startsWith('<')) return titleOf(start);
  const object = parseObject(start);
  if (object !== undefined) return wordsOfJson(object);
  return contentType === undefined || contentType === 'text/plain' ? shortText(start, MAX_WORDS) : undefined;
}

function wordsOfJson(value: JsonObject): string | undefined {
  const error = member(value, 'error');
  const code = member(error, 'code');
  const first = elements(member(value, 'errors'))[0];
  const found = [
    isObject(error) ? member(error, 'message') : error,
    ...['message', 'detail', 'error_description', 'title'].map((key) => member(value, key)),
    isObject(first) ? member(first, 'message') : first,
  ].find((one) => typeof one === 'string' && one.trim() !== '');
  const isRpc = member(value, 'jsonrpc') === '2.0' && Number.isInteger(code);
  const tail = isRpc ? ` (JSON-RPC error ${String(code)})` : '';
  const text = shortText(found, MAX_WORDS - tail.length);
  return text === undefined ? undefined : `${text}${tail}`;
}

function titleOf(page: string): string | undefined {
  const opened = page.toLowerCase().indexOf('<title');
  const from = page.indexOf('>', opened);
  const to = page.indexOf('<', from);
  return opened < 0 || from < 0
    ? undefined
    : shortText(page.slice(from + 1, to < 0 ? undefined : to), MAX_WORDS);
}
