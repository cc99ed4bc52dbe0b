import PQueue from 'p-queue';

/** How fast we may be with one registrable domain. */
export interface Rate {
  /** From the end of a visit to the start of the next, milliseconds. */
  readonly gapMs: number;
  /** Requests that start within any second of a visit. */
  readonly requestsPerSecond: number;
  /** Open at the same time in a visit. */
  readonly connections: number;
}

/** One second between visits, ten requests a second and two connections inside one. */
export const DEFAULT_RATE: Rate = { gapMs: 1_000, requestsPerSecond: 10, connections: 2 };

/** Gives the turn back; the next visit starts `gapMs` later at the earliest. */
export type Leave = (gapMs: number) => void;

interface DomainQueues {
  /** A task is a visit and the gap after it. */
  readonly visits: PQueue;
  /** A task is a gap, after a visit or a single request; what starts next waits for its end. */
  readonly starts: PQueue;
}

/** Visits go before single requests. */
const OF_VISIT = 1;

/** The turns of all registrable domains in this process. Domains that nobody needs are forgotten. */
export class DomainTurns {
  readonly #domains = new Map<string, DomainQueues>();
  readonly #gaps = new Set<() => void>();
  #isClosed = false;

  /**
   * Waits for the domain's turn, first come first served.
   *
   * @returns undefined when the signal aborts the wait, or `close` does
   */
  async enter(domain: string, signal?: AbortSignal): Promise<Leave | undefined> {
    if (signal?.aborted) return undefined;
    const { visits, starts } = this.#queuesOf(domain);
    const visit = Promise.withResolvers<number>();
    const visitAndGap = async (): Promise<void> => {
      const gapMs = await visit.promise;
      if (gapMs > 0) await hold(starts, () => this.#gap(gapMs), OF_VISIT);
    };
    if (!(await hold(visits, visitAndGap, OF_VISIT, signal))) return undefined;
    if (await hold(starts, nothing, OF_VISIT, signal)) return visit.resolve;
    visit.resolve(0);
    return undefined;
  }

  /**
   * Waits for the turn of a single request to a domain that the running visit is not for, without holding the domain:
   * two visits that need each other's domain would wait for ever. Between two visits of the domain there is one such
   * request at most: whoever has many domains that refer to it must not keep it from being visited.
   *
   * @param maxWaitMs nobody waits in a queue that is longer
   * @returns false when there is no turn within this time, or the signal aborts the wait
   */
  async enterOnce(domain: string, gapMs: number, maxWaitMs: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || maxWaitMs < 0) return false;
    const { starts } = this.#queuesOf(domain);
    if ((starts.size + starts.pending) * gapMs > maxWaitMs) return false;
    return await hold(starts, () => this.#gap(gapMs), 0, signal);
  }

  /** Ends all waiting, as the signal of each would. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#gaps) end();
    for (const { visits, starts } of this.#domains.values()) {
      visits.clear();
      starts.clear();
    }
  }

  #queuesOf(domain: string): DomainQueues {
    const known = this.#domains.get(domain);
    if (known !== undefined) return known;
    const queues = { visits: new PQueue({ concurrency: 1 }), starts: new PQueue({ concurrency: 1 }) };
    const forget = (): void => {
      if (Object.values(queues).every(({ size, pending }) => size + pending === 0))
        this.#domains.delete(domain);
    };
    for (const queue of Object.values(queues)) queue.addEventListener('idle', forget);
    this.#domains.set(domain, queues);
    return queues;
  }

  #gap(ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#gaps.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#gaps.add(end);
    });
  }
}

/**
 * Resolves to true when the task begins, and to false when the signal aborts the wait or the queue is cleared. The
 * queue's own signal would end the turn of a task that has begun.
 */
function hold(
  queue: PQueue,
  task: () => Promise<void> | void,
  priority: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const waiting = new AbortController();
  const giveUp = (): void => waiting.abort();
  const begin = async (): Promise<void> => {
    signal?.removeEventListener('abort', giveUp);
    resolve(true);
    await task();
  };
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  queue.add(begin, { priority, signal: waiting.signal }).catch(() => {
    signal?.removeEventListener('abort', giveUp);
    resolve(false);
  });
  return promise;
}

function nothing(): void {}
