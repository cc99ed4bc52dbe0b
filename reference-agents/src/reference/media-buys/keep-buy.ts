import { isDeepStrictEqual } from 'node:util';
import type { MediaBuyStatus, MediaBuyWebhook } from '@agent-registry/surface/agent-kit';
import { refuse } from '../handler.ts';
import { isoOf } from '../moments.ts';
import { echoed } from '../tell.ts';
import { businessOffset } from '../test-controller/business-clock.ts';
import { type BuyerScope, buysOf } from './buyer-scope.ts';
import { noteCommitment } from './commitments.ts';
import { noteUses } from './creative-uses.ts';
import { nextChangeAt, nextStatus, type StatusChange } from './life.ts';
import { renderBuy } from './render.ts';
import { reportDueAt, withDueReport } from './reports.ts';
import { pacedBuy } from './segments.ts';
import type { StoredMediaBuy } from './stored.ts';

const NEVER = Number.POSITIVE_INFINITY;

interface NewWebhook {
  readonly url: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The buyer's media buy as it is at this moment. Refuses MEDIA_BUY_NOT_FOUND. */
export function findBuy(scope: BuyerScope, mediaBuyId: string, pointer: string): StoredMediaBuy {
  const buy = buysOf(scope).get(mediaBuyId);
  if (buy === undefined) {
    return refuse('MEDIA_BUY_NOT_FOUND', 'unknown media buy', pointer);
  }
  return upToDate(scope, buy);
}

/** Keeps it, and when it is to be looked at again. `before` is what was kept of it until now. */
export function saveBuy(scope: BuyerScope, before: StoredMediaBuy | undefined, buy: StoredMediaBuy): void {
  noteCommitment(scope, before, buy);
  noteUses(scope, before, buy);
  const due = Math.min(nextChangeAt(buy) ?? NEVER, reportDueAt(buy) ?? NEVER);
  const offset = businessOffset(scope.agent.state, scope.owner);
  buysOf(scope).put(buy.mediaBuyId, buy, due === NEVER ? undefined : due - offset);
}

/**
 * Keeps a change that somebody made, paced anew, with all changes of status that follow from it; gives what is kept,
 * `before` itself when nothing has changed. One change is one revision, whether or not the status follows.
 */
export function keepChanged(
  scope: BuyerScope,
  before: StoredMediaBuy,
  after: StoredMediaBuy,
): StoredMediaBuy {
  const next = pacedBuy(after, scope.now);
  if (isDeepStrictEqual(next, before)) return before;
  const moved = withDueChanges(scope, { ...next, updatedAt: scope.now });
  const kept = moved.revision > before.revision ? moved : { ...moved, revision: before.revision + 1 };
  saveBuy(scope, before, kept);
  return kept;
}

/** Makes every change that time has brought since somebody last looked, and keeps it. */
export function upToDate(scope: BuyerScope, buy: StoredMediaBuy): StoredMediaBuy {
  const current = withDueChanges(scope, buy);
  if (current !== buy) saveBuy(scope, buy, current);
  return current;
}

/** The buy after all changes of status that are due, one after the other, each with its webhook, and after the report that is due. */
export function withDueChanges(scope: BuyerScope, buy: StoredMediaBuy): StoredMediaBuy {
  let current = buy;
  for (let change = nextStatus(current, scope.now); change !== undefined; ) {
    current = withStatus(scope, current, change);
    change = nextStatus(current, scope.now);
  }
  return withDueReport(scope, current);
}

/** The buy in another status, paced anew from that moment on; its webhook is on the way. */
export function withStatus(scope: BuyerScope, buy: StoredMediaBuy, change: StatusChange): StoredMediaBuy {
  const { status, at, reason } = change;
  const moved = {
    ...buy,
    status,
    statusSince: at,
    updatedAt: Math.max(buy.updatedAt, at),
    revision: buy.revision + 1,
    ...(reason !== undefined && { reason }),
  };
  const current = pacedBuy(moved, at);
  if (current.posts === undefined) return current;
  const told = { ...current, sequence: current.sequence + 1 };
  scope.agent.webhooks.add(webhookOf(scope.agent.spec.url, told, buy.status));
  return told;
}

/** What is posted when a media buy got its present status (core/media_buy_webhook.json). The key tells repetitions. */
function webhookOf(agentUrl: string, buy: StoredMediaBuy, previous: MediaBuyStatus): NewWebhook {
  const { url = '', authentication } = buy.posts ?? {};
  const payload: MediaBuyWebhook = {
    idempotency_key: `${buy.mediaBuyId}.${buy.sequence}`,
    ...echoed(buy.posts ?? {}),
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
  return { url, payload: { ...payload }, ...(authentication !== undefined && { authentication }) };
}
