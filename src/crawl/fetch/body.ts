import type { IncomingHttpHeaders } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { RoomForBodies } from '../../ports/fetcher.ts';
import { decodedCap, decodeError, FetchGuardError, guardError, isTooLarge, tooLarge } from './failure.ts';

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

/** Raw deflate cannot be told apart while it arrives, so calls do not ask for deflate. */
export const STREAMED_ENCODINGS = 'gzip, br, zstd';

const DECODERS = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** An answer in memory, its body as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `identity` for any status but 200: the body of an error is not decoded. */
  readonly encoding: ContentEncoding;
  readonly bytes: Uint8Array;
}

/** How much of a body is read. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Keep the first `maxBytes` of a body of status 200, where more would be a failure. */
  readonly cut?: boolean;
}

/**
 * Reads an answer into memory. A body of status 200 is limited as it arrives and again when it is decoded. Any other status
 * counts by itself: only the beginning of its body is kept, so that a huge error page does not turn a 404 into a failure.
 *
 * @param room asked before a large body takes more memory
 */
export async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  { maxBytes, cut = false }: BodyLimits,
  room: RoomForBodies | undefined,
): Promise<RawAnswer> {
  body.on('error', ignore); // the loop below throws it
  const mayCut = cut || status !== 200;
  const limit = status === 200 ? maxBytes : Math.min(maxBytes, EVIDENCE_BYTES);
  try {
    const encoding = status === 200 ? contentEncoding(headers['content-encoding']) : 'identity';
    if (!mayCut && Number(headers['content-length']) > limit) throw tooLarge(maxBytes, maxBytes);
    const chunks: Uint8Array[] = [];
    let size = 0;
    let allowed = FREE_BYTES;
    let aborted: Promise<void> | undefined;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
      if (size <= allowed) continue;
      const more = size - allowed + Math.min(size, MAX_STEP);
      allowed += more;
      const turn = room?.take(more);
      if (turn === undefined) continue;
      aborted ??= finished(body);
      await Promise.race([turn, aborted]);
    }
    if (size > limit && !mayCut) throw tooLarge(maxBytes, maxBytes);
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
    return { status, headers, encoding, bytes: bytes.subarray(0, limit) };
  } catch (error) {
    body.destroy();
    throw error;
  }
}

/**
 * The body of an answer as a web stream, decoded as it arrives, with backpressure.
 *
 * @param body of received bytes, limited by undici
 * @param maxBytes after decoding
 * @returns its errors are FetchGuardErrors
 */
export function webBody(
  body: Readable,
  encoding: ContentEncoding,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const decoded = encoding === 'identity' ? body : decodedStream(body, encoding, maxBytes);
  decoded.on('error', ignore); // `pull` throws it
  const chunks = decoded[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw isTooLarge(error) ? tooLarge(maxBytes, maxBytes) : guardError(error);
      });
      if (done) controller.close();
      else controller.enqueue(value as Buffer);
    },
    cancel: () => void decoded.destroy(),
  });
}

function decodedStream(
  body: Readable,
  encoding: Exclude<ContentEncoding, 'identity'>,
  maxBytes: number,
): Readable {
  const decoder = DECODERS[encoding]();
  let received = 0;
  let size = 0;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      callback(size <= decodedCap(received, maxBytes) ? null : tooLarge(received, maxBytes), chunk);
    },
  });
  body.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  body.on('error', (error) => limited.destroy(error));
  decoder.on('error', (error) => limited.destroy(decodeError(error, encoding, received, maxBytes)));
  limited.once('close', () => {
    body.destroy();
    decoder.destroy();
  });
  return body.pipe(decoder).pipe(limited);
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
  throw new FetchGuardError('encoding', `the response has ${what} (${value.slice(0, 60)})`);
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

function ignore(): void {}
