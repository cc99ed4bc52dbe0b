import type { FetchErrorCode, FetchFailure } from '../../domain/capture.ts';

/** Up to here any ratio is fine: a short JSON file of repeated text compresses a thousandfold. */
const RATIO_FREE_BYTES = 1 << 20;
/** Beyond it, decoded bytes for each received one; text reaches 20, only a bomb reaches 100. */
const MAX_RATIO = 100;

/** The failure of a guarded request as an exception, for callers that speak the WHATWG `fetch` signature. */
export class FetchGuardError extends Error {
  readonly failure: FetchFailure;

  constructor(code: FetchErrorCode, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.name = 'FetchGuardError';
    this.failure = { code, detail };
  }

  /** A look-up that failed at the name servers, and may succeed a moment later. */
  static temporary(detail: string): FetchGuardError {
    const error = new FetchGuardError('dns', detail);
    return Object.assign(error, { failure: { ...error.failure, temporary: true } });
  }
}

/** The same connection may succeed a moment later: it was refused or broken, or a name server failed. */
export function mayConnectLater({ failure }: FetchGuardError): boolean {
  return failure.code === 'refused' || failure.temporary === true;
}

/** What the error codes of Node and undici mean, in our words; the first prefix that fits counts. */
const MEANINGS: readonly (readonly [prefix: string, code: FetchErrorCode, sentence: string])[] = [
  ['ENOTFOUND', 'dns', 'the host name has no address'],
  ['ENODATA', 'dns', 'the host name has no address'],
  ['EAI_', 'dns', 'the host name could not be resolved'],
  ['ECONNREFUSED', 'refused', 'the connection was refused'],
  ['ECONNRESET', 'refused', 'the connection was reset'],
  ['ECONNABORTED', 'refused', 'the connection was interrupted'],
  ['EPIPE', 'refused', 'the connection was interrupted'],
  ['UND_ERR_SOCKET', 'refused', 'the connection was closed before the response was complete'],
  ['EHOSTUNREACH', 'refused', 'no route to the host'],
  ['EHOSTDOWN', 'refused', 'no route to the host'],
  ['ENETUNREACH', 'refused', 'the network of the host is unreachable'],
  ['EADDRNOTAVAIL', 'refused', 'the network of the host is unreachable'],
  ['ETIMEDOUT', 'timeout', 'connection timed out'],
  ['ERR_TLS_CERT_ALTNAME', 'tls', 'the certificate is for another host name'],
  ['CERT_HAS_EXPIRED', 'tls', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'tls', 'the certificate is not valid yet'],
  ['CERT_', 'tls', 'the certificate is not accepted'],
  ['DEPTH_ZERO_SELF_SIGNED', 'tls', 'the certificate is self-signed'],
  ['SELF_SIGNED', 'tls', 'the certificate chain ends in an unknown authority'],
  ['UNABLE_TO_', 'tls', 'the certificate chain cannot be verified'],
  ['ERR_TLS_', 'tls', 'the TLS session failed'],
  ['ERR_SSL_', 'tls', 'the TLS session failed'],
  ['EPROTO', 'tls', 'the TLS session failed'],
  ['HPE_', 'protocol', 'the response is not valid HTTP'],
  ['UND_ERR_HEADERS_OVERFLOW', 'protocol', 'the response headers are too large'],
  ['UND_ERR_RES_CONTENT_LENGTH', 'protocol', 'the length of the body differs from Content-Length'],
];

/** Any error of a request as a failure value: one sentence, lower case, with the system's code where there is one. */
export function fetchFailureOf(error: unknown): FetchFailure {
  if (error instanceof FetchGuardError) return error.failure;
  const systemCode = codeOf(error);
  const meaning = MEANINGS.find(([prefix]) => systemCode.startsWith(prefix));
  if (meaning === undefined) return { code: 'protocol', detail: `the request failed: ${sentenceOf(error)}` };
  return { code: meaning[1], detail: `${meaning[2]} (${systemCode})` };
}

/** The same as an exception; a FetchGuardError stays itself. */
export function guardError(error: unknown): FetchGuardError {
  if (error instanceof FetchGuardError) return error;
  const { code, detail } = fetchFailureOf(error);
  return new FetchGuardError(code, detail, error);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 200).toLowerCase();
}

/** How many decoded bytes are allowed after so many received ones. */
export function decodedCap(received: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(RATIO_FREE_BYTES, received * MAX_RATIO));
}

/** Whether undici ended a body at its limit for received bytes. */
export function isTooLarge(error: unknown): boolean {
  return codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
}

/** The failure for more decoded bytes than `decodedCap` allows. */
export function tooLarge(received: number, maxBytes: number): FetchGuardError {
  const bomb = decodedCap(received, maxBytes) < maxBytes;
  const sentence = bomb
    ? `the body expands more than ${MAX_RATIO} times`
    : `the body is larger than ${maxBytes} bytes`;
  return new FetchGuardError('too_large', sentence);
}

/** A failure while decoding, as one of ours. */
export function decodeError(
  error: unknown,
  encoding: string,
  received: number,
  maxBytes: number,
): FetchGuardError {
  if (error instanceof FetchGuardError) return error;
  if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return tooLarge(received, maxBytes);
  return new FetchGuardError('encoding', `the ${encoding} data of the body is corrupt`, error);
}
