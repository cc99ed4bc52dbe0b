import { pause } from '../base/back-off.ts';
import { RegistryError } from '../errors.ts';
import type { AgentState } from '../ports/agent-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { PURPOSES } from '../signing/profile.ts';
import { openAttempts, type Settled } from './attempt.ts';
import { openOutbox } from './outbox.ts';
import { createReceiverVisits, originOf } from './receiver-visits.ts';
import type { WebhookSigning } from './send.ts';

/** Wakes whoever waits. A signal while nobody waits reaches those who asked for `next` before. */
interface WakeUpSignal {
  send(): void;
  /** Resolves at the next signal. */
  next(): Promise<void>;
  /** Waits for a signal, but no longer than so many milliseconds. */
  waitFor(woken: Promise<void>, ms: number): Promise<void>;
}

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
const POLL_MS = 2_000;

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
  const wakeUp = createWakeUpSignal();
  const attempts = openAttempts(state, random);
  const visits = createReceiverVisits({ ...options, attempts });

  function startVisits(signal: AbortSignal | undefined): void {
    const now = clock.now();
    const free = receivers - visits.running().length;
    if (free <= 0 || signal?.aborted) return;
    const byOrigin = Map.groupBy(outbox.due(now, SCAN), ({ url }) => originOf(url));
    const open = [...byOrigin].filter(([origin]) => visits.isFree(origin, now)).slice(0, free);
    for (const [origin, due] of open) visits.open(origin, due, signal);
  }

  async function deliverDue(signal?: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const woken = wakeUp.next();
        startVisits(signal);
        const running = visits.running();
        if (running.length === 0) return;
        await Promise.race([...running, woken]);
      }
    } finally {
      await Promise.allSettled(visits.running());
    }
  }

  /** One turn of `run`. */
  async function deliverAndWait(signal: AbortSignal): Promise<void> {
    const woken = wakeUp.next();
    await deliverDue(signal);
    const now = clock.now();
    const next = outbox.nextDue() ?? Number.POSITIVE_INFINITY;
    // what is due and was not sent is for a receiver that asked for a rest
    const waitMs = Math.min(POLL_MS, (next > now ? next : visits.restsUntil(now)) - now);
    if (!signal.aborted && waitMs > 0) await wakeUp.waitFor(woken, waitMs);
  }

  return {
    deliverDue,
    wake: wakeUp.send,
    async run(signal, onFault) {
      const stop = () => wakeUp.send();
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
          await pause(FAULT_PAUSE_MS, signal);
        }
      }
      signal.removeEventListener('abort', stop);
    },
  };
}

function createWakeUpSignal(): WakeUpSignal {
  let current = Promise.withResolvers<void>();
  return {
    send() {
      current.resolve();
      current = Promise.withResolvers<void>();
    },
    next: () => current.promise,
    async waitFor(woken, ms) {
      const ended = new AbortController();
      await Promise.race([woken, pause(ms, ended.signal)]);
      ended.abort();
    },
  };
}
