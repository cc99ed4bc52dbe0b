import type { GetMediaBuyDeliveryResponse, PackageDelivery } from '@agent-registry/surface/agent-kit';
import { isoOf } from '../moments.ts';
import { moneyOf } from './money.ts';
import { type Figures, NO_FIGURES, since, sumOfFigures } from './price.ts';
import { figuresAt } from './segments.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';

/** The stretch that a report is about, epoch milliseconds: from the start of its first day to the end of its last, or to now. */
export interface ReportPeriod {
  /** Undefined: from the beginning. */
  readonly from?: number;
  readonly to: number;
}

/** What a media buy delivered in a period. */
export interface DeliveryReport {
  readonly buy: StoredMediaBuy;
  readonly figures: Figures;
  readonly parts: readonly { readonly part: StoredPackage; readonly figures: Figures }[];
}

export function deliveryIn(buy: StoredMediaBuy, { from, to }: ReportPeriod): DeliveryReport {
  const parts = buy.packages.map((part) => ({
    part,
    figures: since(from === undefined ? NO_FIGURES : figuresAt(part, from), figuresAt(part, to)),
  }));
  return { buy, parts, figures: sumOfFigures(parts.map(({ figures }) => figures)) };
}

/** A report as its buyer sees it. */
export function shownReport({ buy, parts, figures }: DeliveryReport) {
  return {
    media_buy_id: buy.mediaBuyId,
    status: buy.status,
    ...shownFigures(figures, buy.currency),
    by_package: parts.map(({ part, figures: own }) => shownPackage(buy, part, own)),
  };
}

function shownPackage(buy: StoredMediaBuy, part: StoredPackage, figures: Figures): PackageDelivery {
  const { impressions, completions } = figures;
  const plays = part.rates.completion > 0 || completions > 0;
  return {
    package_id: part.packageId,
    product_id: part.productId,
    media_buy_id: buy.mediaBuyId,
    ...shownFigures(figures, buy.currency),
    ...(plays && impressions > 0 && { completion_rate: rounded(completions / impressions) }),
    pacing_index: part.pace,
  };
}

function rounded(share: number): number {
  return Math.round(Math.min(1, share) * 10_000) / 10_000;
}

export function shownFigures({ impressions, clicks, cents }: Figures, currency: string) {
  return { impressions, clicks, spend: moneyOf(cents, currency) };
}

/** The period of reports; one from the beginning starts with the first flight. */
export function shownPeriod(
  { from, to }: ReportPeriod,
  reports: readonly DeliveryReport[],
): NonNullable<GetMediaBuyDeliveryResponse['reporting_period']> {
  const first = reports.reduce((least, { buy }) => Math.min(least, buy.startsAt), to);
  return { start: isoOf(from ?? first), end: isoOf(to) };
}
