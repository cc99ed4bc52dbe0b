import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '../errors.ts';
import type { AgentState } from '../ports/agent-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { PURPOSES } from '../signing/profile.ts';
import { openAttempts, type Settled } from './attempt.ts';
import { createBell } from './bell.ts';
import { createLanes, originOf } from './lanes.ts';
import { openOutbox } from './outbox.ts';
import type { WebhookSigning } from './send.ts';

export interface DelivererOptions {
  readonly state: AgentState;
  /** The guarded one: nothing goes to an address that it refuses. */
  readonly fetcher: Fetcher;
  readonly signing: WebhookSigning;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. Default Math.random. */
  readonly random?: () => number;
  /** For one try, milliseconds. Default 10,000. */
  readonly tryMs?: number;
  /** Receivers (origins) that are sent to at the same time. Default 16. */
  readonly receivers?: number;
  /** Whether this http URL may be sent to: only what the operator mapped. Default: none may. */
  readonly allowHttp?: (url: URL) => boolean;
  /** Hears what each try came to. Must not throw. */
  readonly onSettled?: (settled: Settled) => void;
}

export interface Deliverer {
  /**
   * Sends whatever is due until nothing is, or the signal stops it; what is under way is then given back. Rejects
   * when the state cannot be written.
   */
  deliverDue(signal?: AbortSignal): Promise<void>;
  /**
   * Delivers until the signal: wakes for the next due time, when woken, and to look for what other processes added. A
   * fault of the state does not end it: `onFault` hears of it once, and it goes on after a pause, again and again.
   * Never rejects.
   */
  run(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void>;
  /** Something was added. */
  wake(): void;
}

/** How long `run` sleeps at most: another process may have put something there. */
const LOOK_MS = 2_000;
/** How long `run` leaves a state alone that failed. */
const FAULT_PAUSE_MS = 5_000;
/** Due ones that are looked at in one turn; more of them wait for the next. */
const SCAN = 20_000;

/**
 * Sends the webhooks of one agent, at least once each: several receivers at once, and one webhook at a time to each
 * of them. Two processes may deliver from one state: what one has taken the other leaves alone until the lease ends.
 *
 * @throws RegistryError `usage` for a key that is for something else
 */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { state, clock, random = Math.random, receivers = 16 } = options;
  const { purpose, keyid } = options.signing.key;
  if (purpose !== undefined && purpose !== PURPOSES.webhook)
    throw new RegistryError('usage', `the key ${keyid} is for ${purpose}`, {
      hint: `take a key for ${PURPOSES.webhook}`,
    });
  const outbox = openOutbox(state);
  const bell = createBell();
  const attempts = openAttempts(state, random);
  const lanes = createLanes({ ...options, attempts });

  function openLanes(signal: AbortSignal | undefined): void {
    const now = clock.now();
    const free = receivers - lanes.running().length;
    if (free <= 0 || signal?.aborted) return;
    const byOrigin = Map.groupBy(outbox.due(now, SCAN), ({ url }) => originOf(url));
    const open = [...byOrigin].filter(([origin]) => lanes.isFree(origin, now)).slice(0, free);
    for (const [origin, due] of open) lanes.open(origin, due, signal);
  }

  async function deliverDue(signal?: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const rung = bell.next();
        openLanes(signal);
        const running = lanes.running();
        if (running.length === 0) return;
        await Promise.race([...running, rung]);
      }
    } finally {
      await Promise.allSettled(lanes.running());
    }
  }

  /** One turn of `run`. */
  async function deliverAndWait(signal: AbortSignal): Promise<void> {
    const rung = bell.next();
    await deliverDue(signal);
    const now = clock.now();
    const next = outbox.nextDue() ?? Number.POSITIVE_INFINITY;
    // what is due and was not sent is for a receiver that asked for a rest
    const waitMs = Math.min(LOOK_MS, (next > now ? next : lanes.restsUntil(now)) - now);
    if (!signal.aborted && waitMs > 0) await bell.wait(rung, waitMs);
  }

  return {
    deliverDue,
    wake: bell.ring,
    async run(signal, onFault) {
      const stop = () => bell.ring();
      signal.addEventListener('abort', stop, { once: true });
      let recovered = false;
      let faulty = false;
      while (!signal.aborted) {
        try {
          if (!recovered) attempts.recover(clock.now());
          recovered = true;
          await deliverAndWait(signal);
          faulty = false;
        } catch (error) {
          if (!faulty) onFault(error);
          faulty = true;
          await delay(FAULT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
        }
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
