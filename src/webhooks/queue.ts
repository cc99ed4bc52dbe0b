import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { AgentState } from '../records/sqlite/agent-state.ts';
import { type Delivery, type SharedSecret, subjectOf, type WebhookPayload } from './delivery.ts';
import { openOutbox } from './outbox.ts';

export interface WebhookQueueOptions {
  readonly clock: Clock;
  /** Called after something was added or replayed, when its transaction has ended: wake the deliverer. */
  readonly onAdded?: () => void;
}

export interface NewWebhook {
  readonly url: string;
  /** Must have an `idempotency_key`: it may be delivered more than once. */
  readonly payload: WebhookPayload;
  /** Default: it is signed. */
  readonly authentication?: SharedSecret | undefined;
}

/** The webhooks of one agent: pending, delivered and failed. */
export interface WebhookQueue {
  /**
   * Call it inside the transaction of the change that it reports: both are stored or neither. The URL is checked when it
   * is sent. Throws a RegistryError `internal` for a payload without an idempotency key.
   */
  add(webhook: NewWebhook): void;
  /** All of them, in the order in which they were added. */
  list(): readonly Delivery[];
  /** Those that were stopped and those that ended with a 410. */
  deadLetters(): readonly Delivery[];
  /** Queues dead letters again, with all attempts. Throws a RegistryError `not_found` for an unknown id. */
  replay(which: string | 'all'): readonly Delivery[];
}

const COUNTER = 'webhook_counter';

export function createWebhookQueue(state: AgentState, { clock, onAdded }: WebhookQueueOptions): WebhookQueue {
  const outbox = openOutbox(state);
  const counter = state.collection<number>(COUNTER);
  // a transaction is synchronous, so it has ended when the next microtask runs
  const wake = () => queueMicrotask(() => onAdded?.());

  function nextId(): string {
    const count = (counter.get('last') ?? 0) + 1;
    counter.put('last', count);
    return `wh-${String(count).padStart(12, '0')}`;
  }

  /** Behind those of its partition that were added earlier; those added later wait for it. */
  function enqueue(delivery: Delivery, now: number): Delivery {
    outbox.put(delivery);
    if (outbox.head(delivery)?.id !== delivery.id) return delivery;
    const first = { ...delivery, dueAt: now };
    outbox.put(first);
    return first;
  }

  function revive(letter: Delivery, now: number): Delivery {
    outbox.removeDead(letter.id);
    const { finishedAt: _finished, refusals: _refusals, ...rest } = letter;
    const replays = letter.replays + 1;
    return enqueue({ ...rest, state: 'pending', attempts: 0, replays, since: now }, now);
  }

  return {
    add(webhook) {
      if (typeof webhook.payload.idempotency_key !== 'string')
        throw new RegistryError('internal', 'a webhook has no idempotency_key', {
          hint: 'set a unique idempotency_key before you add the webhook',
        });
      const now = clock.now();
      state.transaction(() => enqueue(newDelivery(nextId(), webhook, now), now));
      wake();
    },
    list: () =>
      [...outbox.delivered(), ...outbox.dead(), ...outbox.pending()].toSorted((one, other) =>
        one.id < other.id ? -1 : 1,
      ),
    deadLetters: () => outbox.dead(),
    replay(which) {
      const now = clock.now();
      const revived = state.transaction(() => lettersOf(which).map((letter) => revive(letter, now)));
      wake();
      return revived;
    },
  };

  function lettersOf(which: string): readonly Delivery[] {
    if (which === 'all') return outbox.dead();
    const letter = outbox.deadLetter(which);
    if (letter !== undefined) return [letter];
    throw new RegistryError('not_found', `unknown dead letter ${which.slice(0, 100)}`, {
      hint: 'list them with `agent-registry webhooks dead`',
    });
  }
}

function newDelivery(id: string, { url, payload, authentication }: NewWebhook, now: number): Delivery {
  return {
    id,
    url,
    subject: subjectOf(payload),
    body: JSON.stringify(payload),
    ...(authentication !== undefined && { authentication }),
    state: 'pending',
    addedAt: now,
    since: now,
    attempts: 0,
    replays: 0,
    fence: 0,
  };
}
