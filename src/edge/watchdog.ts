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
/** Blocked milliseconds of the window from which requests are rejected; one pause of the garbage collector does not reach it. */
const OVERLOADED_MS = 500;
/** Requests under way. Sending away helps where many wait for each other; one caller after a block is best served. */
const BACKLOG = 16;
const HALF_MINUTE_MS = 30_000;

/** Problem detail of a rejected request. */
export const OVERLOADED: Refusal = {
  status: 503,
  code: 'overloaded',
  detail: 'the registry is overloaded; try again in a second',
  retryAfter: 1,
};

interface Block {
  readonly endedAt: number;
  readonly ms: number;
}

/** Milliseconds that never go back. */
interface Clocks {
  now(): number;
  /** CPU time of this process. */
  cpu(): number;
}

const SYSTEM: Clocks = { now: () => performance.now(), cpu: () => process.cpuUsage().user / 1_000 };

/**
 * Measures from the moment that `server` listens until it is closed. A process that others keep from the processor is late
 * too, but sending callers away would not help it: of a block, the time counts in which we computed.
 */
export function watchEventLoop(server: Server, { now, cpu }: Clocks = SYSTEM): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  let cpuAtStart = 0;
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
    cpuAtStart = cpu();
    timer = setTimeout(tick, TICK_MS);
    timer.unref();
  }

  /** What of a delay we computed ourselves. */
  function oursOf(late: number): number {
    return late > BLOCK_MS ? Math.min(late, cpu() - cpuAtStart) : 0;
  }

  function tick(): void {
    const at = now();
    const late = at - dueAt;
    const ours = oursOf(late);
    if (ours > BLOCK_MS) blocks.push({ endedAt: at, ms: ours });
    blocks = blocks.filter(({ endedAt }) => at - endedAt < WINDOW_MS);
    if (at - longest.since > HALF_MINUTE_MS) longest = { since: at, ms: 0, before: longest.ms };
    longest.ms = Math.max(longest.ms, late);
    wait();
  }

  return {
    isOverloaded(waiting) {
      if (timer === undefined || waiting < BACKLOG) return false;
      const at = now();
      const underWay = oursOf(at - dueAt);
      const lately = blocks.filter(({ endedAt }) => at - endedAt < WINDOW_MS);
      return lately.reduce((sum, { ms }) => sum + ms, underWay) >= OVERLOADED_MS;
    },
    longestBlockMs: () => Math.max(longest.ms, longest.before, 0),
  };
}
