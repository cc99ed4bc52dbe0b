import { hash } from 'node:crypto';
import type { AgentState } from '../records/sqlite/agent-state.ts';
import { subjectOf, type WebhookPayload } from './delivery.ts';

/** A received webhook, as stored. Times are epoch milliseconds. */
export interface ReceivedWebhook {
  /** The URL of the agent that sent it; `key` and the key's id if neither webhook nor receiver names one. */
  readonly sender: string;
  /** The key that signed it. */
  readonly keyid: string;
  readonly receivedAt: number;
  /** Whether one with a higher sequence number had arrived before. */
  readonly outOfOrder: boolean;
  readonly payload: WebhookPayload;
}

export interface Arrival {
  /** As first received. */
  readonly webhook: ReceivedWebhook;
  /** It was received before; nothing was changed. */
  readonly duplicate: boolean;
}

/** The received webhooks, each once. */
export interface Inbox {
  /** Stores a webhook durably; recognises one with the same sender and idempotency key. */
  take(sender: string, keyid: string, payload: WebhookPayload, now: number): Arrival;
  /** All stored webhooks, oldest first. */
  list(): readonly ReceivedWebhook[];
}

/**
 * How long a duplicate is recognised: longer than a sender keeps its dead letters, which it may replay. Beyond the number
 * the oldest are deleted.
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

  /** Whether a later one of its subject is known; stores the latest. */
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

/** One key of two arbitrary texts. */
function keyOf(sender: string, text: string): string {
  return hash('sha256', JSON.stringify([sender, text]), 'base64url');
}
