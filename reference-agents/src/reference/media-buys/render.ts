import type { MediaBuy, MediaBuyStatus, Package } from '@agent-registry/surface/agent-kit';
import { isoOf } from '../moments.ts';
import { isFinal } from './life.ts';
import { amountOf, moneyOf } from './money.ts';
import { isReady } from './segments.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';

/** A media buy as its buyer sees it at a moment of its business time (core/media_buy.json). */
export function renderBuy(buy: StoredMediaBuy, now: number): MediaBuy {
  return {
    media_buy_id: buy.mediaBuyId,
    account: buy.account,
    brand: buy.brand,
    status: buy.status,
    start_time: isoOf(buy.startsAt),
    end_time: isoOf(buy.endsAt),
    total_budget: moneyOf(totalOf(buy.packages), buy.currency),
    packages: buy.packages.map((part) => renderPackage(part, buy, now)),
    revision: buy.revision,
    created_at: isoOf(buy.createdAt),
    updated_at: isoOf(buy.updatedAt),
    creative_deadline: isoOf(Math.max(buy.startsAt, buy.createdAt)),
    ...reasonOf(buy),
  };
}

/** The budgets of all packages that are not canceled, in hundredths. */
export function totalOf(packages: readonly StoredPackage[]): number {
  return packages.reduce((sum, part) => (part.canceled ? sum : sum + part.budget), 0);
}

function reasonOf({ status, reason }: StoredMediaBuy): Partial<MediaBuy> {
  if (reason === undefined) return {};
  return status === 'rejected' ? { rejection_reason: reason } : { cancellation_reason: reason };
}

function renderPackage(part: StoredPackage, buy: StoredMediaBuy, now: number): Package {
  return {
    package_id: part.packageId,
    product_id: part.productId,
    budget: amountOf(part.budget),
    pricing_option_id: part.pricingOptionId,
    status: packageStatus(part, buy, now),
    paused: part.paused,
    start_time: isoOf(part.startsAt ?? buy.startsAt),
    end_time: isoOf(part.endsAt ?? buy.endsAt),
    creative_assignments: part.assignments.map(({ creativeId, weight }) => ({
      creative_id: creativeId,
      ...(weight !== undefined && { weight }),
    })),
    ...(!isReady(part) && { format_ids: part.formats }),
    ...(part.forecast !== undefined && { forecast: part.forecast }),
    pacing_index: part.pace,
  };
}

/** A package stands as its buy does, unless something of its own holds it, has not begun or is over. */
function packageStatus(part: StoredPackage, buy: StoredMediaBuy, now: number): MediaBuyStatus {
  if (part.canceled) return 'canceled';
  if (isFinal(buy.status) || buy.status === 'paused') return buy.status;
  if (part.paused) return 'paused';
  if (buy.creativesWaived !== true && !isReady(part)) return 'pending_creatives';
  if (buy.status !== 'active' || now < (part.startsAt ?? buy.startsAt)) return 'pending_start';
  return now >= (part.endsAt ?? buy.endsAt) ? 'completed' : 'active';
}
