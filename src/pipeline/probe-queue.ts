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
  });
  const queues = new DomainQueues<W>();
  const faults: unknown[] = [];
  let pumping: Promise<void> | undefined;
  /** The store had nothing when it was last asked. */
  let dry = false;

  async function takeMore(): Promise<void> {
    const room = options.concurrency * 4 - queue.size;
    if (options.signal.aborted || faults.length > 0 || room <= 0) return;
    dry = true;
    const works = await options.take(room, queues.busy);
    if (works.length > 0) dry = false;
    queues.add(works);
    beginReady();
  }

  function beginReady(): void {
    for (let work = queues.next(); work !== undefined; work = queues.next()) {
      const begun = work;
      void queue.add(() => slow.run(() => probeOnce(begun)));
    }
  }

  async function probeOnce(work: W): Promise<void> {
    try {
      if (options.signal.aborted || faults.length > 0) await options.giveBack([work]);
      else await options.handle(work);
    } catch (error) {
      faults.push(error);
    }
    if (queues.end(work) === 'free') dry = false; // the store may have more of this domain
    beginReady();
    if (!dry && queue.size < options.concurrency) await takeOnce();
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
      } while (queue.size + queue.pending > 0);
      if (faults.length > 0) throw faults[0];
    },
  };
}
