import type { Outcome } from './outcome.ts';

/** Why a request brought no answer. */
export const FETCH_ERROR_CODES = [
  'dns', // the name has no address
  'refused', // nobody listens, or the connection broke
  'tls', // no trusted TLS session
  'timeout', // the visit's deadline passed
  'blocked', // our own guard: a forbidden address, scheme, port or userinfo
  'redirect', // a redirect that the rule of this file does not allow, or too many of them
  'origin', // a way out of the proven origin, which is all that consent covers
  'robots', // robots.txt names our user agent and forbids the path
  'too_large', // more bytes, or a higher compression ratio, than allowed
  'encoding', // an unknown or stacked content encoding, or a broken one
  'protocol', // not HTTP, or broken HTTP
  'interrupted', // we stopped on purpose
] as const;

export type FetchErrorCode = (typeof FETCH_ERROR_CODES)[number];

export interface FetchFailure {
  readonly code: FetchErrorCode;
  /** One sentence, lower case, without secrets. */
  readonly detail: string;
  /** A name server failed: the same look-up may succeed a moment later. */
  readonly temporary?: true;
}

/** One request on the way from the requested to the final URL. */
export interface Hop {
  readonly url: string;
  readonly status: number;
  readonly location?: string;
}

/** The response headers that later stages use, lower case names, single values. */
export interface KeptHeaders {
  readonly 'content-type'?: string;
  readonly etag?: string;
  readonly 'last-modified'?: string;
  readonly 'cache-control'?: string;
  readonly 'retry-after'?: string;
  readonly age?: string;
  readonly date?: string;
}

interface CaptureBase {
  readonly requestedUrl: string;
  /** After redirects; equals requestedUrl when there were none. */
  readonly finalUrl: string;
  /** Redirect answers only, in order. */
  readonly trail: readonly Hop[];
  /** When the request was made, epoch milliseconds. */
  readonly at: number;
  /** Without what our own politeness held it back: others may have booked the turns before, and nobody is slow by that. */
  readonly durationMs: number;
}

export interface Answered extends CaptureBase {
  readonly ok: true;
  readonly status: number;
  readonly headers: KeptHeaders;
  /** Decoded (content encoding removed); empty for 304. */
  readonly body: Uint8Array;
  /** SHA-256 of `body`, lower case hex; '' when the body is empty, or is not to be kept. */
  readonly bodyHash: string;
}

export interface Unanswered extends CaptureBase {
  readonly ok: false;
  readonly failure: FetchFailure;
}

/** What the network said: a fact, kept as it was. An HTTP error status is an answer too. */
export type Capture = Answered | Unanswered;

/** What makes a conditional request for one URL possible (RFC 9110, section 13). */
export interface Validator {
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Of the body that the validators belong to. */
  readonly bodyHash: string;
  /** The media type that it was served with, where that is not the one of its format; '' for none. */
  readonly mislabelled?: string;
}

/** The outcome of a capture that brought no usable document; undefined for 200 and 304. */
export function outcomeOf(capture: Capture): Outcome | undefined {
  if (!capture.ok) return outcomeOfFailure(capture.failure.code);
  const { status } = capture;
  if (status === 200 || status === 304) return undefined;
  if (status === 404 || status === 410) return 'absent';
  if (status === 401 || status === 403 || status === 451) return 'refused';
  if (status === 429 || (status === 503 && capture.headers['retry-after'] !== undefined)) return 'throttled';
  return status >= 500 ? 'failed' : 'invalid';
}

function outcomeOfFailure(code: FetchErrorCode): Outcome {
  if (code === 'blocked' || code === 'origin' || code === 'robots' || code === 'redirect') return 'refused';
  if (code === 'too_large' || code === 'encoding') return 'invalid';
  if (code === 'interrupted') return 'failed';
  return 'unreachable';
}

/** No such file, by status or as object stores say it: 403 with an XML AccessDenied. A 410 says more: not any more. */
export function isMissing(capture: Capture): boolean {
  if (!capture.ok) return false;
  if (capture.status === 404) return true;
  return (
    capture.status === 403 &&
    /<Code>AccessDenied<\/Code>/.test(new TextDecoder().decode(capture.body.subarray(0, 2_048)))
  );
}

export function isGone(capture: Capture): boolean {
  return isMissing(capture) || (capture.ok && capture.status === 410);
}
