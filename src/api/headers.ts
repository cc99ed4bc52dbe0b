import type { FastifyInstance } from 'fastify';
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

/** What a browser is told before it sends an Authorization or a conditional header across origins. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS, DELETE, PATCH, POST, PUT',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
  'access-control-max-age': '86400',
} as const;

/** Sets the common headers and the request id before anything else can answer, and asks for a Host. */
export function registerHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(COMMON_HEADERS).header(REQUEST_ID, request.id);
    const hostless = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    // RFC 9112, section 3.2.
    done(hostless ? new HttpProblem('bad_request', 'an HTTP/1.1 request needs a Host header') : undefined);
  });
}
