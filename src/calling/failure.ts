import { isObject, member } from '../base/json.ts';
import { FETCH_ERROR_CODES, type FetchErrorCode, type FetchFailure } from '../domain/capture.ts';
import type { ErrorClass } from '../domain/observation.ts';
import { shortText } from '../domain/text.ts';

interface FailureFacts {
  readonly status?: number;
  readonly rpcCode?: number;
  readonly challenge?: string;
}

/** Why one call to an agent brought no answer; the message is one sentence, lower case. */
export class CallFailure extends Error {
  readonly errorClass: ErrorClass;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The code of a JSON-RPC error: somebody speaks JSON-RPC there. */
  readonly rpcCode: number | undefined;
  /** What a 401 said under WWW-Authenticate: why, where the agent tells. */
  readonly challenge: string | undefined;

  constructor(errorClass: ErrorClass, message: string, more: FailureFacts = {}) {
    super(message);
    this.name = 'CallFailure';
    this.errorClass = errorClass;
    this.status = more.status;
    this.rpcCode = more.rpcCode;
    this.challenge = more.challenge;
  }
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

/** What the host itself cannot do will not work at another path either. */
const HOPELESS: readonly ErrorClass[] = ['dns', 'refused', 'tls', 'timeout', 'blocked'];

/** Another probe may well succeed, with nothing changed at the agent. */
const PASSING: readonly ErrorClass[] = ['dns', 'refused', 'tls', 'timeout', 'http_error'];

/** What tells most about an agent comes first, when several addresses failed in several ways. */
const MOST_INFORMATIVE_FIRST: readonly ErrorClass[] = [
  'auth_required', // an answer of the protocol: nothing at another address takes it back
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

/** An HTTP status that is no answer of the protocol. */
export function failureOfStatus(status: number, challenge?: string): CallFailure {
  return new CallFailure(CLASS_OF_STATUS[status] ?? 'http_error', `answered http status ${status}`, {
    status,
    ...(challenge !== undefined && { challenge }),
  });
}

/**
 * The status of a GET for what may not be there. Hosts of static files answer 403 for a file that is missing, so
 * only a 401 asks for credentials here.
 */
export function failureOfGet(status: number): CallFailure {
  if (status !== 403) return failureOfStatus(status);
  return new CallFailure('wrong_path', `answered http status ${status}`, { status });
}

/** A request that our own fetcher could not, or would not, finish. */
export function failureOfFetch(failure: FetchFailure): CallFailure {
  return new CallFailure(CLASS_OF_FETCH[failure.code], failure.detail);
}

/** The fetcher's verdict inside an error of the guarded fetch, or of whatever wrapped it. */
export function fetchFailureIn(error: unknown): FetchFailure | undefined {
  for (let depth = 0, at: unknown = error; depth < 5 && at instanceof Error; depth += 1, at = at.cause) {
    const failure: unknown = 'failure' in at ? at.failure : undefined;
    if (isFetchFailure(failure)) return failure;
  }
  return undefined;
}

/** What an SDK threw although the transport worked: the other side does not speak the protocol, or refused. */
export function failureOfProtocol(error: unknown): CallFailure {
  // what a schema of an SDK throws is a page of JSON
  if (error instanceof Error && /ZodError$/.test(error.name))
    return new CallFailure('not_protocol', 'the answer has not the form of a message of the protocol');
  const text = (error instanceof Error && shortText(error.message, 200)) || 'no answer of the protocol';
  const rpcCode = rpcCodeIn(error);
  if (rpcCode === undefined)
    return new CallFailure('not_protocol', text.charAt(0).toLowerCase() + text.slice(1));
  const told = text.replace(/^MCP error -?\d+: /, '');
  return new CallFailure('not_protocol', `json-rpc error ${rpcCode}: ${told}`, { rpcCode });
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

/** True when the fault may pass by itself. */
export function mayPass(failure: CallFailure): boolean {
  return PASSING.includes(failure.errorClass);
}

/** The failure that says most; the earliest among equals. */
export function mostInformative(failures: readonly CallFailure[]): CallFailure {
  const ranked = failures.toSorted(
    (a, b) => MOST_INFORMATIVE_FIRST.indexOf(a.errorClass) - MOST_INFORMATIVE_FIRST.indexOf(b.errorClass),
  );
  return ranked[0] ?? new CallFailure('not_protocol', 'nothing answered a protocol');
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
