import type { FastifyInstance } from 'fastify';
import { countFault } from '../ops/engine-metrics.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Limiter } from './callers.ts';
import { HttpProblem } from './problem.ts';

/** The header that carries the id under which a request is logged. */
export const REQUEST_ID = 'x-request-id';

/**
 * On every answer. Any page may read the API from a browser: the data are public and no cookie is ever
 * looked at, so that nothing is given away that a plain request would not get.
 */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Link, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id',
} as const;

/** Sets the common headers and the request id before anything else can answer, and asks for a Host. */
export function setCommonHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS).header(REQUEST_ID, request.id);
    const hostless = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    // RFC 9112, section 3.2.
    done(hostless ? new HttpProblem('bad_request', 'an HTTP/1.1 request needs a Host header') : undefined);
  });
}

/** The route label of whatever no route took: addresses of strangers never become labels. */
export const UNMATCHED = 'unmatched';

/** Counts every answer and every fault of an engine behind one, and logs one line for each at level debug. */
export function measureRequests(
  server: FastifyInstance,
  metrics: Pick<Metrics, 'httpRequest' | 'fault'>,
): void {
  server.addHook('onError', (_request, _reply, error, done) => {
    countFault(metrics, error);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? UNMATCHED;
    metrics.httpRequest(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    request.log.debug(
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'request answered',
    );
    done();
  });
}

/** What a browser is told before it sends an Authorization or a conditional header across origins. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS, DELETE, PATCH, POST, PUT',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
  'access-control-max-age': '86400',
} as const;

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Answers what no route takes, before any body is read: OPTIONS and 405 with Allow where the path is known by
 * other methods (RFC 9110, section 15.5.6), else 404. `limiter` counts these requests too.
 */
export function answerUnrouted(server: FastifyInstance, limiter: Limiter): void {
  const paths = new Map<string, KnownPath>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    for (const name of [method].flat()) known.methods.add(name);
    paths.set(url, known);
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    await limiter(request, reply);
    const path = request.raw.url?.split(/[?#]/, 1)[0] ?? '/';
    const known = paths.values().find(({ pattern }) => pattern.test(path));
    if (known === undefined) throw notFound(path);
    const allow = [...known.methods].sort().join(', ');
    if (request.method === 'OPTIONS')
      return reply
        .code(204)
        .headers({ allow, ...PREFLIGHT_HEADERS })
        .send();
    throw methodNotAllowed(request.method, allow);
  });
}

function patternOf(url: string): RegExp {
  const text = url
    .replace(/[.+?^$()[\]{}|\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/:\w+/g, '[^/]*');
  return new RegExp(`^${text}$`);
}

function notFound(path: string): HttpProblem {
  const unencoded = /^\/api\/registry\/agents\/https?:\//i.test(path);
  return new HttpProblem(
    'not_found',
    unencoded
      ? 'percent-encode the agent URL, slashes included, as one segment: /api/registry/agents/{encodedUrl}/compliance'
      : 'there is nothing at this address; / lists the operations',
  );
}

function methodNotAllowed(method: string, allow: string): HttpProblem {
  const validValues = allow.split(', ');
  return new HttpProblem('method_not_allowed', `${method} is not possible here`, { validValues }, { allow });
}
