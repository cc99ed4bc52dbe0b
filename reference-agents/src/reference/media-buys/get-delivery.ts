import type { GetMediaBuyDeliveryRequest, PaginationRequest } from '@agent-registry/surface/agent-kit';
import { findAnyAccount } from '../accounts/find-account.ts';
import { handler, refuse, type TaskCall } from '../handler.ts';
import { type Page, pageOf } from '../paging.ts';
import { type BuyerScope, buysOf, scopeOf } from './buyer-scope.ts';
import {
  type DeliveryReport,
  deliveryIn,
  type ReportPeriod,
  shownFigures,
  shownPeriod,
  shownReport,
} from './delivery-report.ts';
import { findBuy, upToDate } from './keep-buy.ts';
import { sumOfFigures } from './price.ts';
import type { StoredMediaBuy } from './stored.ts';

const DAY_MS = 86_400_000;

/** Packages on a page at most, so that an answer stays readable; a single media buy is never cut. */
const PACKAGES_ON_A_PAGE = 1_000;

export const getMediaBuyDelivery = handler('get_media_buy_delivery', {
  description:
    'Reports impressions, clicks and spend of media buys, in total and by package, optionally for a date range',
  callers: 'known',
  run: (request, call) => {
    const scope = scopeOf(call);
    const period = reportPeriod(request, scope.now);
    const reports = buysAsked(request, call, scope).map((buy) => deliveryIn(buy, period));
    const currency = oneCurrency(reports, request);
    const page = pageOfReports(reports, request.pagination);
    const shown = page.items.map(shownReport);
    return {
      ...shownFigures(sumOfFigures(reports.map(({ figures }) => figures)), currency),
      by_package: shown.flatMap(({ by_package: parts }) => parts),
      reporting_period: shownPeriod(period, reports),
      media_buys: shown,
      pagination: page.pagination,
    };
  },
});

/** Those that are named, or all of the account, or all of the caller's; each as it is now. */
function buysAsked(
  { media_buy_ids: ids, account }: GetMediaBuyDeliveryRequest,
  call: TaskCall,
  scope: BuyerScope,
): readonly StoredMediaBuy[] {
  const accountId = account === undefined ? undefined : findAnyAccount(call, account).accountId;
  const ofAccount = (buy: StoredMediaBuy) => accountId === undefined || buy.accountId === accountId;
  if (ids === undefined) {
    const mine = buysOf(scope)
      .list()
      .map(({ document }) => document);
    return mine.filter(ofAccount).map((buy) => upToDate(scope, buy));
  }
  const named = ids.map((id, index) => {
    const buy = findBuy(scope, id, `/media_buy_ids/${index}`);
    return ofAccount(buy) ? buy : notOfAccount(`/media_buy_ids/${index}`);
  });
  return [...new Map(named.map((buy) => [buy.mediaBuyId, buy])).values()];
}

function notOfAccount(pointer: string): never {
  refuse('MEDIA_BUY_NOT_FOUND', 'unknown media buy of this account', pointer);
}

/** Sums of money are in one currency; without any media buy it is the euro. */
function oneCurrency(reports: readonly DeliveryReport[], request: GetMediaBuyDeliveryRequest): string {
  const currencies = new Set(reports.map(({ buy }) => buy.currency));
  if (currencies.size > 1) {
    refuse(
      'VALIDATION_ERROR',
      'the media buys have different currencies, so their spend cannot be added',
      request.media_buy_ids === undefined ? '/account' : '/media_buy_ids',
      'request media buys of one account or currency',
    );
  }
  return [...currencies][0] ?? 'EUR';
}

/** A page is cut where its packages would become too many. */
function pageOfReports(
  reports: readonly DeliveryReport[],
  pagination: PaginationRequest | undefined,
): Page<DeliveryReport> {
  const asked = Math.min(pagination?.max_results ?? 50, 500);
  const page = pageOf(reports, { ...pagination, max_results: asked });
  let packages = 0;
  const cut = page.items.findIndex(({ parts }) => {
    packages += parts.length;
    return packages > PACKAGES_ON_A_PAGE;
  });
  return cut === -1 ? page : pageOf(reports, { ...pagination, max_results: Math.max(1, cut) });
}

/** Reads the days of a request, UTC. Refuses a last day before the first: VALIDATION_ERROR. */
function reportPeriod(
  { start_date: first, end_date: last }: { readonly start_date?: string; readonly end_date?: string },
  now: number,
): ReportPeriod {
  const from = first === undefined ? undefined : Date.parse(first);
  const end = last === undefined ? now : Date.parse(last) + DAY_MS;
  if (from !== undefined && last !== undefined && end <= from) {
    refuse('VALIDATION_ERROR', 'the last day is before the first', '/end_date');
  }
  const to = Math.min(end, now);
  return { ...(from !== undefined && { from: Math.min(from, to) }), to };
}
