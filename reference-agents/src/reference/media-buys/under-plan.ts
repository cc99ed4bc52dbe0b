import type { Money, UpdateMediaBuyRequest } from '@agent-registry/surface/agent-kit';
import { commitmentOf } from './commitments.ts';
import { moneyOf } from './money.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';

/**
 * Whether a change needs a governance approval, and for how much. Joining a plan does, for all of the money. Under a
 * plan everything does that was not judged with the order: more money, money that moves to another package, dates
 * outside of those there were, packages and creatives that come along, another address for webhooks. What only takes
 * away does not: less money, a shorter flight, a pause and its end, a cancellation.
 */
export function approvedPart(
  request: UpdateMediaBuyRequest,
  before: StoredMediaBuy,
  after: StoredMediaBuy,
  now: number,
): { readonly needed: boolean; readonly cost: Money } {
  const joins = before.planId === undefined && after.planId !== undefined;
  const cents = joins ? commitmentOf(after, now) : Math.max(0, riseOf(before, after, now));
  const more = cents > 0 || widens(before, after) || bringsAddresses(request, before, after);
  return { needed: joins || (after.planId !== undefined && more), cost: moneyOf(cents, after.currency) };
}

/**
 * By how much a change raises what can be spent in all, in hundredths: what a canceled package has spent counts too,
 * so that its budget cannot be moved to another one as if nothing of it were gone.
 */
export function riseOf(before: StoredMediaBuy, after: StoredMediaBuy, now: number): number {
  return commitmentOf(after, now) - commitmentOf(before, now);
}

function widens(before: StoredMediaBuy, after: StoredMediaBuy): boolean {
  if (after.startsAt < before.startsAt || after.endsAt > before.endsAt) return true;
  return after.packages.some((part, index) => {
    const earlier = before.packages[index];
    return earlier === undefined || part.budget > earlier.budget || runsLonger(before, earlier, after, part);
  });
}

function runsLonger(
  before: StoredMediaBuy,
  earlier: StoredPackage,
  after: StoredMediaBuy,
  part: StoredPackage,
): boolean {
  return (
    (part.startsAt ?? after.startsAt) < (earlier.startsAt ?? before.startsAt) ||
    (part.endsAt ?? after.endsAt) > (earlier.endsAt ?? before.endsAt)
  );
}

/** A plan may have a say in every address of a payload: those of creatives, and where webhooks go. */
function bringsAddresses(
  { packages = [] }: UpdateMediaBuyRequest,
  before: StoredMediaBuy,
  after: StoredMediaBuy,
): boolean {
  const creatives = packages.some((part) => (part.creatives ?? []).length > 0);
  const elsewhere =
    before.posts?.url !== after.posts?.url || before.reports?.posts.url !== after.reports?.posts.url;
  return creatives || elsewhere;
}
