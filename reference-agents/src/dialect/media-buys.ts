import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import { buysOf, scopeOf } from '../reference/media-buys/buyer-scope.ts';
import { METRICS } from '../reference/media-buys/reports.ts';
import type { StoredMediaBuy, StoredPackage } from '../reference/media-buys/stored.ts';
import { withAccount } from './accounts.ts';
import { objects, type Talk, type TaskDialect, withItems, without } from './wire.ts';

/** How soon a flight begins that begins as soon as it can. */
const SOON_MS = 60_000;

export const mediaBuyDialect: Readonly<Record<string, TaskDialect>> = {
  create_media_buy: { request: publicOrder, answer: publicBuy },
  update_media_buy: { request: publicOrder, answer: updatedBuy },
  get_media_buy_delivery: { answer: deliveryAnswer },
};

function publicOrder(request: JsonObject, talk: Talk): JsonObject {
  const { account, brand, start_time: start } = request;
  const ofAccount = isObject(account) ? account.brand : undefined;
  return {
    ...request,
    ...(brand === undefined && ofAccount !== undefined && { brand: ofAccount }),
    ...(start === 'asap' && { start_time: new Date(talk.now + SOON_MS).toISOString() }),
  };
}

/** What may still be done with it, by its status. */
const CHANGES = [
  'cancel',
  'update_budget',
  'update_dates',
  'update_packages',
  'add_packages',
  'sync_creatives',
];
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  active: ['pause', ...CHANGES],
  paused: ['resume', ...CHANGES],
};

/** A media buy as it is told there. */
export function publicBuy(
  { notifications, ...buy }: JsonObject,
  _request: JsonObject,
  talk: Talk,
): JsonObject {
  const { status, created_at: createdAt } = buy;
  const open = status === 'pending_creatives' || status === 'pending_start';
  return {
    ...withAccount(buy, talk),
    ...publicTotal(buy),
    confirmed_at: createdAt,
    valid_actions: ACTIONS[open ? 'active' : String(status)] ?? [],
    // a member that the public protocol does not know
    ...(notifications !== undefined && { ext: { 'agent-registry': { notifications } } }),
  };
}

/** The total is an amount beside its currency there. */
export function publicTotal({ total_budget: total }: JsonObject): JsonObject {
  return isObject(total) ? { total_budget: total.amount, currency: total.currency } : {};
}

/** The packages that changed are told whole. */
function updatedBuy(buy: JsonObject, request: JsonObject, talk: Talk): JsonObject {
  const { affected_packages: affected } = buy;
  const ids: readonly unknown[] = Array.isArray(affected) ? affected : [];
  const changed = objects(buy.packages).filter(({ package_id: id }) => ids.includes(id));
  return {
    ...publicBuy(buy, request, talk),
    ...(affected !== undefined && { affected_packages: changed }),
    implementation_date: buy.updated_at,
  };
}

function deliveryAnswer(answer: JsonObject, _request: JsonObject, talk: Talk): JsonObject {
  const spend = isObject(answer.spend) ? answer.spend : {};
  const buys = objects(answer.media_buys);
  return {
    ...answer,
    currency: spend.currency,
    aggregated_totals: {
      impressions: answer.impressions,
      clicks: answer.clicks,
      spend: spend.amount,
      media_buy_count: buys.length,
    },
    media_buy_deliveries: buys.map((buy) =>
      publicDelivery(buy, pricesOf(mediaBuyOf(talk, buy.media_buy_id)?.packages ?? [])),
    ),
  };
}

/** A report that a seller posts by itself: what was asked for of it, and the prices of the packages by their ids. */
export function publicReport({ requested_metrics: metrics, prices, ...report }: JsonObject): JsonObject {
  const left = Array.isArray(metrics) ? METRICS.filter((one) => !metrics.includes(one)) : [];
  const unasked = left.filter((one) => one !== 'impressions' && one !== 'spend');
  const shown = (delivery: JsonObject) =>
    withItems(
      { ...delivery, totals: without(isObject(delivery.totals) ? delivery.totals : {}, ...unasked) },
      'by_package',
      (part) => without(part, ...unasked),
    );
  const { notification_type, sequence_number, next_expected_at, reporting_period, currency } = report;
  return {
    ...{ notification_type, sequence_number, next_expected_at, reporting_period, currency },
    media_buy_deliveries: objects(report.media_buys).map((buy) =>
      shown(publicDelivery(buy, isObject(prices) ? prices : {})),
    ),
  };
}

function pricesOf(packages: readonly StoredPackage[]): JsonObject {
  return Object.fromEntries(packages.map(({ packageId, price }) => [packageId, price]));
}

function publicDelivery(buy: JsonObject, prices: JsonObject): JsonObject {
  return withItems(
    {
      media_buy_id: buy.media_buy_id,
      status: buy.status,
      totals: { impressions: buy.impressions, clicks: buy.clicks, spend: amountOf(buy.spend) },
      by_package: buy.by_package,
    },
    'by_package',
    (part) => {
      const price = prices[String(part.package_id)];
      return {
        ...without(part, 'spend', 'media_buy_id'),
        spend: amountOf(part.spend),
        currency: isObject(part.spend) ? part.spend.currency : undefined,
        ...(isObject(price)
          ? { pricing_model: price.model, rate: price.price }
          : { pricing_model: 'cpm', rate: 0 }),
      };
    },
  );
}

function amountOf(money: unknown): unknown {
  return isObject(money) ? money.amount : 0;
}

/** A media buy of the caller as it is kept; undefined when it is not there. */
function mediaBuyOf({ agent, caller, now }: Talk, id: unknown): StoredMediaBuy | undefined {
  return typeof id === 'string' ? buysOf(scopeOf({ agent, caller, now })).get(id) : undefined;
}
