import { availableParallelism, totalmem } from 'node:os';
import {
  BasicCrawler,
  type BasicCrawlerOptions,
  Configuration,
  EventManager,
  type EventType,
  type IRequestManager,
  Log,
  Logger,
  LogLevel,
  Request,
} from '@crawlee/basic';
import type { Logger as PinoLogger } from '../ops/log.ts';
import type { SiteWork, TakenWork } from './taken-work.ts';

export interface CrawlerOptions<W extends SiteWork> {
  readonly taken: TakenWork<W>;
  /** Visits one domain. Rejects only when the records are broken, which ends the crawl. */
  readonly visit: (work: W, signal: AbortSignal) => Promise<void>;
  /** Whether nothing else can lead to more domains; asked when the records have none. Absent: it goes on until the signal. */
  readonly isOver?: () => Promise<boolean>;
  readonly concurrency: number;
  /** Begins no more visits; those under way are waited for. */
  readonly signal: AbortSignal;
  readonly log: PinoLogger;
}

/** A crawl that is going on. */
export interface RunningCrawl {
  /** Looks for more work now rather than at the pool's next interval. */
  notify(): void;
  /** Resolves when there is nothing left to visit, or soon after the signal; rejects with the first fault. */
  readonly ended: Promise<void>;
}

/**
 * Crawlee's time limit would leave the visit running, and end the crawl of a machine that slept. A visit has its own
 * deadline, and a commit that comes too late fails at its fence. Crawlee doubles this, which a timer can still hold.
 */
const NEVER_SECONDS = 1_000_000;

/**
 * Visits domains with Crawlee: its pool decides how many at once, and our records are its queue. It makes no retries, as the
 * schedule knows when to come back, and keeps no sessions and no storage of its own.
 */
export function startCrawler<W extends SiteWork>(options: CrawlerOptions<W>): RunningCrawl {
  const { taken, visit, isOver, concurrency, signal, log } = options;
  let fault: { readonly error: unknown } | undefined;
  const broken = new AbortController();
  const visitSignal = AbortSignal.any([signal, broken.signal]);
  const fail = (error: unknown): void => {
    fault ??= { error };
    broken.abort();
    crawler.stop('The records cannot be used.');
  };
  const requests = new RecordsRequests(taken, fail);
  const crawler: BasicCrawler = new RecordsCrawler(
    requests,
    {
      requestHandler: ({ request }) => visit(requests.workOf(request), visitSignal),
      failedRequestHandler: (_context, error) => fail(error),
      requestHandlerTimeoutSecs: NEVER_SECONDS,
      maxRequestRetries: 0,
      useSessionPool: false,
      log: new Log({ level: LogLevel.INFO, logger: new CrawleeLogger(log) }),
      statisticsOptions: { saveErrorSnapshots: false, persistenceOptions: { enable: false } },
      autoscaledPoolOptions: {
        desiredConcurrency: concurrency,
        maxConcurrency: concurrency,
        maybeRunIntervalSecs: 0.1,
        snapshotterOptions: { maxBlockedMillis: MAX_BLOCKED_MS },
        ...(isOver && {
          // in this order: what ends while the records are asked may have left them more
          isFinishedFunction: async () =>
            fault !== undefined || (taken.isIdle && (await isOver()) && (await requests.isFinished())),
        }),
      },
      keepAlive: isOver === undefined,
    },
    new Configuration({
      eventManager: new ProcessLoad(),
      persistStorage: false,
      purgeOnStart: false,
      memoryMbytes: memoryMbytes(),
    }),
  );
  return {
    notify: () => void crawler.autoscaledPool?.notify(),
    ended: run(),
  };

  async function run(): Promise<void> {
    const stop = () => crawler.stop('Stopping.');
    signal.addEventListener('abort', stop, { once: true });
    process.on('newListener', keepOutOfSignals);
    try {
      if (!signal.aborted) await crawler.run();
    } finally {
      process.off('newListener', keepOutOfSignals);
      signal.removeEventListener('abort', stop);
      await taken.close();
    }
    if (fault !== undefined) throw fault.error;
  }
}

/** Removes Crawlee's SIGINT handler, which abandons running visits. Our commands handle the signal. */
function keepOutOfSignals(event: string | symbol, listener: (...given: unknown[]) => void): void {
  if (event === 'SIGINT') queueMicrotask(() => process.off('SIGINT', listener));
}

/** The constructor of this version refuses the documented option `requestManager`. */
class RecordsCrawler extends BasicCrawler {
  constructor(requests: IRequestManager, options: BasicCrawlerOptions, config: Configuration) {
    super(options, config);
    this.requestManager = requests;
  }

