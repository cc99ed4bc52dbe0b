import { member } from '../base/json.ts';

/** A webhook on its way to one receiver. Times are epoch milliseconds. */
export interface Delivery {
  /** Counts up in the order in which webhooks were added: `wh-000000000042`. */
  readonly id: string;
  readonly url: string;
  /** What it is about; see `subjectOf`. */
  readonly subject: string;
  /** The JSON text of the payload, fixed when it was added: every try sends these bytes, with a signature of its own. */
  readonly body: string;
  /** Absent: it is signed. */
  readonly authentication?: SharedSecret;
  readonly state: DeliveryState;
  readonly addedAt: number;
  /** When its present round of tries began: when it was added, or replayed. */
  readonly since: number;
  /** Of the present round; counted before the request goes out, so that those of a killed process count too. */
  readonly attempts: number;
  /** Those of them that the receiver refused; absent for none. */
  readonly refusals?: number;
  /** How often it was taken out of the dead letters. */
  readonly replays: number;
  readonly firstAttemptAt?: number;
  readonly lastAttemptAt?: number;
  readonly lastStatus?: number;
  /** Why the last try failed, or why it is dead. */
  readonly lastError?: string;
  /** When it is tried next; absent while an earlier one about the same subject has not been settled. */
  readonly dueAt?: number;
  /** Set while it is being sent: nobody else takes it before. */
  readonly takenUntil?: number;
  /** The process that has taken it (src/this-process.ts). */
  readonly takenBy?: string;
  /** Counts the takings, so that whoever comes back late is known. */
  readonly fence: number;
  readonly finishedAt?: number;
}

/** The older way of the public protocol, which a receiver asks for in place of a signature (its push-notification-config). */
export interface SharedSecret {
  /** One: `Bearer` or `HMAC-SHA256`. */
  readonly schemes: readonly string[];
  readonly credentials: string;
}

/** `dead`: given up, with the reason; `ended`: the receiver answered 410. Both can be replayed. */
const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'ended'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type WebhookPayload = Readonly<Record<string, unknown>>;

/**
 * What a payload is about: its media buy, account, activation or acquisition of rights, else its task or subscription. Webhooks about one subject to
 * one URL arrive in the order in which they were added; those about nothing in particular wait for nobody.
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

/** Whom deliveries wait for each other with: same URL, same subject. */
export function partitionOf({ url, subject }: Pick<Delivery, 'url' | 'subject'>): string {
  return `${url}\n${subject}`;
}
