import type { ServerResponse } from 'node:http';

/** Requests of which so many may be under way. */
export interface ConcurrencyLimit {
  isFull(): boolean;
  /** Counts a request until its answer is there. */
  enter(response: ServerResponse): void;
}

/** A turn in it is over with its answer, or after `turnMs`, milliseconds; then `onLeft` is called. */
export function createConcurrencyLimit(most: number, turnMs: number, onLeft: () => void): ConcurrencyLimit {
  let underWay = 0;
  return {
    isFull: () => underWay >= most,
    enter(response) {
      underWay += 1;
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(longEnough);
        underWay -= 1;
        onLeft();
      };
      const longEnough = setTimeout(leave, turnMs);
      response.once('prefinish', leave).once('close', leave);
    },
  };
}

/** A request costs a unit, and so do 64 KiB of an answer. Ten come back each second; who has more than sixty outstanding is a heavy user. */
export const UNIT_MS = 100;
const FREE_MS = 60 * UNIT_MS;
export const BYTES_OF_UNIT = 65_536;
/** What a request may come to cost is not known while it is under way. */
const UNDER_WAY_MS = 2 * UNIT_MS;

/** What a caller asked for of late. */
export interface CallerUsage {
  /** When all that was asked for has come back; milliseconds of a clock that never goes back. */
  busyUntil: number;
  underWay: number;
}

export function charge(usage: CallerUsage, units: number): void {
  usage.busyUntil = Math.max(usage.busyUntil, performance.now()) + units * UNIT_MS;
}

/** Milliseconds until all has come back. */
export function outstandingMs({ busyUntil, underWay }: CallerUsage, now: number): number {
  return Math.max(0, busyUntil - now) + underWay * UNDER_WAY_MS;
}

export function isHeavyUser(usage: CallerUsage, now: number): boolean {
  return outstandingMs(usage, now) > FREE_MS;
}
