import { Client } from 'undici';
import type { FetchGuardError } from './failure.ts';

/** One connection of a visit, to one origin. */
export interface Line {
  readonly origin: string;
  readonly client: Client;
  /** Requests on it now; more than one only while an abandoned one waits for the connection. */
  inFlight: number;
  /** Answers it has brought so far: a request on a used line may meet a connection that just closed. */
  answered: number;
}

/** Makes the connection for an origin, in undici's form. */
export type ConnectFor = (origin: string) => NonNullable<Client.Options['connect']>;

interface Waiter {
  readonly origin: string;
  readonly resolve: (line: Line) => void;
  readonly reject: (error: FetchGuardError) => void;
}

/**
 * The connections of one visit, at most `limit` over all origins, one request at a time on each. An idle line to
 * another origin is closed to make room; when all are busy the request waits for the first that becomes free.
 */
export class Lines {
  readonly #limit: number;
  readonly #connectFor: ConnectFor;
  readonly #lines: Line[] = [];
  readonly #waiters: Waiter[] = [];
  #over: FetchGuardError | undefined;

  constructor(limit: number, connectFor: ConnectFor) {
    this.#limit = limit;
    this.#connectFor = connectFor;
  }

  /** A free line to the origin; give it back with `release`. Rejects when the visit ends first. */
  async take(origin: string): Promise<Line> {
    if (this.#over !== undefined) throw this.#over;
    const line = this.#free(origin);
    if (line !== undefined) return line;
    return new Promise((resolve, reject) => this.#waiters.push({ origin, resolve, reject }));
  }

  release(line: Line): void {
    line.inFlight -= 1;
    const waiter = this.#waiters[0];
    if (waiter === undefined) return;
    const free = this.#free(waiter.origin);
    if (free === undefined) return;
    this.#waiters.shift();
    waiter.resolve(free);
  }

  /** Closes every connection and fails whoever waits. */
  end(reason: FetchGuardError): void {
    this.#over = reason;
    for (const line of this.#lines.splice(0)) line.client.destroy(reason, ignore);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
  }

  #free(origin: string): Line | undefined {
    let line = this.#lines.find((one) => one.origin === origin && one.inFlight === 0);
    if (line === undefined && !this.#makeRoom()) return undefined;
    line ??= this.#open(origin);
    line.inFlight += 1;
    return line;
  }

  #makeRoom(): boolean {
    if (this.#lines.length < this.#limit) return true;
    const idle = this.#lines.findIndex((one) => one.inFlight === 0);
    if (idle === -1) return false;
    for (const line of this.#lines.splice(idle, 1)) line.client.destroy(null, ignore);
    return true;
  }

  #open(origin: string): Line {
    // The visit's deadline is the only timer: headers and body have none of their own.
    const options = { connect: this.#connectFor(origin), pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
    const line = { origin, client: new Client(origin, options), inFlight: 0, answered: 0 };
    this.#lines.push(line);
    return line;
  }
}

function ignore(): void {}
