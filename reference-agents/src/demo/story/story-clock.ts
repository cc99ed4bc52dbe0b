import type { Clock } from '@agent-registry/surface/agent-kit';

export const HOUR = 3_600_000;

/** Goes as fast as any other, and is put forward whenever nothing is to happen for a while. */
export interface StoryClock extends Clock {
  /** Puts it forward to this moment, epoch milliseconds; never back. */
  to(at: number): void;
}

export function createStoryClock(start: number): StoryClock {
  let [base, since] = [start, performance.now()];
  const now = () => Math.floor(base + performance.now() - since);
  return {
    now,
    to(at) {
      [base, since] = [Math.max(at, now()), performance.now()];
    },
  };
}
