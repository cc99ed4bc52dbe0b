import PQueue from 'p-queue';
import type { VisitWork } from '../domain/source.ts';

export interface ProbeQueueOptions {
  readonly take: (limit: number) => Promise<readonly VisitWork[]>;
  readonly handle: (work: VisitWork) => Promise<void>;
  readonly giveBack: (works: readonly VisitWork[]) => Promise<void>;
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
export function createProbeQueue(options: ProbeQueueOptions): ProbeQueue {
  const queue = new PQueue({ concurrency: options.concurrency });
  const faults: unknown[] = [];
  let pumping: Promise<void> | undefined;

  async function takeOnce(): Promise<number> {
    const room = options.concurrency * 4 - queue.size;
    if (options.signal.aborted || faults.length > 0 || room <= 0) return 0;
    const works = await options.take(room);
    for (const work of works) void queue.add(() => probeOnce(work));
    return works.length;
  }

  async function probeOnce(work: VisitWork): Promise<void> {
    if (options.signal.aborted || faults.length > 0) return options.giveBack([work]);
    try {
      await options.handle(work);
    } catch (error) {
      faults.push(error);
    }
    if (queue.size < options.concurrency) await pump();
  }

  function pump(): Promise<void> {
    pumping ??= takeOnce()
      .then(
        () => undefined,
        (error) => void faults.push(error),
      )
      .finally(() => {
        pumping = undefined;
      });
    return pumping;
  }

  return {
    pump,
    async idle() {
      do {
        await queue.onIdle();
        await pump();
      } while (queue.size + queue.pending > 0);
      if (faults.length > 0) throw faults[0];
    },
  };
}