  /** Turns of domains are ours. Crawlee would remember every domain, and drop its request when the clock is put back. */
  protected override delayRequest(): boolean {
    return false;
  }
}

/** The records as Crawlee's queue: work is leased there, and nothing is kept twice. */
class RecordsRequests<W extends SiteWork> implements IRequestManager {
  readonly #taken: TakenWork<W>;
  readonly #works = new WeakMap<Request, W>();
  readonly #fail: (error: unknown) => void;
  #handled = 0;

  constructor(taken: TakenWork<W>, fail: (error: unknown) => void) {
    this.#taken = taken;
    this.#fail = fail;
  }

  workOf(request: Request): W {
    return this.#works.get(request) as W;
  }

  /** Never rejects: Crawlee would leave what is under way. */
  async isEmpty(): Promise<boolean> {
    try {
      return !(await this.#taken.hasNext());
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  async isFinished(): Promise<boolean> {
    return (await this.isEmpty()) && this.#taken.isIdle;
  }

  async fetchNextRequest<T extends Record<string, unknown>>(): Promise<Request<T> | null> {
    const work = this.#taken.next();
    if (work === undefined) return null;
    const request = new Request<T>({ url: `https://${work.key}/`, uniqueKey: work.key });
    this.#works.set(request as Request, work);
    return request;
  }

  /** The visit has committed what it found, or released its leases. */
  async markRequestHandled(request: Request): Promise<void> {
    this.#handled += 1;
    this.#taken.end(this.workOf(request));
  }

  async reclaimRequest(request: Request): Promise<null> {
    this.#taken.putBack(this.workOf(request));
    return null;
  }

  async handledCount(): Promise<number> {
    return this.#handled;
  }

  getTotalCount(): number {
    return this.#handled;
  }

  getPendingCount(): number {
    return 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Request> {
    for (
      let request = await this.fetchNextRequest();
      request !== null;
      request = await this.fetchNextRequest()
    )
      yield request as Request;
  }

  async addRequest(): Promise<never> {
    throw new Error('visits are added to the records');
  }

  async addRequestsBatched(): Promise<never> {
    throw new Error('visits are added to the records');
  }
}

/** What this process may use, MiB. Without it Crawlee allows a quarter of the machine, and starts `ps` to find out. */
function memoryMbytes(): number {
  return Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20);
}

/**
 * Delay of the event loop that counts as an overload. Crawlee's 50 ms are passed by every first batch of visits, which are
 * compiled while they run; the crawl would then pause in its first seconds.
 */
const MAX_BLOCKED_MS = 500;

const LOAD_MS = 1_000;
/** Share of all available processors. One busy processor is not an overload: our own thread can fill it. */
const FULL = 0.95;

/** How loaded this process is, for the pool. Crawlee's own manager starts `ps` each second, which our images do not have. */
class ProcessLoad extends EventManager {
  #timer: NodeJS.Timeout | undefined;
  #cpu = process.cpuUsage();
  #at = performance.now();

  override async init(): Promise<void> {
    await super.init();
    this.#timer = setInterval(() => this.#report(), LOAD_MS);
  }

  override async close(): Promise<void> {
    clearInterval(this.#timer);
    await super.close();
  }

  #report(): void {
    const at = performance.now();
    const { user, system } = process.cpuUsage(this.#cpu);
    const usage = (user + system) / 1_000 / (at - this.#at) / availableParallelism();
    this.#cpu = process.cpuUsage();
    this.#at = at;
    this.emit('systemInfo' as EventType.SYSTEM_INFO, {
      createdAt: new Date(),
      cpuCurrentUsage: usage * 100,
      isCpuOverloaded: usage > FULL,
      memCurrentBytes: process.memoryUsage.rss(),
    });
  }
}

const OVERLOADED =
  'overloaded: the crawl reduces its rate. Lower --concurrency, or give the process more memory or CPUs';

/** Crawlee's lines in our log. */
class CrawleeLogger extends Logger {
  readonly #log: PinoLogger;

  constructor(log: PinoLogger) {
    super({});
    this.#log = log;
  }

  override log(level: number, message: string, data?: unknown, exception?: unknown): void {
    const fields = {
      ...(data !== null && typeof data === 'object' && { crawlee: data }),
      ...(exception !== undefined && { err: exception }),
      ...(/overloaded/i.test(message) && { hint: OVERLOADED }),
    };
    if (level <= LogLevel.ERROR) this.#log.error(fields, message);
    else if (level <= LogLevel.WARNING) this.#log.warn(fields, message);
    else this.#log.debug(fields, message);
  }
}
