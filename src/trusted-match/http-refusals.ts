import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { LeakKind, MatchOperation } from '../domain/trusted-match.ts';
import { RegistryError } from '../errors.ts';
import { isPersonal } from './personal-text.ts';
import { MatchProblem, type MatchProblemCode } from './problem.ts';
import { leakProblem } from './read-request.ts';
import { kindOfName } from './unknown-members.ts';

const ANY = /^/;
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;
/** Addresses, each with a port or not: hexadecimal of any other form might be an id. */
const ADDRESSES = {
  test: (value: string) =>
    value.length <= 200 &&
    value.split(',').every((one) => {
      const [whole, v6, v4] = WITH_PORT.exec(one.trim()) ?? [one.trim()];
      return isIP(v6 ?? v4 ?? whole) !== 0;
    }),
};

/**
 * The headers that may come, and what they may say; nothing of them is read. What is not here is refused, so that a
 * header which nobody thought of carries nobody, no page, and no id that joins the two operations. The first are of
 * HTTP and of the fetch of servers; the last are added by proxies.
 */
const ALLOWED: Readonly<Record<string, Pick<RegExp, 'test'>>> = {
  host: ANY,
  connection: /^(?:keep-alive|close|te|upgrade|,| )*$/i,
  'keep-alive': /^(?:(?:timeout|max)=\d{1,4}|,| )*$/i,
  'content-type': /^application\/json(?: ?; ?charset="?utf-8"?)?$/i,
  'content-length': /^\d{1,7}$/,
  'transfer-encoding': /^chunked$/i,
  expect: /^100-continue$/i,
  te: /^trailers$/i,
  accept: /^(?:application\/(?:problem\+)?json|\*\/\*|;q=\d(?:\.\d)?|,| )*$/i,
  'accept-encoding': /^(?:gzip|deflate|br|zstd|identity|\*|;q=\d(?:\.\d)?|,| )*$/i,
  // the language, and the browser, of a person say much of who it is
  'accept-language': /^\*$/,
  'user-agent': /^[a-z][\w.-]{0,30}(?:\/\d{1,3}(?:\.\d{1,4}){0,3})?$/i,
  'cache-control': /^(?:no-cache|no-store|max-age=0|,| )*$/i,
  pragma: /^no-cache$/i,
  'sec-fetch-mode': /^cors$/,
  via: /^[\w.,:/ -]{0,100}$/,
  'x-forwarded-for': ADDRESSES,
  'x-real-ip': ADDRESSES,
  'x-forwarded-proto': /^https?$/i,
  'x-forwarded-host': /^[\w.:[\]-]{1,260}$/,
  'x-forwarded-port': /^\d{1,5}$/,
};

/** Of these the form leaves room for an id. `Host` has room too, but no sender can leave it out. */
const WITH_WORDS = new Set(['user-agent', 'via', 'x-forwarded-host']);

/** Speak of somebody or of a page by what they are, and not by their name. */
const OF_A_USER = new Set(['authorization', 'cookie', 'from', 'accept-language', 'user-agent']);
const OF_A_PAGE = new Set(['referer', 'origin']);

/** Undefined for a header that may come; any other is judged by its name, as a member would be. */
function leakOfHeader(name: string, value: unknown, operation: MatchOperation): LeakKind | undefined {
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  const text = typeof value === 'string' ? value : undefined;
  const isId = WITH_WORDS.has(name) && !ADDRESSES.test(text ?? '') && isPersonal(text ?? '', 'id');
  if (text !== undefined && allowed?.test(text) && !isId) return undefined;
  // what the body is sent as has an answer of its own
  if (name === 'content-type' && !/^application\/json/i.test(String(value))) return undefined;
  if (OF_A_USER.has(name)) return operation === 'context' ? 'user_field' : 'unknown_field';
  if (OF_A_PAGE.has(name)) return operation === 'context' ? 'unknown_field' : 'page_field';
  return kindOfName(name, operation);
}

/** Why a request is refused before its body is read: a header or a query that carries what no schema names. */
export function leakIn(
  { headers, url = '' }: IncomingMessage,
  operation: MatchOperation,
): MatchProblem | undefined {
  for (const header in headers) {
    const leak = leakOfHeader(header, headers[header], operation);
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
  const isKnown = Object.hasOwn(ALLOWED, header) || OF_A_USER.has(header) || OF_A_PAGE.has(header);
  return isKnown ? header : 'not listed in docs/reference/trusted-match.md';
}

function withPlace({ code, message, leak }: MatchProblem, place: string): MatchProblem {
  return new MatchProblem(code, `${message} (${place})`, leak === undefined ? {} : { leak });
}

/** Fastify's own refusals that a caller can cause (its reference, Errors). */
const FASTIFY_PROBLEMS: Readonly<Record<string, readonly [MatchProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'the length of the body differs from Content-Length'],
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
  if (isClientError(error)) return new MatchProblem('bad_request', 'the request is not valid');
  return new MatchProblem('internal', 'internal error');
}

/** 405 with Allow where the path takes POST, else 404. */
export function refuseUnrouted(server: FastifyInstance): void {
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    if (!server.hasRoute({ url: path, method: 'POST' }))
      throw new MatchProblem('not_found', 'no operation at this path');
    reply.header('allow', 'POST');
    throw new MatchProblem('method_not_allowed', `${request.method} is not supported at this path; use POST`);
  });
}

function isClientError(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
}
