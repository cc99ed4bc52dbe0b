import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** A strong entity tag of these bytes (RFC 9110, section 8.8.3), with its quotes. */
export function entityTag(body: Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 32)}"`;
}

/**
 * Whether If-None-Match names this tag: a list or `*`, compared weakly as RFC 9110, section 13.1.2 says. A
 * comma inside a foreign tag cannot make a false match, because ours holds none.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

export interface TaggedAnswer {
  readonly body: Buffer;
  readonly etag: string;
  /** Default: JSON. */
  readonly mediaType?: string;
}

/** Sends a body under its tag, or 304 when the client has it already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
  reply.header('etag', answer.etag);
  if (matchesEntityTag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
  return reply.type(answer.mediaType ?? 'application/json; charset=utf-8').send(answer.body);
}
