import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip as gzipCompress, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The header that carries the id under which a request is logged. */
export const REQUEST_ID = 'x-request-id';

/** Request ids that no other process uses: a random start and a count. */
export function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}

/**
 * On every answer. Any website may read the API from a browser: the data are public and the API ignores cookies, so such a
 * request gets nothing that one without a browser would not get.
 */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Link, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, X-Sync-Cursor',
} as const;

/** A strong entity tag (RFC 9110, section 8.8.3) of these bytes, or of a text that differs wherever they do; with its quotes. */
export function entityTag(made: Uint8Array | string): string {
  return `"${hash('sha256', made, 'base64url').slice(0, 32)}"`;
}

/**
 * Whether If-None-Match, a list or `*`, has this tag; compared weakly (RFC 9110, section 13.1.2). A comma inside another
 * server's tag cannot cause a false match, because our tags have none.
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

export interface TaggedAnswer {
  readonly body: Buffer;
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
  /** Default: JSON. */
  readonly mediaType?: string;
}

/** Sends a body with its tag, or a 304 if the client already has it. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
  reply.header('etag', answer.etag);
  if (matchesEntityTag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
  return reply.type(answer.mediaType ?? 'application/json; charset=utf-8').send(answer.body);
}

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

/** Supported compressions, the better one first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Compressing shorter bodies saves nothing that a client notices. */
const MIN_PACKED_BYTES = 1_024;
/** Longer headers than any browser sends are ignored. */
const MAX_ACCEPTED = 200;
/** Bodies that this process compresses at a time, each in a thread of zlib; others are sent uncompressed. */
const AT_ONCE = 2;
/** Low: twice the effort saves a tenth of the bytes. Long bodies, such as pages of the feed, are read once. */
const EFFORT = { usual: { quality: 4, level: 4 }, long: { quality: 1, level: 1 } };
const LONG_FROM_BYTES = 128 * 1024;

/**
 * Sends a public body, compressed as its caller prefers. Never use it for private data: the length of a compressed body reveals
 * its content to a caller who controls a part of it (BREACH). Each encoding has its own strong tag (RFC 9110, section 8.8.3).
 */
export async function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: TaggedAnswer,
): Promise<FastifyReply> {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? 'Accept-Encoding' : `${others}, Accept-Encoding`);
  const encoding = encodingFor(request);
  if (encoding === undefined || answer.body.length < MIN_PACKED_BYTES)
    return sendTagged(request, reply, answer);
  const etag = answer.etag.replace(/"$/, `-${encoding}"`);
  const isKnown = matchesEntityTag(request.headers['if-none-match'], etag);
  const body = isKnown ? answer.body : await packed(answer.body, encoding);
  if (body === undefined) return sendTagged(request, reply, answer);
  if (!isKnown) reply.header('content-encoding', encoding);
  return sendTagged(request, reply, { ...answer, body, etag });
}

/** Whether a caller prefers HTML to JSON (RFC 9110, section 12.5.1); without a preference it gets JSON. */
export function prefersHtml(accept = ''): boolean {
  if (accept.length > MAX_ACCEPTED * 5) return false;
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()));
  const weightOf = (...names: readonly string[]) => {
    const found = names
      .map((name) => ranges.find(([range]) => range === name))
      .find((one) => one !== undefined);
    const parameters = found?.slice(1) ?? ['q=0'];
    return Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
  };
  return weightOf('text/html', 'text/*', '*/*') > weightOf('application/json', 'application/*', '*/*');
}

const REFUSED: Readonly<Record<Encoding, RegExp>> = {
  br: /br ?; ?q=0(?:\.0{0,3})? ?(?:,|$)/,
  gzip: /gzip ?; ?q=0(?:\.0{0,3})? ?(?:,|$)/,
};

/** The encoding that a caller prefers; undefined: none. */
export function encodingFor({ headers }: Pick<FastifyRequest, 'headers'>): Encoding | undefined {
  const { 'accept-encoding': accepted } = headers;
  if (accepted === undefined || accepted.length > MAX_ACCEPTED) return undefined;
  const text = accepted.toLowerCase();
  // the library lets `*` include encodings that are refused by name
  const offered = ENCODINGS.filter((name) => !REFUSED[name].test(text));
  return negotiate(text, offered) ?? undefined;
}

/** The compressed forms of bodies, for as long as the bodies are cached. A form is at most half as long as its body. */
const forms = new WeakMap<Buffer, Map<Encoding, Promise<Buffer | undefined>>>();
let underWay = 0;

/** Undefined if compressing saves too little, or if too many bodies are being compressed. */
function packed(body: Buffer, encoding: Encoding): Promise<Buffer | undefined> {
  const known = forms.get(body) ?? new Map<Encoding, Promise<Buffer | undefined>>();
  forms.set(body, known);
  const form = known.get(encoding);
  if (form !== undefined) return form;
  if (underWay >= AT_ONCE) return Promise.resolve(undefined);
  underWay += 1;
  const effort = effortFor(body);
  const made = (encoding === 'br' ? brotli(body, effort.brotli) : gzip(body, effort.gzip))
    .then((bytes) => worthSending(bytes, body))
    .catch(() => undefined) // then it is sent uncompressed while it is cached
    .finally(() => {
      underWay -= 1;
    });
  known.set(encoding, made);
  return made;
}

/** The same, synchronously, for a worker thread. */
export function packedNow(body: Buffer, encoding: Encoding): Buffer | undefined {
  const effort = effortFor(body);
  const bytes = encoding === 'br' ? brotliCompressSync(body, effort.brotli) : gzipSync(body, effort.gzip);
  return worthSending(bytes, body);
}

/** Keeps a form of a body that another thread compressed. */
export function keepPacked(body: Buffer, encoding: Encoding, form: Buffer | undefined): void {
  forms.set(body, new Map([[encoding, Promise.resolve(form)]]));
}

/** With one chunk for all that is worth sending: each further chunk would wait for the event loop. */
function effortFor({ length }: Buffer) {
  const { quality, level } = length < LONG_FROM_BYTES ? EFFORT.usual : EFFORT.long;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 18 };
  const chunkSize = Math.ceil(length / 2);
  return { brotli: { params, chunkSize }, gzip: { level, chunkSize } };
}

function worthSending(bytes: Buffer, body: Buffer): Buffer | undefined {
  return bytes.length * 2 > body.length ? undefined : bytes;
}

/** Answers HEAD with the route of each GET, without the body (RFC 9110, section 9.3.2). Fastify's own HEAD routes make a start a quarter slower. */
export function answerHead(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.method = ['GET', 'HEAD'];
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    if (request.method !== 'HEAD') return done();
    if (payload instanceof Readable) payload.destroy();
    else
      reply.header(
        'content-length',
        Buffer.byteLength(payload instanceof Buffer ? payload : String(payload ?? '')),
      );
    done(null, null);
  });
}
