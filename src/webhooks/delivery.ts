import { member } from '../base/json.ts';

/** A webhook for one receiver. Times are epoch milliseconds. */
export interface Delivery {
  /** Counts up in the order in which webhooks were added: `wh-000000000042`. */
  readonly id: string;
  readonly url: string;
  /** What it is about; see `subjectOf`. */
  readonly subject: string;
  /** The JSON text of the payload, fixed when it was added: every attempt sends these bytes, with its own signature. */
  readonly body: string;
  /** Absent: it is signed. */
  readonly authentication?: SharedSecret;
  readonly state: DeliveryState;
  readonly addedAt: number;
  /** When its current series of attempts began: when it was added, or replayed. */
  readonly since: number;
  /** In the current series; counted before the request is sent, so those of a killed process count too. */
  readonly attempts: number;
  /** Those of them that the receiver refused; absent for none. */
  readonly refusals?: number;
  /** How often it was replayed from the dead letters. */
  readonly replays: number;
  readonly firstAttemptAt?: number;
  readonly lastAttemptAt?: number;
  readonly lastStatus?: number;
  /** Why the last attempt failed, or why it is dead. */
  readonly lastError?: string;
  /** Time of the next attempt; absent while an earlier one about the same subject is not settled. */
  readonly dueAt?: number;
  /** End of the lease, while it is being sent. */
  readonly takenUntil?: number;
  /** The process that holds the lease (src/this-process.ts). */
  readonly takenBy?: string;
  /** The number of the lease: results of earlier leases are refused. */
  readonly fence: number;
  readonly finishedAt?: number;
}

/** The older authentication of the public protocol, which a receiver may request instead of a signature (push-notification-config). */
export interface SharedSecret {
  /** One: `Bearer` or `HMAC-SHA256`. */
  readonly schemes: readonly string[];
  readonly credentials: string;
}

/** `dead`: stopped, with the reason; `ended`: the receiver answered 410. Both can be replayed. */
const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'ended'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type WebhookPayload = Readonly<Record<string, unknown>>;

/**
 * The subject of a payload: its media buy, account, activation or acquisition of rights, else its task or subscription.
 * Webhooks about one subject to one URL are delivered in order; those without a subject do not wait for others.
 */
export function subjectOf(payload: WebhookPayload): string {
  for (const [name, id] of idsIn(payload)) if (typeof id === 'string') return `${name} ${id}`;
  return `webhook ${String(payload.idempotency_key)}`;
}

function idsIn(payload: WebhookPayload): readonly (readonly [string, unknown])[] {
  return [
    ['media_buy', payload.media_buy_id ?? member(payload.result, 'media_buy_id')],
    ['account', member(payload.account, 'account_id')],
    ['activation', member(payload.activation, 'activation_key')],
    ['acquisition', member(payload.acquisition, 'acquisition_id')],
    ['task', payload.task_id],
    ['subscription', payload.subscription_id],
  ];
}

/** Deliveries with the same URL and subject are sent in order. */
export function partitionOf({ url, subject }: Pick<Delivery, 'url' | 'subject'>): string {
  return `${url}\n${subject}`;
}
