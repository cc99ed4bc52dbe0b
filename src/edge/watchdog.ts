import type { Server } from 'node:http';
import type { Refusal } from './request-form.ts';

/** Looks at the event loop of this process: what computes for too long keeps everybody waiting. */
export interface Watchdog {
  /** Whether blocks took so much of the last second, and so many requests wait, that what comes now has to be sent away. */
  isOverloaded(waiting: number): boolean;
  /** The longest block of the last minute, milliseconds. */
  longestBlockMs(): number;
}

const TICK_MS = 50;
/** A block is felt from here on, milliseconds; a shorter one is work. */
const BLOCK_MS = 200;
const WINDOW_MS = 1_000;
/** Of the window. One pause of the garbage collector sends nobody away; a process that is always late does. */
const OVERLOADED_MS = 500;
/** Requests under way. Sending away helps where many wait for each other; one caller after a block is best served. */
const BACKLOG = 16;
const HALF_MINUTE_MS = 30_000;

/** What is said to whoever is sent away. */
export const OVERLOADED: Refusal = {
  status: 503,
  code: 'overloaded',
  detail: 'the registry is too busy for a moment; try again in a second',
  retryAfter: 1,
};

interface Block {
  readonly endedAt: number;
  readonly ms: number;
}

/** Measures from the moment that `server` listens until it is closed. `now` is a clock in milliseconds that never goes back. */
export function watchEventLoop(server: Server, now: () => number = () => performance.now()): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  let blocks: Block[] = [];
  let longest = { since: 0, ms: 0, before: 0 };

  const start = () => {
    longest = { since: now(), ms: 0, before: 0 };
    wait();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  server.on('listening', start);
  server.on('close', stop);

  function wait(): void {
    dueAt = now() + TICK_MS;
    timer = setTimeout(tick, TICK_MS);
    timer.unref();
  }

  function tick(): void {
    const at = now();
    const late = at - dueAt;
    if (late > BLOCK_MS) blocks.push({ endedAt: at, ms: late });
    blocks = blocks.filter(({ endedAt }) => at - endedAt < WINDOW_MS);
    if (at - longest.since > HALF_MINUTE_MS) longest = { since: at, ms: 0, before: longest.ms };
    longest.ms = Math.max(longest.ms, late);
    wait();
  }

  return {
    isOverloaded(waiting) {
      if (timer === undefined || waiting < BACKLOG) return false;
      const at = now();
      const underWay = at - dueAt > BLOCK_MS ? at - dueAt : 0;
      const lately = blocks.filter(({ endedAt }) => at - endedAt < WINDOW_MS);
      return lately.reduce((sum, { ms }) => sum + ms, underWay) >= OVERLOADED_MS;
    },
    longestBlockMs: () => Math.max(longest.ms, longest.before, 0),
  };
}
