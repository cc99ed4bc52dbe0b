import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { FetchGuardError } from './failure.ts';
import type { Use } from './trust.ts';

/** Interim answers (1xx) before the one that counts; they have no body, so no bound on bytes would ever end them. */
const MAX_INTERIM = 16;

/** One connection of a visit, to one origin. */
export interface OriginConnection {
  readonly origin: string;
  readonly use: Use;
  readonly client: Client;
  /** Requests on it now; more than one only while an abandoned one waits for the connection. */
  inFlight: number;
  /** Answers it has brought so far: a request on a used connection may meet a connection that just closed. */
  answered: number;
}

/** Makes the connection for an origin, in undici's form. */
export type ConnectFor = (origin: string, use: Use) => NonNullable<Client.Options['connect']>;

interface Waiter extends Pick<OriginConnection, 'origin' | 'use'> {
  readonly resolve: (connection: OriginConnection) => void;
  readonly reject: (error: FetchGuardError) => void;
}

/**
 * The connections of one visit, at most `limit` over all origins, one request at a time on each. An idle connection to
 * another origin is closed to make room; when all are busy the request waits for the first that becomes free.
 */
export class VisitConnections {
  readonly #limit: number;
  readonly #connectFor: ConnectFor;
  readonly #connections: OriginConnection[] = [];
  readonly #waiters: Waiter[] = [];
  #over: FetchGuardError | undefined;

  constructor(limit: number, connectFor: ConnectFor) {
    this.#limit = limit;
    this.#connectFor = connectFor;
  }

  /** A free connection to the origin, of that use; give it back with `release`. Rejects when the visit ends first. */
  async take(origin: string, use: Use): Promise<OriginConnection> {
    if (this.#over !== undefined) throw this.#over;
    const connection = this.#free(origin, use);
    if (connection !== undefined) return connection;
    return new Promise((resolve, reject) => this.#waiters.push({ origin, use, resolve, reject }));
  }

  release(connection: OriginConnection): void {
    connection.inFlight -= 1;
    const [waiter] = this.#waiters;
    const free = waiter && this.#free(waiter.origin, waiter.use);
    if (free === undefined) return;
    this.#waiters.shift()?.resolve(free);
  }

  /** Closes every connection and fails whoever waits. */
  end(reason: FetchGuardError): void {
    this.#over = reason;
    for (const connection of this.#connections.splice(0)) connection.client.destroy(reason, ignore);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
  }

  #free(origin: string, use: Use): OriginConnection | undefined {
    const isFree = (one: OriginConnection) => one.origin === origin && one.use === use && one.inFlight === 0;
    let connection = this.#connections.find(isFree);
    if (connection === undefined && !this.#makeRoom()) return undefined;
    connection ??= this.#open(origin, use);
    connection.inFlight += 1;
    return connection;
  }

  #makeRoom(): boolean {
    if (this.#connections.length < this.#limit) return true;
    const idle = this.#connections.findIndex((one) => one.inFlight === 0);
    if (idle === -1) return false;
    for (const connection of this.#connections.splice(idle, 1)) connection.client.destroy(null, ignore);
    return true;
  }

  #open(origin: string, use: Use): OriginConnection {
    // The visit's deadline is the only timer: headers and body have none of their own.
    const options = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
    const client = new Client(origin, { ...options, connect: this.#connectFor(origin, use) });
    const connection = { origin, use, client, inFlight: 0, answered: 0 };
    this.#connections.push(connection);
    return connection;
  }
}

export interface Outgoing {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
}

/** What is done with an answer. `head` and `data` may throw: the transfer then ends with that error. */
export interface Receiver {
  head(status: number, headers: IncomingHttpHeaders, statusText: string): void;
  data(chunk: Buffer): void;
  end(): void;
  /** Called once at most, and never after `end`. */
  fail(error: unknown): void;
}

/** One request on one connection: undici's handler, reduced to a receiver, that can be aborted at any time. */
export class Transfer implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;
  readonly #connection: OriginConnection;
  readonly #settled: (transfer: Transfer) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #interim = 0;
  #done = false;

  /** @param settled called exactly once, when the connection is free again */
  constructor(connection: OriginConnection, receiver: Receiver, settled: (transfer: Transfer) => void) {
    [this.#connection, this.#receiver, this.#settled] = [connection, receiver, settled];
  }

  send(request: Outgoing): void {
    const { method, path, headers, body } = request;
    try {
      this.#connection.client.dispatch(
        { method: method as Dispatcher.HttpMethod, path, headers: headers as string[], body: body ?? null },
        this,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  abort(error: Error): void {
    if (this.#done) return;
    this.#aborted = error;
    this.#controller?.abort(error);
    this.#fail(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText = '',
  ): void {
    if (this.#done) return;
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim <= MAX_INTERIM) return;
      throw new FetchGuardError('protocol', `more than ${MAX_INTERIM} interim answers`);
    }
    this.#connection.answered += 1;
    this.#receiver.head(status, headers, statusText);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done) this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    if (this.#finish()) this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#finish()) this.#receiver.fail(error);
  }

  #finish(): boolean {
    if (this.#done) return false;
    this.#done = true;
    this.#settled(this);
    return true;
  }
}

function ignore(): void {}
