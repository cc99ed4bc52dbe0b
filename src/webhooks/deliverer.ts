import { pause } from '../base/back-off.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { AgentState } from '../records/sqlite/agent-state.ts';
import { PURPOSES } from '../signing/profile.ts';
import { openAttempts, type Settled } from './attempt.ts';
import { openOutbox } from './outbox.ts';
import { createReceiverVisits, originOf } from './receiver-visits.ts';
import type { WebhookSigning } from './send.ts';

/** A wake-up signal. A signal that is sent before `waitFor` reaches those who called `next` before. */
interface WakeUpSignal {
  send(): void;
  /** Resolves at the next signal. */
  next(): Promise<void>;
  /** Waits for a signal, for at most this many milliseconds. */
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
  /** Receivers (origins) with concurrent deliveries. Default 16. */
  readonly receivers?: number;
  /** Whether this http URL is allowed: only those that the operator mapped. Default: none. */
  readonly allowHttp?: (url: URL) => boolean;
  /** Called with the result of each attempt. Must not throw. */
  readonly onSettled?: (settled: Settled) => void;
}

export interface Deliverer {
  /**
   * Sends due webhooks until none is left, or until the signal; leases of running attempts are then released. Rejects
   * if the state cannot be written.
   */
  deliverDue(signal?: AbortSignal): Promise<void>;
  /**
   * Delivers until the signal: at the next due time, when woken, and every few seconds for webhooks of other processes.
   * After a fault of the state it calls `onFault` once and retries after a pause. Never rejects.
   */
  run(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void>;
  /** Something was added. */
  wake(): void;
}

/** The longest sleep of `run`: another process may have added something. */
const POLL_MS = 2_000;

/** The pause of `run` after a fault of the state. */
const FAULT_PAUSE_MS = 5_000;

/** Due webhooks that are read in one turn; the others wait for the next. */
const SCAN = 20_000;

/**
 * Sends the webhooks of one agent, at least once each: several receivers at once, and one webhook at a time to each
 * of them. Two processes may deliver from one state: a leased webhook is left alone until its lease ends.
 *
 * @throws RegistryError `usage` for a key with another purpose
 */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { state, clock, random = Math.random, receivers = 16 } = options;
  const { purpose, keyid } = options.signing.key;
  if (purpose !== undefined && purpose !== PURPOSES.webhook)
    throw new RegistryError('usage', `the key ${keyid} has the purpose ${purpose}`, {
      hint: `use a key with the purpose ${PURPOSES.webhook}`,
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
    // due webhooks that were not sent are for a receiver with a Retry-After
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
