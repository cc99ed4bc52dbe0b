import { pause } from '../base/back-off.ts';
import type { BusyDomains } from '../ports/source-store.ts';
import { DomainQueues, type SiteWork } from './domain-queues.ts';
import { SlowWork } from './slow-work.ts';

/** Takes leased work from the store, none of it of a busy domain; an empty answer means that there is none now. */
export type TakeWork<W extends SiteWork> = (limit: number, busy: BusyDomains) => Promise<readonly W[]>;

export interface WorkQueueOptions<W extends SiteWork> {
  readonly take: TakeWork<W>;
  /**
   * Does one piece of work, and may say before its end that it needs its domain no more. Resolves true when the store may
   * have more work by it.
   */
  readonly handle: (work: W, leaveDomain: () => void) => Promise<boolean>;
  /** Gives work back that was taken and not begun. */
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  /** At the same time, those not counted that are `patient` about slow strangers. */
  readonly concurrency: number;
  /** What a stranger makes slow takes no slot from the others; see SlowWork. */
  readonly patient?: boolean;
  /** Stops: nothing new is taken or begun, what is under way is awaited. */
  readonly signal: AbortSignal;
  /** Taken at once, at most: enough to cost little, few enough to come to within their lease. Default: five for each slot, and 500. */
  readonly batch?: number;
}

/**
 * Work of a store that many slots do, one piece of a domain at a time. The store leases and remembers; nothing is kept
 * twice, and there is no end of a batch at which fast domains would wait for the slowest. There are no retries: the
 * schedule knows when to come back.
 */
export interface WorkQueue {
  /** Takes what there is, and begins it; call it whenever there may be more. Resolves when the store has answered. */
  pump(): Promise<void>;
  /** Resolves when the store has no more and nothing is under way, or after a stop; rejects with the first fault. */
  idle(): Promise<void>;
  /** Fires at the first fault. Nothing more is begun then: what is given back could be taken again, and fail again. */
  readonly failed: AbortSignal;
}

const MAX_BATCH = 500;

export function createWorkQueue<W extends SiteWork>(options: WorkQueueOptions<W>): WorkQueue {
  const { concurrency, signal, batch = Math.min(MAX_BATCH, concurrency * 5) } = options;
  const queues = new DomainQueues<W>();
  const underWay = new Set<Promise<void>>();
  const failed = new AbortController();
  let fault: unknown;
  let slots = concurrency;
  let taking: Promise<void> | undefined;
  let dry = false; // the store had nothing when it was last asked
  const slow = options.patient ? new SlowWork(concurrency, resize) : undefined;
  const isWanted = (work: W): boolean => slow?.isCrowding(work) !== true;
  const isOver = (): boolean => signal.aborted || failed.signal.aborted;

  function resize(to: number): void {
    slots = to;
    goOn();
  }
  function fail(error: unknown): void {
    if (!failed.signal.aborted) fault = error;
    failed.abort();
  }
  /** What is crowding is in hand for a while; so much of it is no reason to take nothing else. */
  function hasEnough(): boolean {
    return queues.ready > batch || queues.find(isWanted) !== undefined;
  }
  /** Begins what is ready while there are slots; before what is crowding, the store is asked for something else. */
  function goOn(): void {
    while (!isOver() && underWay.size < slots) {
      const mayGetMore = !hasEnough() && (taking !== undefined || !dry);
      if (mayGetMore) take();
      const work = mayGetMore ? undefined : queues.next(isWanted);
      if (work === undefined) return;
      begin(work);
    }
  }
  function take(): void {
    taking ??= takeMore()
      .catch(fail)
      .then(() => {
        taking = undefined;
        goOn();
      });
  }
  async function takeMore(): Promise<void> {
    dry = true;
    const { busy } = queues;
    const files = slow?.crowding ?? new Set();
    const works = await options.take(batch, { has: (domain) => busy.has(domain), files });
    queues.add(works);
    if (works.length > 0) dry = false;
  }
  function begin(work: W): void {
    const doing = doOnce(work).then(() => {
      underWay.delete(doing);
      goOn();
    });
    underWay.add(doing);
  }
  async function doOnce(work: W): Promise<void> {
    const leaveDomain = (): void => {
      const ended = queues.end(work);
      if (ended === 'free') dry = false; // the store may have more of this domain
      if (ended === 'next') goOn();
    };
    const once = (isOurs?: () => void) =>
      options.handle(work, () => {
        isOurs?.();
        leaveDomain();
      });
    try {
      if (await (slow === undefined ? once() : slow.run(once, work.foundVia))) dry = false;
    } catch (error) {
      fail(error);
    }
    leaveDomain();
  }
  async function pump(): Promise<void> {
    dry = false;
    goOn();
    await taking;
  }
  return {
    pump,
    async idle() {
      await pump();
      while (taking !== undefined || underWay.size > 0) await Promise.all([taking, ...underWay]);
      if (isOver()) await options.giveBack(queues.drain());
      if (failed.signal.aborted) throw fault;
    },
    failed: failed.signal,
  };
}

export interface BulkOptions<W extends SiteWork> extends WorkQueueOptions<W> {
  /** Asks for work again every so many milliseconds until the signal fires. Absent: ends when there is none. */
  readonly pollMs?: number;
}

/**
 * Does the work of a store until there is none left, or until the signal. Rejects with the first fault of a visit or of the
 * store, after what was under way has ended and the rest was given back.
 */
export async function runInBulk<W extends SiteWork>(options: BulkOptions<W>): Promise<void> {
  const { pollMs, signal } = options;
  const queue = createWorkQueue(options);
  const over = AbortSignal.any([signal, queue.failed]);
  while (pollMs !== undefined && !over.aborted) {
    void queue.pump();
    await pause(pollMs, over);
  }
  await queue.idle();
}
