import type { Clock } from '../../ports/clock.ts';

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

export interface PoliteQueues {
  /**
   * Waits for the domain's turn, first come first served; one timer a domain and no polling. When the signal
   * stops the waiting, the turn is undefined.
   */
  enter(domain: string, signal?: AbortSignal): Leave | Promise<Leave | undefined>;
  /**
   * Books a single request to a domain that the running visit is not for, without holding its turn (two visits
   * that need each other's domain would wait for ever). However many are booked, the domain's own next visit waits for
   * one of them at most: whoever has many domains that refer to it must not keep it from being visited.
   *
   * @returns milliseconds to wait, or undefined when that is more than `maxWaitMs`: nothing is booked then
   */
  book(domain: string, gapMs: number, maxWaitMs: number): number | undefined;
  /** Ends all waiting, as the signal of each would. */
  close(): void;
}

/** A moment, and how far ahead it was when it was set: further ahead it lies only when the clock was put back. */
interface Pause {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly aheadMs: number;
}

interface DomainQueue {
  busy: boolean;
  /** No visit starts before. */
  free: Pause;
  /** All single requests that were booked are made by then. */
  booked: Pause;
  /** After one of them, milliseconds. */
  bookedGapMs: number;
  timer: NodeJS.Timeout | undefined;
  /** Who waits, in order. */
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly start: () => void;
  readonly give: () => void;
}

/** The turns of all registrable domains in this process. Domains that nobody needs are forgotten. */
export function createPoliteQueues(clock: Clock): PoliteQueues {
  const queues = new Map<string, DomainQueue>();

  function queueOf(domain: string): DomainQueue {
    const known = queues.get(domain);
    if (known !== undefined) return known;
    const queue: DomainQueue = {
      ...{ busy: false, free: NO_PAUSE, booked: NO_PAUSE, bookedGapMs: 0 },
      ...{ timer: undefined, waiting: new Set<Waiter>() },
    };
    queues.set(domain, queue);
    return queue;
  }

  function next(queue: DomainQueue): void {
    const [first] = queue.waiting;
    if (first === undefined || queue.busy || queue.timer !== undefined) return;
    const waitMs = waitOf(queue, clock.now());
    if (waitMs <= 0) {
      first.start();
      return;
    }
    queue.timer = setTimeout(() => {
      queue.timer = undefined;
      const [due] = queue.waiting; // whatever was booked meanwhile comes after it
      if (!queue.busy) due?.start();
    }, waitMs);
  }

  function leaveOf(domain: string, queue: DomainQueue): Leave {
    queue.busy = true;
    return (gapMs) => {
      queue.busy = false;
      const now = clock.now();
      queue.free = pause(now, gapMs);
      next(queue);
      // To the end of the map, which so stays roughly in the order in which queues can be forgotten.
      queues.delete(domain);
      if (!isIdle(queue, now)) queues.set(domain, queue);
      forget(queues, now);
    };
  }

  return {
    enter(domain, signal) {
      const queue = queueOf(domain);
      if (signal?.aborted) return Promise.resolve(undefined);
      if (!queue.busy && queue.waiting.size === 0 && waitOf(queue, clock.now()) <= 0)
        return leaveOf(domain, queue);
      return new Promise((resolve) => {
        const settle = (leave: Leave | undefined): void => {
          queue.waiting.delete(waiter);
          signal?.removeEventListener('abort', waiter.give);
          resolve(leave);
        };
        const waiter = { start: () => settle(leaveOf(domain, queue)), give: () => settle(undefined) };
        queue.waiting.add(waiter);
        signal?.addEventListener('abort', waiter.give, { once: true });
        next(queue);
      });
    },
    book(domain, gapMs, maxWaitMs) {
      const queue = queueOf(domain);
      const now = clock.now();
      const waitMs = Math.max(0, leftOf(queue.free, now), leftOf(queue.booked, now));
      if (waitMs > maxWaitMs) return undefined;
      queue.booked = pause(now, waitMs + gapMs);
      queue.bookedGapMs = gapMs;
      return waitMs;
    },
    close() {
      for (const queue of queues.values()) {
        clearTimeout(queue.timer);
        for (const waiter of queue.waiting) waiter.give();
      }
    },
  };
}

const NO_PAUSE: Pause = { until: 0, aheadMs: 0 };

function pause(now: number, ms: number): Pause {
  return { until: now + ms, aheadMs: ms };
}

/** Milliseconds; 0 or less when it is over. */
function leftOf({ until, aheadMs }: Pause, now: number): number {
  return Math.min(until - now, aheadMs);
}

/** Until the next visit may start, milliseconds; 0 or less when it may. */
function waitOf({ free, booked, bookedGapMs }: DomainQueue, now: number): number {
  return Math.max(leftOf(free, now), Math.min(leftOf(booked, now), bookedGapMs));
}

function isIdle(queue: DomainQueue, now: number): boolean {
  return !queue.busy && queue.waiting.size === 0 && waitOf(queue, now) <= 0; // so nothing is booked either
}

/** Drops idle queues from the front of the map: all of them in time, a few a call. */
function forget(queues: Map<string, DomainQueue>, now: number): void {
  for (const [domain, queue] of queues) {
    if (!isIdle(queue, now)) return;
    queues.delete(domain);
  }
}

/** Counts the requests of one visit; answers how long the next one has to wait. */
export class Pace {
  readonly #perSecond: number;
  readonly #starts: number[] = [];

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Books the next request. @returns milliseconds to wait before it starts */
  book(now: number): number {
    const earliest = this.#starts.length < this.#perSecond ? now : (this.#starts.shift() ?? now) + 1_000;
    const start = Math.max(now, earliest);
    this.#starts.push(start);
    return start - now;
  }
}
