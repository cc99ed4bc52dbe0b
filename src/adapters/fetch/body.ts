import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Receiver } from './connections.ts';
import { decodedCap, decodeError, FetchGuardError, tooLarge } from './failure.ts';

/** What we ask for and decode: one layer of one of these. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

export type ContentEncoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd';

/** Of the body of an answer other than 200. */
const EVIDENCE_BYTES = 64 << 10;
/** Smaller bodies are decoded at once: the way to the thread pool and back costs more. */
const SYNC_BYTES = 16 << 10;
/** A body may have so much without asking for room, and asks for so much more at a time. */
export const FREE_BYTES = 64 << 10;
const MAX_STEP = 1 << 20;
type Grow = (bytes: number) => void;

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer> | Buffer;

const ASYNC: Readonly<Record<Exclude<ContentEncoding, 'identity'>, Decoder>> = {
  gzip: promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: (bytes, options) => inflate(bytes)(bytes, options),
  br: promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

const SYNC: Readonly<Record<Exclude<ContentEncoding, 'identity'>, Decoder>> = {
  gzip: zlib.gunzipSync,
  deflate: (bytes, options) => (isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

/** Bytes as they come, put together in linear time however small they come: in one buffer, so that a large body is never there twice. */
export class Pieces {
  /** How many are announced; 0 when nobody says. */
  expected = 0;
  #buffer: Uint8Array = Buffer.alloc(0);
  #size = 0;

  add(chunk: Uint8Array): void {
    const needed = this.#size + chunk.length;
    if (this.#size === 0) this.#buffer = chunk;
    else {
      if (needed > this.#buffer.length) this.#grow(needed);
      this.#buffer.set(chunk, this.#size);
    }
    this.#size = needed;
  }

  /** All of them as one, and none from now on. */
  take(): Uint8Array {
    const taken = this.#buffer.subarray(0, this.#size);
    this.#size = 0;
    this.#buffer = Buffer.alloc(0);
    return taken;
  }

  /** Nobody is believed who announces much: an eighth of it has to be there. Pages that nothing is written to take no memory. */
  #grow(needed: number): void {
    const isNear = needed * 8 >= this.expected && needed <= this.expected;
    const larger = Buffer.allocUnsafeSlow(isNear ? this.expected : needed * 2);
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}

/** An answer in memory, its body as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `identity` for any status but 200: the body of an error is not decoded. */
  readonly encoding: ContentEncoding;
  readonly bytes: Uint8Array;
}

/**
 * Gathers an answer. A body of status 200 is held to the cap as it arrives and again when decoded. Any other status stands
 * for itself: the beginning of its body is kept as evidence, so that a huge error page does not turn a 404 into a failure.
 */
export class Collector implements Receiver {
  readonly #maxBytes: number;
  readonly #cut: boolean;
  readonly #grow: Grow;
  #allowed = FREE_BYTES;
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #encoding: ContentEncoding = 'identity';
  readonly #pieces = new Pieces();
  #size = 0;
  #full = false;

  /** @param cut keep the first `maxBytes` of a body of status 200 too, where more would be a failure */
  constructor(
    maxBytes: number,
    cut: boolean,
    resolve: (answer: RawAnswer) => void,
    reject: (error: unknown) => void,
    grow: Grow,
  ) {
    [this.#maxBytes, this.#cut, this.#grow] = [maxBytes, cut, grow];
    [this.#resolve, this.#reject] = [resolve, reject];
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (status !== 200) return;
    this.#encoding = contentEncoding(headers['content-encoding']);
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > this.#maxBytes && !this.#cut) throw tooLarge(this.#maxBytes, this.#maxBytes);
    this.#pieces.expected = Math.min(announced, this.#maxBytes);
  }

  data(chunk: Buffer): void {
    const room = this.#limit() - this.#size;
    this.#size += chunk.length;
    this.#pieces.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#full = chunk.length > room;
    if (this.#full) throw tooLarge(this.#maxBytes, this.#maxBytes);
    if (this.#size > this.#allowed) this.#ask(this.#size - this.#allowed + Math.min(this.#size, MAX_STEP));
  }

  #ask(bytes: number): void {
    this.#allowed += bytes;
    this.#grow(bytes);
  }

  end(): void {
    const head = { status: this.#status, headers: this.#headers, encoding: this.#encoding };
    this.#resolve({ ...head, bytes: this.#pieces.take() });
  }

  fail(error: unknown): void {
    if (this.#full && (this.#cut || this.#status !== 200)) this.end();
    else this.#reject(error);
  }

  #limit(): number {
    return this.#status === 200 ? this.#maxBytes : Math.min(this.#maxBytes, EVIDENCE_BYTES);
  }
}

/**
 * The one content encoding of an answer (RFC 9110, section 8.4).
 *
 * @throws FetchGuardError `encoding` when it is unknown or there is more than one
 */
export function contentEncoding(header: string | readonly string[] | undefined): ContentEncoding {
  // a header that stands twice arrives as a list, and means one encoding on top of another
  const value = [header ?? []].flat().join(', ').trim().toLowerCase();
  if (value === '' || value === 'identity') return 'identity';
  if (value === 'x-gzip') return 'gzip';
  if (value === 'gzip' || value === 'deflate' || value === 'br' || value === 'zstd') return value;
  const what = value.includes(',') ? 'more than one content encoding' : 'an unknown content encoding';
  throw new FetchGuardError('encoding', `the answer has ${what} (${value.slice(0, 60)})`);
}

/**
 * Removes the encoding, never making more than is allowed.
 *
 * @throws FetchGuardError `too_large` (more than `maxBytes`, or the ratio of a bomb) or `encoding` (broken)
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: ContentEncoding,
  maxBytes: number,
): Promise<Uint8Array> {
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  const decode = (bytes.length <= SYNC_BYTES ? SYNC : ASYNC)[encoding];
  try {
    return await decode(bytes, { maxOutputLength: decodedCap(bytes.length, maxBytes) });
  } catch (error) {
    throw decodeError(error, encoding, bytes.length, maxBytes);
  }
}

/** Some servers send raw deflate data under the name of the zlib format (RFC 9110, section 8.4.1.2). */
function isZlib(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

function inflate(bytes: Uint8Array) {
  return promisify<Uint8Array, zlib.ZlibOptions, Buffer>(isZlib(bytes) ? zlib.inflate : zlib.inflateRaw);
}
