import { BasicCrawler, Configuration, log as crawleeLog } from '@crawlee/basic';
import type { SiteWork } from './domain-queues.ts';
import { SlowWork } from './slow-work.ts';
import { type TakeWork, VisitFeed } from './visit-feed.ts';

export interface BulkOptions<W extends SiteWork> {
  readonly take: TakeWork<W>;
  /**
   * Makes one visit, and may say before its end that it needs its domain no more. Resolves true when it found more
   * work for this run.
   */
  readonly handle: (work: W, leaveDomain: () => void) => Promise<boolean>;
  /** Gives work back that was taken and not begun. */
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  /** Visits at the same time, those not counted that are `patient` about slow strangers. */
  readonly concurrency: number;
  /** Visits that a stranger makes slow take no slot from the others; see SlowWork. */
  readonly patient?: boolean;
  /** Stops: nothing new is begun, visits under way are awaited. */
  readonly signal: AbortSignal;
  /** Visits taken at once, at most. Default: five for each that may go on, and 500. */
  readonly batch?: number;
  /** Asks for work again every so many milliseconds until the signal fires. Absent: ends when there is none. */
  readonly pollMs?: number;
}

/** Visits taken from the store at once, at most. */
const MAX_BATCH = 500;
/** How often a run looks by itself whether a visit can begin or all is done; most begin at the end of another one. */
const POOL_CHECK_MS = 50;

/**
 * Visits many domains at once with Crawlee's BasicCrawler: it schedules, we fetch. No browser, no session pool, no
 * storage on disk, no retries of its own (the schedule knows when to come back), no ramp-up. Resolves when there is
 * no work left or the signal fired; rejects with the first error that a visit threw.
 *
 * A run ends in one way: the feed is finished, and Crawlee's pool finds that out when it looks. A stop, a fault and a
 * poll only change the feed, so they may come at any moment. Nothing calls `abort()` or `notify()` from outside a
 * visit: before the pool runs, its `abort()` stops it without ending it, and the run would last for ever.
 */
export async function runInBulk<W extends SiteWork>(options: BulkOptions<W>): Promise<void> {
  const { pollMs, batch = Math.min(MAX_BATCH, options.concurrency * 5) } = options;
  const faults: unknown[] = [];
  // after the first fault nothing more is taken: what is given back would be taken again, and fail again
  const fail = (fault: unknown) => {
    faults.push(fault);
    feed.close();
  };
  const take: TakeWork<W> = (limit, busy) =>
    options.take(limit, busy).catch((fault) => {
      fail(fault);
      return [];
    });
  const slow = new SlowWork(options.concurrency, (slots) => {
    const pool = crawler.autoscaledPool;
    if (pool === undefined) return;
    pool.minConcurrency = slots;
    pool.maxConcurrency = slots;
    pool.desiredConcurrency = slots;
    void pool.notify(); // a visit is under way, so the pool runs
  });
  const feed = new VisitFeed<W>(take, batch, pollMs !== undefined, slow);
  const underWay = new Set<Promise<void>>();
  const crawler = createCrawler(
    options.concurrency,
    Math.min(POOL_CHECK_MS, pollMs ?? POOL_CHECK_MS),
    feed,
    (work) => {
      const leaveDomain = () => {
        if (feed.leaveDomain(work)) void crawler.autoscaledPool?.notify(); // a visit is under way, so the pool runs
      };
      const once = () => visitOnce(work, options, feed, { leaveDomain, fail });
      const visit = (options.patient ? slow.run(once, work.foundVia) : once()).finally(() =>
        underWay.delete(visit),
      );
      underWay.add(visit);
      return visit;
    },
  );
  const stop = () => feed.close();
  const polling = pollMs === undefined ? undefined : setInterval(() => feed.wake(), pollMs);
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    if (!options.signal.aborted) await crawler.run();
    await Promise.all(underWay); // at a Ctrl-C Crawlee itself ends its pool after 20 s, whatever is under way
  } finally {
    clearInterval(polling);
    options.signal.removeEventListener('abort', stop);
    await options.giveBack(await feed.drain());
  }
  if (faults.length > 0) throw faults[0];
}

async function visitOnce<W extends SiteWork>(
  work: W,
  options: BulkOptions<W>,
  feed: VisitFeed<W>,
  { leaveDomain, fail }: { readonly leaveDomain: () => void; readonly fail: (fault: unknown) => void },
): Promise<void> {
  try {
    if (feed.closed) await options.giveBack([work]);
    else if (await options.handle(work, leaveDomain)) feed.wake();
  } catch (error) {
    fail(error);
  }
}

function createCrawler<W extends SiteWork>(
  concurrency: number,
  checkMs: number,
  feed: VisitFeed<W>,
  visit: (work: W) => Promise<void>,
): BasicCrawler {
  crawleeLog.setLevel(crawleeLog.LEVELS.OFF); // our own log has every visit; Crawlee's goes to stdout
  return new BasicCrawler(
    {
      requestList: feed,
      requestHandler: async ({ request }) => {
        const work = feed.begin(request);
        if (work !== undefined) await visit(work);
      },
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      maxRequestRetries: 0,
      requestHandlerTimeoutSecs: 3_600, // the visit's own deadline is the one that counts
      useSessionPool: false,
      statusMessageLoggingInterval: 86_400,
      autoscaledPoolOptions: {
        maybeRunIntervalSecs: checkMs / 1_000,
        loggingIntervalSecs: null,
        autoscaleIntervalSecs: 3_600,
      },
      statisticsOptions: { logIntervalSecs: 86_400 },
    },
    configuration(),
  );
}

function configuration(): Configuration {
  // with a fixed concurrency the system's load decides nothing, and sampling it starts `ps` every time; a memory size
  // that is given is not measured, so that the pool's start waits for nothing while a signal comes
  const made = new Configuration({
    persistStorage: false,
    purgeOnStart: false,
    systemInfoIntervalMillis: 86_400_000,
    memoryMbytes: 1_024,
  });
  // there is nothing to write at the end, and Crawlee's wait for it would keep the process alive for another second
  Reflect.set(made.getStorageClient(), 'teardown', undefined);
  return made;
}
