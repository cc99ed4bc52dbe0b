import type { IncomingHttpHeaders } from 'node:http';
import { type ContentEncoding, contentEncoding, tooLarge } from './body.ts';
import type { Receiver } from './transfer.ts';

/** Of the body of an answer other than 200. */
const EVIDENCE_BYTES = 64 << 10;

/** An answer in memory, its body as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `identity` for any status but 200: the body of an error is not decoded. */
  readonly encoding: ContentEncoding;
  readonly bytes: Uint8Array;
}

/**
 * Gathers an answer. A body of status 200 is held to the cap as it arrives and again when decoded, so that no
 * more than twice the cap is ever in memory. Any other status stands for itself: of its body the beginning is
 * kept as evidence, so that a huge error page does not turn a 404 into a failure.
 */
export class Collector implements Receiver {
  readonly #maxBytes: number;
  readonly #cut: boolean;
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #encoding: ContentEncoding = 'identity';
  #chunks: Uint8Array[] = [];
  #size = 0;
  #full = false;

  /** @param cut keep the first `maxBytes` of a body of status 200 too, where more would be a failure */
  constructor(
    maxBytes: number,
    cut: boolean,
    resolve: (answer: RawAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#cut = cut;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (status !== 200) return;
    this.#encoding = contentEncoding(headers['content-encoding']);
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > this.#maxBytes && !this.#cut) throw tooLarge(this.#maxBytes, this.#maxBytes);
  }

  data(chunk: Buffer): void {
    const room = this.#limit() - this.#size;
    this.#size += chunk.length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#full = chunk.length > room;
    if (this.#full) throw tooLarge(this.#maxBytes, this.#maxBytes);
  }

  end(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, encoding: this.#encoding, bytes });
  }

  fail(error: unknown): void {
    if (this.#full && (this.#cut || this.#status !== 200)) this.end();
    else this.#reject(error);
  }

  #limit(): number {
    return this.#status === 200 ? this.#maxBytes : Math.min(this.#maxBytes, EVIDENCE_BYTES);
  }
}
