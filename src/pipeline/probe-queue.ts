import PQueue from 'p-queue';
import { DomainQueues, type SiteWork } from './domain-queues.ts';
import { SlowWork } from './slow-work.ts';
import type { TakeWork } from './visit-feed.ts';

export interface ProbeQueueOptions<W extends SiteWork> {
  readonly take: TakeWork<W>;
  readonly handle: (work: W) => Promise<void>;
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Probes what the store has to probe, several agents at once. */
export interface ProbeQueue {
  /** Takes what there is now; call it whenever agents were found. */
  pump(): Promise<void>;
  /** Resolves when the store has no more to probe and nothing is under way; rejects with the first fault. */
  idle(): Promise<void>;
}

/**
 * The embedded job queue for probes. Work waits in the store, under lease only for as long as it may take to come
 * to it, so that a stop has little to give back.
 */
export function createProbeQueue<W extends SiteWork>(options: ProbeQueueOptions<W>): ProbeQueue {
  const queue = new PQueue({ concurrency: options.concurrency });
  const slow = new SlowWork(options.concurrency, (slots) => {
    queue.concurrency = slots;
    void takeIfFew().then(beginReady); // what others led to comes before more of what is slow
  });
  const queues = new DomainQueues<W>();
  const faults: unknown[] = [];
  let pumping: Promise<void> | undefined;
  /** The store had nothing when it was last asked. */
  let dry = false;
  let begun = 0;
  const isWanted = (work: W): boolean => !slow.isCrowding(work);

  /** What is crowding stays in hand for a while; so much of it is no reason to take nothing else. */
  function roomLeft(): number {
    const isOnlyCrowding = queues.find(isWanted) === undefined && queues.ready <= options.concurrency * 8;
    return options.concurrency * 4 - (isOnlyCrowding ? 0 : queues.ready);
  }

  async function takeMore(): Promise<void> {
    const room = roomLeft();
    if (options.signal.aborted || faults.length > 0 || room <= 0) return;
    dry = true;
    const works = await options.take(room, {
      has: (domain) => queues.busy.has(domain),
      files: slow.crowding,
    });
    if (works.length > 0) dry = false;
    queues.add(works);
    beginReady();
  }

  function beginReady(): void {
    while (begun < queue.concurrency) {
      const work = queues.next(isWanted);
      if (work === undefined) return;
      begun += 1;
      void queue.add(() => slow.run(() => probeOnce(work), work.foundVia));
    }
  }

  async function probeOnce(work: W): Promise<void> {
    try {
      if (options.signal.aborted || faults.length > 0) await options.giveBack([work]);
      else await options.handle(work);
    } catch (error) {
      faults.push(error);
    }
    begun -= 1;
    if (queues.end(work) === 'free') dry = false; // the store may have more of this domain
    if (queues.find(isWanted) === undefined) await takeIfFew();
    beginReady();
    await takeIfFew();
  }

  async function takeIfFew(): Promise<void> {
    if (!dry && roomLeft() > options.concurrency * 3) await takeOnce();
  }

  function takeOnce(): Promise<void> {
    pumping ??= takeMore()
      .catch((error) => void faults.push(error))
      .finally(() => {
        pumping = undefined;
      });
    return pumping;
  }

  return {
    pump() {
      dry = false;
      return takeOnce();
    },
    async idle() {
      do {
        await queue.onIdle();
        await takeOnce();
      } while (queues.ready + queue.size + queue.pending > 0);
      if (faults.length > 0) throw faults[0];
    },
  };
}
