import { hash } from 'node:crypto';
import type { AgentState } from '../ports/agent-state.ts';
import { subjectOf, type WebhookPayload } from './delivery.ts';

/** A webhook that arrived, as it is kept. Times are epoch milliseconds. */
export interface ReceivedWebhook {
  /** The URL of the agent that sent it; `key` and the key's id where neither webhook nor receiver names one. */
  readonly sender: string;
  /** The key that signed it. */
  readonly keyid: string;
  readonly receivedAt: number;
  /** Whether one that the sender numbers later had arrived before. */
  readonly outOfOrder: boolean;
  readonly payload: WebhookPayload;
}

export interface Arrival {
  /** As it was the first time. */
  readonly webhook: ReceivedWebhook;
  /** It had arrived before; nothing was changed. */
  readonly duplicate: boolean;
}

/** The webhooks that arrived, each once. */
export interface Inbox {
  /** Keeps a webhook, on the disk when it returns; recognises one of the same sender and idempotency key. */
  take(sender: string, keyid: string, payload: WebhookPayload, now: number): Arrival;
  /** All that are kept, those that arrived first before the others. */
  list(): readonly ReceivedWebhook[];
}

/**
 * How long a repetition is recognised: longer than a sender of ours keeps its dead letters, which it may send again.
 * Beyond the number the oldest are forgotten.
 */
export const INBOX_KEPT = { ms: 35 * 86_400_000, atMost: 10_000 } as const;

const RECEIVED = 'webhook_inbox';
const SUBJECTS = 'webhook_subjects';
const PRUNED_AT_ONCE = 100;
const ALL = Number.MAX_SAFE_INTEGER;

export function openInbox(state: AgentState): Inbox {
  const received = state.collection<ReceivedWebhook>(RECEIVED);
  const subjects = state.collection<number>(SUBJECTS);

  function prune(now: number): void {
    for (const { key } of state.due(SUBJECTS, now, PRUNED_AT_ONCE)) subjects.delete(key);
    for (const { key } of state.due(RECEIVED, now, PRUNED_AT_ONCE)) received.delete(key);
    const excess = received.count() - INBOX_KEPT.atMost;
    if (excess > 0) for (const { key } of state.due(RECEIVED, ALL, excess)) received.delete(key);
  }

  /** Whether a later one of its subject is known; remembers the latest. */
  function isLate(sender: string, payload: WebhookPayload, now: number): boolean {
    const { sequence } = payload;
    if (typeof sequence !== 'number') return false;
    const key = keyOf(sender, subjectOf(payload));
    const highest = subjects.get(key) ?? 0;
    subjects.put(key, Math.max(highest, sequence), now + INBOX_KEPT.ms);
    return sequence <= highest;
  }

  return {
    take: (sender, keyid, payload, now) =>
      state.transaction(() => {
        const key = keyOf(sender, String(payload.idempotency_key));
        const known = received.get(key);
        if (known !== undefined) return { webhook: known, duplicate: true };
        const outOfOrder = isLate(sender, payload, now);
        const webhook: ReceivedWebhook = { sender, keyid, receivedAt: now, outOfOrder, payload };
        received.put(key, webhook, now + INBOX_KEPT.ms);
        prune(now);
        return { webhook, duplicate: false };
      }),
    list: () => state.due<ReceivedWebhook>(RECEIVED, ALL, ALL).map(({ document }) => document),
  };
}

/** One key of two texts, whatever is in them. */
function keyOf(sender: string, text: string): string {
  return hash('sha256', JSON.stringify([sender, text]), 'base64url');
}
