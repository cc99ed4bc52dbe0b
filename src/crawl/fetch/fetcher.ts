import { registrableDomain } from '../../domain/domain-name.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fetcher, RoomForBodies, Visit, VisitOptions } from '../../ports/fetcher.ts';
import type { RobotsCache } from '../../ports/robots-cache.ts';
import { createHostResolver, type Resolver } from '../dns/host-resolver.ts';
import { judgeHost } from './address.ts';
import { ACCEPT_ENCODING } from './body.ts';
import { createGuardedFetch } from './call.ts';
import { type Connector, systemConnector } from './connect.ts';
import type { ConnectTo } from './connect-to.ts';
import type { FetchContext, Plan } from './context.ts';
import { DEFAULT_RATE, DomainTurns, type Rate } from './domain-turns.ts';
import { FetchGuardError } from './failure.ts';
import { getFile } from './get.ts';
import { createRobotsMemory, RobotsGate } from './robots.ts';
import { createConnectToTable } from './routes.ts';
import { createTrust } from './trust.ts';
import { bareHost, parseOpenOrigin } from './url-rule.ts';
import { formatUserAgent, type UserAgent } from './user-agent.ts';
import { VisitHttp } from './visit-http.ts';

const DEFAULT_MAX_RESPONSE = 4 << 20;
/** One for all visits: the stack of an error, which every closing socket reads, costs more than the rest of the end. */
const VISIT_OVER = new FetchGuardError('interrupted', 'the visit is over');

/** No rate-limit slot was taken, so there is none to release. */
const NO_TURN = (): void => {};

export interface FetcherOptions {
  readonly clock: Clock;
  readonly userAgent: UserAgent;
  /** The operator's table; empty by default. */
  readonly connectTo?: readonly ConnectTo[];
  /** PEM certificates that are trusted, beside the default ones, for TLS targets of `connectTo` and opened origins. */
  readonly ca?: string;
  /** By registrable domain; what is not given stays as in DEFAULT_RATE. */
  readonly rates?: Readonly<Record<string, Partial<Rate>>>;
  /** In memory by default. */
  readonly robots?: RobotsCache;
  /** Of an answer to `visit.fetch`, after decompression; 4 MiB by default. */
  readonly maxResponseBytes?: number;
  /** The system's name servers by default. */
  readonly resolver?: Resolver;
  /** The system's sockets by default. */
  readonly connector?: Connector;
}

