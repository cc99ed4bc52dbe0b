import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { LeakKind, MatchOperation } from '../domain/trusted-match.ts';
import { RegistryError } from '../errors.ts';
import { MatchProblem, type MatchProblemCode } from './problem.ts';
import { leakProblem } from './read-request.ts';
import { kindOfName } from './unknown-members.ts';

/** Of somebody: on the context side that is the very thing, on the identity side one more than the token. */
const OF_A_USER = {
  context: 'user_field',
  identity: 'unknown_field',
  exposure: 'unknown_field',
} as const satisfies Record<MatchOperation, LeakKind>;

/** Of a page, or of what else was done for the same person: either would join the two operations. */
const FORBIDDEN_HEADERS: Readonly<Record<string, (operation: MatchOperation) => LeakKind | undefined>> = {
  cookie: (operation) => OF_A_USER[operation],
  from: (operation) => OF_A_USER[operation],
  referer: (operation) => (operation === 'context' ? undefined : 'page_field'),
  origin: (operation) => (operation === 'context' ? undefined : 'page_field'),
  traceparent: () => 'unknown_field',
  tracestate: () => 'unknown_field',
  baggage: () => 'unknown_field',
};

/** A proxy in front adds these to each request, and the provider reads none of them. */
const OF_A_PROXY = /^x-(?:forwarded-|real-ip$)/;

/** A header of somebody's own making is judged by its name, as a member would be. */
function leakOfHeader(name: string, operation: MatchOperation): LeakKind | undefined {
  const forbidden = Object.hasOwn(FORBIDDEN_HEADERS, name) ? FORBIDDEN_HEADERS[name] : undefined;
  if (forbidden !== undefined) return forbidden(operation);
  if (!name.startsWith('x-') || OF_A_PROXY.test(name)) return undefined;
  const kind = kindOfName(name, operation);
  if (kind !== 'unknown_field') return kind;
  return operation !== 'context' && kindOfName(name, 'context') === 'user_field' ? kind : undefined;
}

/** Why a request is refused before its body is read: a header or a query that carries what no schema names. */
export function leakIn(
  { headers, url = '' }: IncomingMessage,
  operation: MatchOperation,
): MatchProblem | undefined {
  for (const header in headers) {
    const leak = leakOfHeader(header, operation);
    if (leak !== undefined)
      return withPlace(leakProblem(operation, { pointer: '', leak }), `header ${shown(header)}`);
  }
  const query = url.indexOf('?');
  if (query === -1) return undefined;
  const kinds = [...new URLSearchParams(url.slice(query)).keys()].map((name) => kindOfName(name, operation));
  const leak = kinds.find((kind) => kind !== 'unknown_field') ?? 'unknown_field';
  return withPlace(leakProblem(operation, { pointer: '', leak }), 'query');
}

/** A name of somebody's own making could itself be what must not be repeated. */
function shown(header: string): string {
  return Object.hasOwn(FORBIDDEN_HEADERS, header) ? header : 'of its own';
}

function withPlace({ code, message, leak }: MatchProblem, place: string): MatchProblem {
  return new MatchProblem(code, `${message} (${place})`, leak === undefined ? {} : { leak });
}

/** Fastify's own refusals that a caller can cause (its reference, Errors). */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [MatchProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than any request of the schemas'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'send the body as application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'the body is not as long as Content-Length says'],
};

/** Whatever was thrown, as a problem. What is our own fault says nothing of itself. */
export function asProblem(error: unknown): MatchProblem {
  if (error instanceof MatchProblem) return error;
  if (error instanceof RegistryError && error.code.startsWith('store_'))
    return new MatchProblem(
      'unavailable',
      'the provider cannot read its exposures at the moment; try again later',
    );
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = FASTIFY_PROBLEMS[code];
  if (known !== undefined) return new MatchProblem(known[0], known[1]);
  if (isClientError(error)) return new MatchProblem('bad_request', 'the request cannot be understood');
  return new MatchProblem('internal', 'something went wrong on our side');
}

/** 405 with Allow where the path takes POST, else 404. */
export function refuseUnrouted(server: FastifyInstance): void {
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    if (!server.hasRoute({ url: path, method: 'POST' }))
      throw new MatchProblem('not_found', 'there is nothing at this address');
    reply.header('allow', 'POST');
    throw new MatchProblem('method_not_allowed', `${request.method} is not possible here; send POST`);
  });
}

function isClientError(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
