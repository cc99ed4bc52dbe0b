import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import { type ContentEncoding, contentEncoding, Pieces } from './body.ts';
import type { Receiver, Transfer } from './connections.ts';
import { decodedCap, decodeError, FetchGuardError, guardError, tooLarge } from './failure.ts';

const DECODERS: Readonly<Record<Exclude<ContentEncoding, 'identity'>, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

/** The head of an answer whose body is still arriving. */
export interface StreamedAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded and capped; its errors are FetchGuardErrors. */
  readonly body: ReadableStream<Uint8Array>;
}

/** Hands out an answer as soon as its head is there; the body follows under a cap and with backpressure. */
export class Streamer implements Receiver {
  /** Set right after construction; the two need each other. */
  transfer: Transfer | undefined;
  readonly #maxBytes: number;
  readonly #resolve: (answer: StreamedAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #raw: Readable | undefined;
  readonly #pieces = new Pieces();
  #isDue = false;
  #received = 0;
  #ended = false;

  constructor(maxBytes: number, resolve: (answer: StreamedAnswer) => void, reject: (error: unknown) => void) {
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  head(status: number, headers: IncomingHttpHeaders, statusText: string): void {
    const encoding = contentEncoding(headers['content-encoding']);
    const raw = new Readable({
      read: () => this.transfer?.resume(),
      destroy: (error, callback) => {
        if (!this.#ended)
          this.transfer?.abort(error ?? new FetchGuardError('interrupted', 'the body is not wanted'));
        callback(error);
      },
    });
    this.#raw = raw;
    const body = encoding === 'identity' ? raw : this.#decoded(raw, encoding);
    // Made at once: a stream that failed before it was turned into a web stream would look empty and complete.
    const web = webStream(body);
    this.#resolve({ status, statusText, headers, body: web });
  }

  data(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) throw tooLarge(this.#maxBytes, this.#maxBytes);
    this.#pieces.add(chunk);
    if (!this.#isDue) setImmediate(() => this.#flush());
    this.#isDue = true;
  }

  /** What came in one turn goes on as one chunk: readers do work for each. */
  #flush(): void {
    this.#isDue = false;
    const bytes = this.#pieces.take();
    if (!this.#ended && bytes.length > 0 && this.#raw?.push(bytes) === false) this.transfer?.pause();
  }

  end(): void {
    this.#flush();
    this.#ended = true;
    this.#raw?.push(null);
  }

  fail(error: unknown): void {
    this.#ended = true;
    this.#reject(error);
    this.#raw?.destroy(error instanceof Error ? guardError(error) : undefined);
  }

  #decoded(raw: Readable, encoding: Exclude<ContentEncoding, 'identity'>): Readable {
    let size = 0;
    const decoder = DECODERS[encoding]();
    const check = (chunk: Buffer, _encoding: string, callback: TransformCallback): void => {
      size += chunk.length;
      const fits = size <= decodedCap(this.#received, this.#maxBytes);
      callback(fits ? null : tooLarge(this.#received, this.#maxBytes), chunk);
    };
    const capped = new Transform({ transform: check });
    raw.on('error', (error) => capped.destroy(error));
    decoder.on('error', (error) =>
      capped.destroy(decodeError(error, encoding, this.#received, this.#maxBytes)),
    );
    capped.once('close', () => {
      raw.destroy();
      decoder.destroy();
    });
    return raw.pipe(decoder).pipe(capped);
  }
}

/**
 * A web stream over a Node one, with backpressure. Data that is still on its way when the reader cancels is dropped:
 * `Readable.toWeb` throws there, outside of any call of ours, and takes the process with it.
 */
function webStream(body: Readable): ReadableStream<Uint8Array> {
  let open = true;
  const once = (settle: () => void) => () => {
    if (open) settle();
    open = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.on('data', (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) body.pause();
        });
        body.on(
          'end',
          once(() => controller.close()),
        );
        body.on('error', (error) => once(() => controller.error(error))());
        body.pause();
      },
      pull() {
        body.resume();
      },
      cancel() {
        open = false;
        body.destroy();
      },
    },
    { highWaterMark: 1 },
  );
}
