import type { LeakKind } from '../domain/trusted-match.ts';

/** Everything that can be wrong with a request to a provider, or with the provider. Closed, and stable. */
const PROBLEMS = {
  user_data_in_context: [400, 'user data is not allowed in a context match'],
  page_data_in_identity: [400, 'page data is not allowed in an identity match'],
  unknown_field: [400, 'unknown field'],
  invalid_field: [400, 'missing or invalid field'],
  duplicate_field: [400, 'duplicate field'],
  unknown_package: [400, 'unknown package'],
  bad_request: [400, 'bad request'],
  request_id_reused: [409, 'duplicate request id'],
  exposure_conflict: [409, 'duplicate exposure id'],
  not_found: [404, 'not found'],
  method_not_allowed: [405, 'method not allowed'],
  body_too_large: [413, 'body too large'],
  unsupported_media_type: [415, 'unsupported media type'],
  headers_too_large: [431, 'request header too large'],
  rate_limited: [429, 'too many requests'],
  unavailable: [503, 'temporarily unavailable'],
  internal: [500, 'internal error'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type MatchProblemCode = keyof typeof PROBLEMS;

/** A pointer can contain arbitrary names sent by the caller. */
const MAX_POINTER = 200;

export interface MatchProblemDetails {
  /** JSON Pointer (RFC 6901) to the member, `''` for the whole body. */
  readonly pointer?: string;
  /** What it is counted as, when it is a leak. */
  readonly leak?: LeakKind;
}

/** A request that is refused. The text never repeats a value of the request. */
export class MatchProblem extends Error {
  readonly code: MatchProblemCode;
  readonly status: number;
  readonly pointer: string | undefined;
  readonly leak: LeakKind | undefined;

  constructor(code: MatchProblemCode, detail: string, { pointer, leak }: MatchProblemDetails = {}) {
    super(detail);
    this.name = 'MatchProblem';
    this.code = code;
    this.status = PROBLEMS[code][0];
    this.pointer = pointer?.slice(0, MAX_POINTER);
    this.leak = leak;
  }
}

/** The body of an error (RFC 9457) with `error`, `code`, `pointer` and `retryable`. */
export function matchProblemBody({ code, message, status, pointer }: MatchProblem): string {
  return JSON.stringify({
    type: `urn:problem-type:trusted-match:${code}`,
    title: PROBLEMS[code][1],
    status,
    detail: message,
    error: message,
    code,
    pointer,
    retryable: status >= 500,
  });
}
