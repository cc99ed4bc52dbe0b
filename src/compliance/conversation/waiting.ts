import { performance } from 'node:perf_hooks';
import type { Conversation, Waited } from './conversation.ts';

/** Tells the time that an agent kept us waiting from the time that we took ourselves. */
export interface WaitMeter {
  /** Whole milliseconds for which the agent has kept us waiting so far. */
  readonly totalMs: number;
  /** Does what waits for the agent, and says how long that took and how much of it the agent did. */
  around<T>(work: () => Promise<T>): Promise<Waited & { readonly result: T }>;
  /** Does what its answers cost us to read, which is its time as well: it chose how long they are, and what is in them. */
  reading<T>(work: () => T): T;
}

/** How often it is looked whether this process runs at all, milliseconds. */
const TICK_MS = 100;

/**
 * Times are of the monotonic clock, so that one which is set has no say. A tick that comes late tells that this process
 * was busy, stopped or starved: nobody could hear the agent then.
 *
 * @param heldMs for how long our politeness has held requests back so far
 */
export function createWaitMeter(heldMs: () => number = () => 0): WaitMeter {
  let totalMs = 0;
  return {
    get totalMs() {
      return totalMs;
    },
    reading(work) {
      const began = performance.now();
      const result = work();
      totalMs += Math.round(performance.now() - began);
      return result;
    },
    async around(work) {
      const began = performance.now();
      const held = heldMs();
      let deafMs = 0;
      let due = began + TICK_MS;
      const tick = () => {
        const now = performance.now();
        deafMs += Math.max(0, now - due);
        due = now + TICK_MS;
      };
      const timer = setInterval(tick, TICK_MS);
      try {
        const result = await work();
        tick();
        const elapsedMs = Math.round(performance.now() - began);
        const ownMs = deafMs + heldMs() - held;
        const waitedMs = Math.max(0, Math.round(elapsedMs - ownMs));
        totalMs += waitedMs;
        return { result, elapsedMs, waitedMs };
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** The same conversation, each outcome of which says how long the agent took. */
export function withWaiting(conversation: Conversation, meter: WaitMeter): Conversation {
  return {
    ...conversation,
    async call(call) {
      const { result, ...waited } = await meter.around(() => conversation.call(call));
      return { ...result, waited };
    },
  };
}
