import { registrableDomain } from '../../domain/domain-name.ts';
import type { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { RoomForBodies, VisitOptions } from '../../ports/fetcher.ts';
import { Collector, type RawAnswer } from './body.ts';
import { Dialler } from './connect.ts';
import {
  type OriginConnection,
  type Outgoing,
  type Receiver,
  Transfer,
  VisitConnections,
} from './connections.ts';
import type { FetchContext, FileRequest, VisitPlan } from './context.ts';
import { FetchGuardError, guardError } from './failure.ts';
import { Pace } from './polite-queues.ts';
import { Routes } from './routes.ts';
import { type StreamedAnswer, Streamer } from './stream.ts';
import type { Use } from './trust.ts';
import { bareHost } from './url-rule.ts';

/**
 * The network side of one visit: its connections, its pace and its end. When the visit is stopped or over, all
 * that still runs fails with the reason and every socket is closed.
 */
export class Session {
  readonly context: FetchContext;
  readonly domain: string;
  readonly room: RoomForBodies | undefined;
  readonly #routes: Routes;
  readonly #dialler: Dialler;
  readonly #connections: VisitConnections;
  readonly #pace: Pace;
  readonly #leftMs: () => number;
  /** Nothing of the visit leaves it, save for what is made for another one. */
  readonly origin: ProvenOrigin | undefined;
  readonly #controller = new AbortController();
  readonly #transfers = new Set<Transfer>();
  /** Other registrable domains that this visit has had its turn with. */
  readonly #alsoVisited = new Set<string>();
  heldMs = 0; // for which our own politeness held requests back
  #over: FetchGuardError | undefined;

  constructor(context: FetchContext, plan: VisitPlan, visit: VisitOptions, leftMs: () => number) {
    const { domain, rate, opened } = plan;
    [this.context, this.domain, this.room] = [context, domain, visit.room];
    this.#routes = new Routes(context, opened, this.signal);
    this.#dialler = new Dialler(this.#routes, context.connector);
    this.#connections = new VisitConnections(rate.connections, this.#dialler.connectFor);
    this.#pace = new Pace(rate.requestsPerSecond);
    [this.#leftMs, this.origin] = [leftMs, visit.origin];
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
    this.#connections.end(reason);
    this.#dialler.end(reason);
  }

  /** @throws FetchGuardError the reason why the visit was ended */
  checkpoint(): void {
    if (this.#over !== undefined) throw this.#over;
  }

  /** One answer in memory. A request on a connection that the server just closed is made once more. */
  async collect(request: FileRequest): Promise<RawAnswer> {
    const connection = await this.#takeConnection(request.url, 'files');
    const used = connection.answered;
    try {
      return await this.#collectOn(connection, request);
    } catch (error) {
      const stale = used > 0 && connection.answered === used && guardError(error).failure.code === 'refused';
      if (!stale) throw error;
      return this.#collectOn(await this.#takeConnection(request.url, 'files'), request);
    }
  }

  /** One answer whose body streams; resolves when its head is there. */
  async stream(
    url: URL,
    outgoing: Outgoing,
    signal: AbortSignal | undefined,
    within: ProvenOrigin | undefined,
  ): Promise<StreamedAnswer> {
    const connection = await this.#takeConnection(url, 'calls', within);
    return new Promise((resolve, reject) => {
      const streamer = new Streamer(this.context.maxResponseBytes, resolve, reject);
      const transfer = this.#transfer(connection, streamer, () =>
        signal?.removeEventListener('abort', abort),
      );
      const abort = (): void => transfer.abort(signal?.reason as Error);
      streamer.transfer = transfer;
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      transfer.send(outgoing);
    });
  }

  #collectOn(
    connection: OriginConnection,
    { url, headers, maxBytes, cut = false, limitMs }: FileRequest,
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => transfer.abort(tooSlow()), limitMs);
      const grow = (bytes: number): void => {
        const turn = this.room?.take(bytes);
        if (turn === undefined) return;
        transfer.pause();
        void turn.then(() => transfer.resume());
      };
      const collector = new Collector(maxBytes, cut, resolve, reject, grow);
      const transfer = this.#transfer(connection, collector, () => clearTimeout(timer));
      transfer.send({ method: 'GET', path: url.pathname + url.search, headers });
    });
  }

  #transfer(connection: OriginConnection, receiver: Receiver, settled: () => void): Transfer {
    const transfer = new Transfer(connection, receiver, () => {
      this.#transfers.delete(transfer);
      this.#connections.release(connection);
      settled();
    });
    this.#transfers.add(transfer);
    return transfer;
  }

  /** The one gate: every request of a visit, the first and those of redirects, takes its connection here. */
  async #takeConnection(url: URL, use: Use, within = this.origin): Promise<OriginConnection> {
    this.checkpoint();
    confine(within, url);
    this.#routes.refuseForbidden(url);
    if (!this.operated(url)) {
      const waitMs = this.#foreignWait(bareHost(url)) + this.#pace.book(this.context.clock.now());
      this.heldMs += waitMs;
      if (waitMs > 0) await this.#pause(waitMs);
    }
    return this.#connections.take(url.origin, use);
  }

  #foreignWait(host: string): number {
    const domain = registrableDomain(host);
    if (domain === this.domain || this.#alsoVisited.has(domain)) return 0;
    const { queues, rateOf } = this.context;
    const waitMs = queues.book(domain, rateOf(domain).gapMs, this.#leftMs());
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

/** @throws FetchGuardError `origin` for a URL outside of an origin that nothing may leave */
export function confine(origin: ProvenOrigin | undefined, url: URL, what = 'the request'): void {
  if (origin === undefined || origin.holds(url)) return;
  throw new FetchGuardError('origin', origin.refusalOf(url, what));
}

function tooSlow(): FetchGuardError {
  return new FetchGuardError('timeout', 'the answer did not come in time');
}
