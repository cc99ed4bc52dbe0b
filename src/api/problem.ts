import type { QueryProblem, QueryProblemCode } from '../index/query/query-problem.ts';
import type { OAuthClientFault } from '../owners/oauth-client.ts';
import type { VisitState } from './render/visit-state.ts';

/** Codes of all problems, of requests and of the server. Closed and stable. */
export type ProblemCode =
  | QueryProblemCode
  | OAuthClientFault['code']
  | 'bad_request'
  | 'bad_encoding'
  | 'bad_agent_url'
  | 'unknown_agent'
  | 'not_found'
  | 'method_not_allowed'
  | 'invalid_key'
  | 'insufficient_scope'
  | 'not_key_maker'
  | 'invalid_signature'
  | 'feed_cursor_gone'
  | 'opted_out'
  | 'not_https'
  | 'too_many_keys'
  | 'too_many_agents'
  | 'slug_taken'
  | 'domain_taken'
  | 'not_proven'
  | 'too_many_subscriptions'
  | 'subscription_dead'
  | 'run_cooldown'
  | 'crawl_cooldown'
  | 'rate_limited'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'request_timeout'
  | 'expectation_failed'
  | 'foreign_origin'
  | 'not_offered'
  | 'not_built'
  | 'agent_failed'
  | 'overloaded'
  | 'not_ready'
  | 'unavailable'
  | 'internal';

interface Kind {
  readonly status: number;
  readonly title: string;
}

const BAD_PARAMETER = { status: 400, title: 'invalid parameter' };
const BAD_CLIENT = { status: 400, title: 'invalid OAuth client' };

/** The status and title of each code. */
export const PROBLEMS: Readonly<Record<ProblemCode, Kind>> = {
  unknown_parameter: BAD_PARAMETER,
  search_only_parameter: BAD_PARAMETER,
  repeated_parameter: BAD_PARAMETER,
  empty_value: BAD_PARAMETER,
  invalid_value: BAD_PARAMETER,
  value_too_long: BAD_PARAMETER,
  too_many_values: BAD_PARAMETER,
  type_conflict: BAD_PARAMETER,
  invalid_cursor: BAD_PARAMETER,
  cursor_mismatch: BAD_PARAMETER,
  invalid_blob_shape: BAD_CLIENT,
  missing_field: BAD_CLIENT,
  invalid_field_type: BAD_CLIENT,
  field_too_long: BAD_CLIENT,
  invalid_url: BAD_CLIENT,
  invalid_env_reference: BAD_CLIENT,
  invalid_auth_method_value: BAD_CLIENT,
  bad_request: { status: 400, title: 'bad request' },
  bad_encoding: { status: 400, title: 'invalid percent-encoding' },
  bad_agent_url: { status: 400, title: 'invalid agent URL' },
  unknown_agent: { status: 404, title: 'unknown agent' },
  not_found: { status: 404, title: 'not found' },
  method_not_allowed: { status: 405, title: 'method not allowed' },
  invalid_key: { status: 401, title: 'invalid API key' },
  insufficient_scope: { status: 403, title: 'insufficient scope' },
  not_key_maker: { status: 403, title: 'API key created by someone else' },
  invalid_signature: { status: 401, title: 'invalid signature' },
  feed_cursor_gone: { status: 410, title: 'cursor of another registry' },
  opted_out: { status: 409, title: 'opted out of tests' },
  too_many_agents: { status: 409, title: 'too many pending agents' },
  slug_taken: { status: 409, title: 'name already in use' },
  domain_taken: { status: 409, title: 'domain already in use' },
  not_proven: { status: 409, title: 'ownership not proven' },
  too_many_keys: { status: 409, title: 'too many API keys' },
  too_many_subscriptions: { status: 409, title: 'too many subscriptions' },
  subscription_dead: { status: 409, title: 'subscription stopped' },
  not_https: { status: 409, title: 'credentials require https' },
  run_cooldown: { status: 429, title: 'tested too recently' },
  crawl_cooldown: { status: 429, title: 'visited too recently' },
  rate_limited: { status: 429, title: 'too many requests' },
  body_too_large: { status: 413, title: 'body too large' },
  unsupported_media_type: { status: 415, title: 'unsupported media type' },
  headers_too_large: { status: 431, title: 'request header too large' },
  request_timeout: { status: 408, title: 'request timeout' },
  expectation_failed: { status: 417, title: 'expectation failed' },
  foreign_origin: { status: 403, title: 'request from another origin' },
  not_offered: { status: 501, title: 'not offered by this registry' },
  not_built: { status: 501, title: 'not implemented' },
  agent_failed: { status: 502, title: 'invalid answer of the agent' },
  overloaded: { status: 503, title: 'overloaded' },
  not_ready: { status: 503, title: 'not ready' },
  unavailable: { status: 503, title: 'temporarily unavailable' },
  internal: { status: 500, title: 'internal error' },
};

export interface ProblemDetails {
  readonly parameter?: string;
  /** The invalid field of an OAuth client, by the name in existing client libraries. */
  readonly field?: OAuthClientFault['field'];
  readonly validValues?: readonly string[];
  readonly requestId?: string;
  /** The code of the verifier, `request_signature_invalid` for example. */
  readonly signatureError?: string;
  /** The missing scope of the API key. */
  readonly requiredScope?: string;
  /** Of the file that would have answered. */
  readonly visit?: VisitState;
}

/** A request that cannot be answered; thrown by a route or a hook, rendered in one place. */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: ProblemDetails;
  /** Sent with the answer, for example Allow or WWW-Authenticate. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    details: ProblemDetails = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.name = 'HttpProblem';
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.details = details;
    this.headers = headers;
  }
}

/** For an invalid value; `detail` says what is expected, `validValues` lists allowed values. */
export function invalidValue(
  parameter: string,
  detail: string,
  validValues?: readonly string[],
): HttpProblem {
  return new HttpProblem('invalid_value', detail, { parameter, ...(validValues && { validValues }) });
}

/** The answer to a key that is not for this (RFC 6750, section 3.1). */
export function missingScope(scope: string): HttpProblem {
  return new HttpProblem(
    'insufficient_scope',
    `this operation requires the scope "${scope}", which the API key does not have; use a key with this scope`,
    { requiredScope: scope },
    { 'www-authenticate': `Bearer realm="registry", error="insufficient_scope", scope="${scope}"` },
  );
}

/** The detail for a path of no operation. */
export const NOTHING_HERE = 'this path does not exist; GET / lists the operations of the API';

/** For an agent that was never declared, registered or visited; `parameter` contains it. */
export function unknownAgent(parameter: string): HttpProblem {
  return new HttpProblem('unknown_agent', 'this agent is not in the registry', { parameter });
}

/** A problem of the query string as an HttpProblem. */
export function queryProblem(problem: QueryProblem): HttpProblem {
  const { code, detail, parameter, validValues } = problem;
  return new HttpProblem(code, detail, { parameter, ...(validValues === undefined ? {} : { validValues }) });
}

/** The body of an error (RFC 9457), with `error`, `code` and what else is known as extensions. */
export function problemBody(code: ProblemCode, detail: string, details: ProblemDetails = {}): string {
  return JSON.stringify({
    // A name, not an address: RFC 9457, section 3.1.1 lets a type identify without leading anywhere.
    type: `urn:problem-type:agent-registry:${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    detail,
    error: detail,
    code,
    parameter: details.parameter,
    field: details.field,
    valid_values: details.validValues,
    request_id: details.requestId,
    signature_error: details.signatureError,
    required_scope: details.requiredScope,
    visit: details.visit,
  });
}
