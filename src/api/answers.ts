import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip as gzipCompress, gzipSync } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The header that carries the id under which a request is logged. */
export const REQUEST_ID = 'x-request-id';

/** Ids that are unlike those of another process, and cheap: a random start and a count. */
export function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}

/**
 * On every answer. Any page may read the API from a browser: the data are public and no cookie is ever
 * looked at, so that nothing is given away that a plain request would not get.
 */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Link, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, X-Sync-Cursor',
} as const;

/** A strong entity tag (RFC 9110, section 8.8.3) of these bytes, or of all that bytes are made of; with its quotes. */
export function entityTag(made: Uint8Array | string): string {
  return `"${hash('sha256', made, 'base64url').slice(0, 32)}"`;
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
  /** Strong entity tag, with its quotes. */
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

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

/** What a body may be packed as, the better one first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Below it a packed body saves nothing that anybody feels. */
const MIN_PACKED_BYTES = 1_024;
/** Longer than any browser's; what is longer is not read. */
const MAX_ACCEPTED = 200;
/** Bodies that this process packs at once, each on a thread beside the event loop; further ones go as they are. */
const AT_ONCE = 2;
/** Low: twice the effort saves a tenth of the bytes. Of pages that are read once, such as those of the feed, half of it costs a tenth. */
const EFFORT = { usual: { quality: 4, level: 4 }, long: { quality: 1, level: 1 } };
const LONG_FROM_BYTES = 128 * 1024;

/**
 * Sends a body that is the same for everybody, packed as its caller prefers. Never use it for what an owner alone is told: the
 * length of a packed body tells whoever chose a part of it about the rest (BREACH). Each form has a strong tag of its own
 * (RFC 9110, section 8.8.3).
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

/** Whether a caller would rather have HTML than JSON (RFC 9110, section 12.5.1); who takes either gets JSON. */
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

/** What a caller would have a body packed as; undefined: as it is. */
export function encodingFor({ headers }: Pick<FastifyRequest, 'headers'>): Encoding | undefined {
  const { 'accept-encoding': accepted } = headers;
  if (accepted === undefined || accepted.length > MAX_ACCEPTED) return undefined;
  const text = accepted.toLowerCase();
  // `*` stands for all but those that are refused by name, which the library overlooks
  const offered = ENCODINGS.filter((name) => !REFUSED[name].test(text));
  return negotiate(text, offered) ?? undefined;
}

/** The packed forms of bodies, for as long as these are kept. A form is at most half of its body. */
const forms = new WeakMap<Buffer, Map<Encoding, Promise<Buffer | undefined>>>();
let underWay = 0;

/** Undefined when it is not worth it, or when there is no time. */
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
    .catch(() => undefined) // as it is then, for as long as it is kept
    .finally(() => {
      underWay -= 1;
    });
  known.set(encoding, made);
  return made;
}

/** The same at once, for a thread that nobody waits for but who asked. */
export function packedNow(body: Buffer, encoding: Encoding): Buffer | undefined {
  const effort = effortFor(body);
  const bytes = encoding === 'br' ? brotliCompressSync(body, effort.brotli) : gzipSync(body, effort.gzip);
  return worthSending(bytes, body);
}

/** Keeps a form of a body that was packed elsewhere. */
export function keepPacked(body: Buffer, encoding: Encoding, form: Buffer | undefined): void {
  forms.set(body, new Map([[encoding, Promise.resolve(form)]]));
}

/** With room for all that is worth sending: more than one piece would wait for the event loop in between. */
function effortFor({ length }: Buffer) {
  const { quality, level } = length < LONG_FROM_BYTES ? EFFORT.usual : EFFORT.long;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 18 };
  const chunkSize = Math.ceil(length / 2);
  return { brotli: { params, chunkSize }, gzip: { level, chunkSize } };
}

function worthSending(bytes: Buffer, body: Buffer): Buffer | undefined {
  return bytes.length * 2 > body.length ? undefined : bytes;
}

/** HEAD by the route of each GET, without its body (RFC 9110, section 9.3.2); routes of Fastify's own cost a quarter of a start. */
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