/**
 * The guarded way to the network. Only public addresses are ever dialled, save for what the operator mapped and
 * the one origin that a user opened for a visit; proxies and environment variables play no part.
 *
 * Do not open a visit for a registrable domain inside the work of another visit for the same one: it would wait
 * for itself.
 *
 * @throws RegistryError `usage` for a user agent or certificate that cannot be used
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const context = contextOf(options);
  const running = new Map<VisitHttp, Promise<unknown>>();
  let closed = false;
  return {
    async visit(visitOptions, work) {
      const plan = planOf(visitOptions, context);
      const { forbidden, domain } = plan;
      const leave = forbidden ? NO_TURN : await context.turns.enter(domain, visitOptions.signal);
      const time = new Deadline(visitOptions.deadlineMs);
      const options = { ...visitOptions, ...(visitOptions.room && time.whileTaking(visitOptions.room)) };
      const http = new VisitHttp(context, plan, options, () => time.leftMs());
      if (leave === undefined || closed || visitOptions.signal?.aborted) http.stop(interrupted());
      let robots: RobotsGate | undefined; // only a visit of files asks for robots.txt
      const gate = () => (robots ??= new RobotsGate(http, visitOptions.deadlineMs));
      const done = runWork(http, gate, visitOptions, time, work);
      running.set(http, done);
      try {
        return await done;
      } finally {
        running.delete(http);
        const gapMs =
          plan.operated || plan.forbidden ? 0 : Math.max(plan.rate.gapMs, robots?.crawlDelayMs ?? 0);
        leave?.(gapMs);
        visitOptions.onLeave?.(gapMs);
      }
    },
    isMapped: (url) => context.connectTo.find(bareHost(new URL(url))) !== undefined,
    async close() {
      closed = true;
      context.turns.close();
      for (const http of running.keys()) http.stop(interrupted());
      await Promise.allSettled(running.values());
    },
  };
}

function planOf({ host, openOrigin }: VisitOptions, context: FetchContext): Plan {
  const domain = registrableDomain(host);
  const opened = parseOpenOrigin(openOrigin);
  const operated = opened !== undefined || context.connectTo.find(host) !== undefined;
  const forbidden = !operated && judgeHost(host.replace(/^\[|\]$/g, ''))?.ok === false;
  return { domain, rate: context.rateOf(domain), opened, operated, forbidden };
}

async function runWork<T>(
  http: VisitHttp,
  gate: () => RobotsGate,
  { deadlineMs, signal }: VisitOptions,
  time: Deadline,
  work: (visit: Visit) => Promise<T>,
): Promise<T> {
  const tooLong = `the visit exceeded its deadline of ${deadlineMs} ms`;
  time.start(() => http.stop(new FetchGuardError('timeout', tooLong)));
  const stop = (): void => http.stop(interrupted());
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await work({
      signal: http.signal,
      get: (request) => getFile(http, gate(), request),
      fetch: (...call) => createGuardedFetch(http)(...call), // made by a visit that calls
      elsewhere: (origin) => createGuardedFetch(http, origin),
      aside: (own) => time.aside(own),
      leftMs: () => time.leftMs(),
      heldMs: () => http.heldMs,
    });
  } finally {
    time.stop();
    signal?.removeEventListener('abort', stop);
    http.end(VISIT_OVER);
  }
}

/** The total deadline of a visit. It counts what strangers take, and stands still while the visit waits for ourselves. */
class Deadline {
  #leftMs: number;
  #since = performance.now();
  #asides = 0;
  #passed: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  start(passed: () => void): void {
    this.#passed = passed;
    this.#since = performance.now();
    this.#timer = setTimeout(passed, Math.max(0, this.leftMs()));
  }

  stop(): void {
    this.#passed = undefined;
    clearTimeout(this.#timer);
  }

  leftMs(): number {
    return this.#asides > 0 ? this.#leftMs : this.#leftMs - (performance.now() - this.#since);
  }

  /** Room for bodies, for which this deadline does not run. */
  whileTaking(room: RoomForBodies): Pick<VisitOptions, 'room'> {
    const take = (bytes: number) => {
      const turn = room.take(bytes);
      return turn && this.aside(turn);
    };
    return { room: { ...room, take } };
  }

  async aside<T>(work: Promise<T>): Promise<T> {
    this.#leftMs = this.leftMs();
    this.#asides += 1;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#asides -= 1;
      if (this.#asides === 0 && this.#passed !== undefined) this.start(this.#passed);
    }
  }
}

function contextOf(options: FetcherOptions): FetchContext {
  const userAgent = formatUserAgent(options.userAgent);
  return {
    clock: options.clock,
    resolver: options.resolver ?? createHostResolver({ clock: options.clock }),
    connector: options.connector ?? systemConnector,
    connectTo: createConnectToTable(options.connectTo ?? []),
    trust: createTrust(options.ca),
    userAgent,
    fileHeaders: ['user-agent', userAgent, 'accept-encoding', ACCEPT_ENCODING],
    product: options.userAgent.product.toLowerCase(),
    robots: options.robots ?? createRobotsMemory(),
    turns: new DomainTurns(),
    rateOf: (domain) => ({ ...DEFAULT_RATE, ...options.rates?.[domain] }),
    maxResponseBytes: options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE,
  };
}

function interrupted(): FetchGuardError {
  return new FetchGuardError('interrupted', 'the visit was stopped');
}
