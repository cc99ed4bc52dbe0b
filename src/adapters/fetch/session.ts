import { registrableDomain } from '../../domain/domain-name.ts';
import { Collector, type RawAnswer } from './collect.ts';
import type { FetchContext } from './context.ts';
import { Dialler } from './dialler.ts';
import { FetchGuardError, guardError } from './failure.ts';
import { type Line, Lines } from './lines.ts';
import type { OpenOrigin } from './open-origin.ts';
import { Pace, type Rate } from './rate.ts';
import { Routes } from './routes.ts';
import { type StreamedAnswer, Streamer } from './stream.ts';
import { type Outgoing, type Receiver, Transfer } from './transfer.ts';
import { bareHost } from './url-rule.ts';

/** One GET of a file, without its redirects. */
export interface FileRequest {
  readonly url: URL;
  readonly headers: readonly string[];
  readonly maxBytes: number;
  /** Keep the beginning of a body that is too long. */
  readonly cut?: boolean;
  /** Its own limit, below the visit's deadline, milliseconds. */
  readonly limitMs?: number;
}

/**
 * The network side of one visit: its connections, its pace and its end. When the visit is stopped or over, all
 * that still runs fails with the reason and every socket is closed.
 */
export class Session {
  readonly context: FetchContext;
  readonly domain: string;
  readonly #routes: Routes;
  readonly #dialler: Dialler;
  readonly #lines: Lines;
  readonly #pace: Pace;
  readonly #startedAt: number;
  readonly #deadlineMs: number;
  readonly #controller = new AbortController();
  readonly #transfers = new Set<Transfer>();
  /** Other registrable domains that this visit has had its turn with. */
  readonly #alsoVisited = new Set<string>();
  #over: FetchGuardError | undefined;

  constructor(
    context: FetchContext,
    domain: string,
    rate: Rate,
    deadlineMs: number,
    opened: OpenOrigin | undefined,
  ) {
    this.context = context;
    this.domain = domain;
    this.#routes = new Routes(context, opened);
    this.#dialler = new Dialler(this.#routes, context.connector);
    this.#lines = new Lines(rate.connections, this.#dialler.connectFor);
    this.#pace = new Pace(rate.requestsPerSecond);
    this.#startedAt = context.clock.now();
    this.#deadlineMs = deadlineMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  operated(url: URL): boolean {
    return this.#routes.operated(url);
  }

  /** Ends the visit early: deadline, interruption. */
  stop(reason: FetchGuardError): void {
    if (this.#over !== undefined) return;
    this.end(reason);
    this.#controller.abort(reason);
  }

  /** Ends the visit; nothing of it runs on. */
  end(reason: FetchGuardError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    for (const transfer of this.#transfers) transfer.abort(reason);
    this.#lines.end(reason);
    this.#dialler.end(reason);
  }

  /** @throws FetchGuardError the reason why the visit was ended */
  checkpoint(): void {
    if (this.#over !== undefined) throw this.#over;
  }

  /** One answer in memory. A request on a connection that the server just closed is made once more. */
  async collect(request: FileRequest): Promise<RawAnswer> {
    const line = await this.#turn(request.url);
    const used = line.answered;
    try {
      return await this.#collectOn(line, request);
    } catch (error) {
      const stale = used > 0 && line.answered === used && guardError(error).failure.code === 'refused';
      if (!stale) throw error;
      return this.#collectOn(await this.#turn(request.url), request);
    }
  }

  /** One answer whose body streams; resolves when its head is there. */
  async stream(url: URL, outgoing: Outgoing, signal: AbortSignal | undefined): Promise<StreamedAnswer> {
    const line = await this.#turn(url);
    return new Promise((resolve, reject) => {
      const streamer = new Streamer(this.context.maxResponseBytes, resolve, reject);
      const transfer = this.#transfer(line, streamer, () => signal?.removeEventListener('abort', abort));
      const abort = (): void => transfer.abort(signal?.reason as Error);
      streamer.transfer = transfer;
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      transfer.send(outgoing);
    });
  }

  #collectOn(line: Line, { url, headers, maxBytes, cut = false, limitMs }: FileRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => transfer.abort(tooSlow()), limitMs);
      const transfer = this.#transfer(line, new Collector(maxBytes, cut, resolve, reject), () =>
        clearTimeout(timer),
      );
      transfer.send({ method: 'GET', path: url.pathname + url.search, headers });
    });
  }

  #transfer(line: Line, receiver: Receiver, settled: () => void): Transfer {
    const transfer = new Transfer(line, receiver, () => {
      this.#transfers.delete(transfer);
      this.#lines.release(line);
      settled();
    });
    this.#transfers.add(transfer);
    return transfer;
  }

  async #turn(url: URL): Promise<Line> {
    this.checkpoint();
    if (!this.operated(url)) {
      const waitMs = this.#foreignWait(bareHost(url)) + this.#pace.book(this.context.clock.now());
      if (waitMs > 0) await this.#pause(waitMs);
    }
    return this.#lines.take(url.origin);
  }

  #foreignWait(host: string): number {
    const domain = registrableDomain(host);
    if (domain === this.domain || this.#alsoVisited.has(domain)) return 0;
    const { politeness, rateOf, clock } = this.context;
    const leftMs = this.#startedAt + this.#deadlineMs - clock.now();
    const waitMs = politeness.book(domain, rateOf(domain).gapMs, leftMs);
    if (waitMs === undefined)
      throw new FetchGuardError('timeout', `no turn with ${domain} before the deadline`);
    this.#alsoVisited.add(domain);
    return waitMs;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(this.#over);
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      this.signal.addEventListener('abort', stop, { once: true });
    });
  }
}

function tooSlow(): FetchGuardError {
  return new FetchGuardError('timeout', 'the answer did not come in time');
}
