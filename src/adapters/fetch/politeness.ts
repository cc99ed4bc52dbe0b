import type { Clock } from '../../ports/clock.ts';

/** Gives the turn back; the next visit starts `gapMs` later at the earliest. */
export type Leave = (gapMs: number) => void;

export interface Politeness {
  /**
   * Waits for the domain's turn, first come first served; one timer a domain and no polling. When the signal
   * stops the waiting, the turn is undefined.
   */
  enter(domain: string, signal?: AbortSignal): Leave | Promise<Leave | undefined>;
  /**
   * Books a single request to a domain that the running visit is not for, without holding its turn (two visits
   * that need each other's domain would wait for ever).
   *
   * @returns milliseconds to wait, or undefined when that is more than `maxWaitMs`: nothing is booked then
   */
  book(domain: string, gapMs: number, maxWaitMs: number): number | undefined;
  /** Ends all waiting, as the signal of each would. */
  close(): void;
}

interface Lane {
  busy: boolean;
  /** No visit starts before, epoch milliseconds. */
  freeAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Who waits, in order. */
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly start: () => void;
  readonly give: () => void;
}

/** The turns of all registrable domains in this process. Domains that nobody needs are forgotten. */
export function createPoliteness(clock: Clock): Politeness {
  const lanes = new Map<string, Lane>();

  function laneOf(domain: string): Lane {
    const known = lanes.get(domain);
    if (known !== undefined) return known;
    const lane: Lane = { busy: false, freeAt: 0, timer: undefined, waiting: new Set() };
    lanes.set(domain, lane);
    return lane;
  }

  function next(domain: string, lane: Lane): void {
    const [first] = lane.waiting;
    if (first === undefined || lane.busy || lane.timer !== undefined) return;
    const waitMs = lane.freeAt - clock.now();
    if (waitMs <= 0) {
      first.start();
      return;
    }
    lane.timer = setTimeout(() => {
      lane.timer = undefined;
      next(domain, lane);
    }, waitMs);
  }

  function leaveOf(domain: string, lane: Lane): Leave {
    lane.busy = true;
    return (gapMs) => {
      lane.busy = false;
      const now = clock.now();
      lane.freeAt = Math.max(lane.freeAt, now + gapMs);
      next(domain, lane);
      // To the end of the map, which so stays roughly in the order in which lanes can be forgotten.
      lanes.delete(domain);
      if (!isIdle(lane, now)) lanes.set(domain, lane);
      forget(lanes, now);
    };
  }

  return {
    enter(domain, signal) {
      const lane = laneOf(domain);
      if (signal?.aborted) return Promise.resolve(undefined);
      if (!lane.busy && lane.waiting.size === 0 && lane.freeAt <= clock.now()) return leaveOf(domain, lane);
      return new Promise((resolve) => {
        const settle = (leave: Leave | undefined): void => {
          lane.waiting.delete(waiter);
          signal?.removeEventListener('abort', waiter.give);
          resolve(leave);
        };
        const waiter = { start: () => settle(leaveOf(domain, lane)), give: () => settle(undefined) };
        lane.waiting.add(waiter);
        signal?.addEventListener('abort', waiter.give, { once: true });
        next(domain, lane);
      });
    },
    book(domain, gapMs, maxWaitMs) {
      const lane = laneOf(domain);
      const now = clock.now();
      const start = Math.max(now, lane.freeAt);
      if (start - now > maxWaitMs) return undefined;
      lane.freeAt = start + gapMs;
      return start - now;
    },
    close() {
      for (const lane of lanes.values()) {
        clearTimeout(lane.timer);
        for (const waiter of lane.waiting) waiter.give();
      }
    },
  };
}

function isIdle(lane: Lane, now: number): boolean {
  return !lane.busy && lane.waiting.size === 0 && lane.freeAt <= now;
}

/** Drops idle lanes from the front of the map: all of them in time, a few a call. */
function forget(lanes: Map<string, Lane>, now: number): void {
  for (const [domain, lane] of lanes) {
    if (!isIdle(lane, now)) return;
    lanes.delete(domain);
  }
}
