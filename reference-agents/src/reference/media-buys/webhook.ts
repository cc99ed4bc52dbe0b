import type { MediaBuyStatus, MediaBuyWebhook } from 'agent-registry/agent-kit';
import { isoOf } from '../moments.ts';
import { renderBuy } from './render.ts';
import type { StoredMediaBuy } from './stored.ts';

interface NewWebhook {
  readonly url: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What is posted when a media buy got its present status (core/media_buy_webhook.json). The key tells repetitions. */
export function webhookOf(agentUrl: string, buy: StoredMediaBuy, previous: MediaBuyStatus): NewWebhook {
  const { url = '', token } = buy.posts ?? {};
  const payload: MediaBuyWebhook = {
    idempotency_key: `${buy.mediaBuyId}.${buy.sequence}`,
    ...(token !== undefined && { token }),
    event: 'media_buy.status_changed',
    agent_url: agentUrl,
    media_buy_id: buy.mediaBuyId,
    previous_status: previous,
    status: buy.status,
    sequence: buy.sequence,
    occurred_at: isoOf(buy.statusSince),
    media_buy: renderBuy(buy, buy.statusSince),
    ...(buy.reason !== undefined && { reason: buy.reason }),
  };
  return { url, payload: { ...payload } };
}
