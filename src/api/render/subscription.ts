import type { FeedView, Subscription } from '../../ports/subscriptions.ts';

/** A subscription as its member sees it. */
export function subscriptionRecord(feed: Pick<FeedView, 'cursor'>, subscription: Subscription) {
  const { id, url, types, place, attempts, lastError, deadAt, firstChangeAt, createdAt } = subscription;
  return {
    id,
    url,
    types,
    state: deadAt === undefined ? ('active' as const) : ('dead' as const),
    cursor: feed.cursor(place, firstChangeAt ?? subscription.toldAt ?? createdAt),
    attempts,
    last_error: lastError ?? null,
    first_change_at: instant(firstChangeAt),
    next_try_at: instant(subscription.dueAt),
    last_told_at: instant(subscription.toldAt),
    dead_at: instant(deadAt),
    created_at: new Date(createdAt).toISOString(),
  };
}

export type SubscriptionRecord = ReturnType<typeof subscriptionRecord>;

function instant(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
