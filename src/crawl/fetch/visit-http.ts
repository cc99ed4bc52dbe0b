import PQueue from 'p-queue';
import { Client, type Dispatcher } from 'undici';
import { registrableDomain } from '../../domain/domain-name.ts';
import type { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { RoomForBodies, VisitOptions } from '../../ports/fetcher.ts';
import { type RawAnswer, readAnswer } from './body.ts';
import { Dialler } from './connect.ts';
import type { FetchContext, FileRequest, VisitPlan } from './context.ts';
import { FetchGuardError, guardError } from './failure.ts';
import { Routes } from './routes.ts';
import type { Use } from './trust.ts';
import { bareHost } from './url-rule.ts';

/** The visit's deadline is the only timer: headers and bodies have none of their own. */
const CLIENT_OPTIONS = {
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 16 << 10,
  headersTimeout: 0,
  bodyTimeout: 0,
} satisfies Client.Options;

/** Interim answers (1xx) before the one that counts; they have no body, so no limit on bytes would ever end them. */
const MAX_INTERIM = 16;

export interface HttpRequest {
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array | undefined;
  /** Aborts the request and its body. Not beside `limitMs`. */
  readonly signal?: AbortSignal | undefined;
  /** For the request and its body, once it may be sent, milliseconds. */
  readonly limitMs?: number | undefined;
}

interface Connection {
  readonly origin: string;
  readonly use: Use;
  readonly client: Client;
}

interface Waiting extends Pick<Connection, 'origin' | 'use'>, PromiseWithResolvers<Dispatcher.ResponseData> {
  readonly request: Dispatcher.RequestOptions;
  readonly signal: AbortSignal | undefined;
  /** What makes the request, once it may be sent. */
  client?: Client;
}

/**
 * The HTTP of one visit. Every request, the first and those of redirects, passes the guard and the politeness of
 * `request`. undici's own Agent limits the connections to each origin; a visit has a limit over all of them, so it has
 * one undici Client for each connection. When the visit is stopped or over, all that still runs fails with the reason
 * and every socket is closed.
 */
export class VisitHttp {
  readonly context: FetchContext;
  readonly domain: string;
  readonly room: RoomForBodies | undefined;
  /** Nothing of the visit leaves it, save for what is made for another one. */
  readonly origin: ProvenOrigin | undefined;
  /** Milliseconds for which our own politeness held requests back. */
  heldMs = 0;
  readonly #routes: Routes;
  readonly #dialler: Dialler;
  readonly #maxConnections: number;
  readonly #starts: PQueue;
  readonly #leftMs: () => number;
  readonly #controller = new AbortController();
  readonly #connections: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #answered = new Set<string>();
  /** Other registrable domains that this visit has had its turn with. */
  readonly #alsoVisited = new Set<string>();
  #over: FetchGuardError | undefined;

  constructor(context: FetchContext, plan: VisitPlan, visit: VisitOptions, leftMs: () => number) {
    const { domain, rate, opened } = plan;
    [this.context, this.domain, this.room] = [context, domain, visit.room];
    this.#routes = new Routes(context, opened, this.signal);
    this.#dialler = new Dialler(this.#routes, context.connector);
    this.#maxConnections = rate.connections;
    this.#starts = new PQueue({ intervalCap: rate.requestsPerSecond, interval: 1_000, strict: true });
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
    for (const { client } of this.#connections) client.destroy(reason, ignore);
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#dialler.end(reason);
  }

  /** @throws FetchGuardError the reason why the visit was ended */
  checkpoint(): void {
    if (this.#over !== undefined) throw this.#over;
  }

  /**
   * Makes one request, without its redirects, and resolves when the head of the answer has arrived. Read or destroy
   * its body.
   *
   * @param within nothing leaves this origin
   * @throws FetchGuardError what the guard refuses, or the reason why the visit was ended; otherwise an error of undici
   *   or the reason of the request's own signal
   */
  async request(
    url: URL,
    use: Use,
    { method, headers, body, limitMs, ...by }: HttpRequest,
    within = this.origin,
  ): Promise<Dispatcher.ResponseData> {
    this.checkpoint();
    confine(within, url);
    this.#routes.refuseForbidden(url);
    if (!this.operated(url)) await this.#politely(url);
    this.checkpoint();
    const limit = limitMs === undefined ? undefined : new AbortController();
    const timer = limit && setTimeout(() => limit.abort(tooSlow()), limitMs);
    const signal = limit?.signal ?? by.signal;
    signal?.throwIfAborted();
    const request: Dispatcher.RequestOptions = {
      method: method as Dispatcher.HttpMethod,
      path: url.pathname + url.search,
      headers: headers as string[],
      body: body ?? null,
      ...(signal && { signal }),
      onInfo: interimLimit(),
    };
    const answer = Promise.withResolvers<Dispatcher.ResponseData>();
    const waiting: Waiting = { origin: url.origin, use, request, signal, ...answer };
    const abort = (): void => {
      answer.reject(signal?.reason);
      this.#giveUpConnecting(waiting);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.push(waiting);
    this.#sendWaiting();
    try {
      const response = await answer.promise;
      if (timer !== undefined) response.body.once('close', () => clearTimeout(timer));
      return response;
    } catch (error) {
      clearTimeout(timer);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Makes a GET and reads its answer into memory; once more when the server closed a connection that was in use before. */
  async collect(request: FileRequest): Promise<RawAnswer> {
    const isAnswered = this.#answered.has(request.url.origin);
    let response: Dispatcher.ResponseData;
    try {
      response = await this.#get(request);
    } catch (error) {
      if (!isAnswered || guardError(error).failure.code !== 'refused') throw error;
      response = await this.#get(request);
    }
    this.#answered.add(request.url.origin);
    return await readAnswer(response, request, this.room);
  }

  #get({ url, headers, limitMs }: FileRequest): Promise<Dispatcher.ResponseData> {
    return this.request(url, 'files', { method: 'GET', headers, limitMs });
  }

  /** Sends the requests that wait, in order, as far as there are connections without a request. */
  #sendWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const client = this.#freeClient(next.origin, next.use);
      if (client === undefined) return;
      this.#waiting.shift();
      if (next.signal?.aborted) continue;
      next.client = client;
      client.request(next.request).then(next.resolve, next.reject);
    }
  }

  /** undici goes on connecting for a request that was aborted; its slot is needed. */
  #giveUpConnecting({ client }: Waiting): void {
    if (client === undefined || client.stats.connected) return;
    const at = this.#connections.findIndex((one) => one.client === client);
    if (at >= 0) this.#connections.splice(at, 1);
    client.destroy(null, ignore);
    this.#sendWaiting();
  }

  /** A connection to the origin without a request; a new one takes the place of one to another origin. */
  #freeClient(origin: string, use: Use): Client | undefined {
    const free = this.#connections.filter(({ client }) => client.stats.size === 0);
    const known = free.find((one) => one.origin === origin && one.use === use);
    if (known !== undefined) return known.client;
    if (this.#connections.length >= this.#maxConnections) {
      const [leaving] = free;
      if (leaving === undefined) return undefined;
      this.#connections.splice(this.#connections.indexOf(leaving), 1);
      leaving.client.destroy(null, ignore);
    }
    const client = new Client(origin, {
      ...CLIENT_OPTIONS,
      connect: this.#dialler.connectFor(origin, use),
      ...(use === 'calls' && { maxResponseSize: this.context.maxResponseBytes }),
    });
    client.on('drain', () => this.#sendWaiting());
    this.#connections.push({ origin, use, client });
    return client;
  }

  /** Waits for the turn of a foreign domain and for the rate of the visit. */
  async #politely(url: URL): Promise<void> {
    const began = performance.now();
    try {
      await this.#foreignTurn(bareHost(url));
      await this.#starts.add(ignore, { signal: this.signal });
    } finally {
      this.heldMs += performance.now() - began;
    }
  }

  async #foreignTurn(host: string): Promise<void> {
    const domain = registrableDomain(host);
    if (domain === this.domain || this.#alsoVisited.has(domain)) return;
    const { turns, rateOf } = this.context;
    if (!(await turns.enterOnce(domain, rateOf(domain).gapMs, this.#leftMs(), this.signal))) {
      this.checkpoint();
      throw new FetchGuardError('timeout', `rate limit of ${domain}: no request slot before the deadline`);
    }
    this.#alsoVisited.add(domain);
  }
}

/** @throws FetchGuardError `origin` for a URL outside of an origin that nothing may leave */
export function confine(origin: ProvenOrigin | undefined, url: URL, what = 'the request'): void {
  if (origin === undefined || origin.holds(url)) return;
  throw new FetchGuardError('origin', origin.refusalOf(url, what));
}

function tooSlow(): FetchGuardError {
  return new FetchGuardError('timeout', 'no response in time');
}

function interimLimit(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INTERIM)
      throw new FetchGuardError('protocol', `more than ${MAX_INTERIM} interim responses`);
  };
}

function ignore(): void {}
