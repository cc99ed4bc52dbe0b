import type { Forecast, PricingOption } from '@agent-registry/surface/agent-kit';
import type { CatalogueProduct } from './catalogue-product.ts';
import { inCurrency } from './currencies.ts';

/** From when to when, epoch milliseconds. */
export interface ForecastFlight {
  readonly start: number;
  readonly end: number;
}

/** Days of a flight that nobody named. */
export const USUAL_DAYS = 28;

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

type Traits = Pick<CatalogueProduct, 'dailyImpressions' | 'clickRate' | 'completionRate' | 'delivery_type'>;

/** How many impressions a unit of the pricing model is: a thousand, a click, a completed play, a week of everything. */
function impressionsOfUnit(product: Traits, { model }: PricingOption): number {
  if (model === 'cpm' || model === 'vcpm') return 1_000;
  if (model === 'cpc') return 1 / product.clickRate;
  if (model === 'cpcv' || model === 'cpv') return 1 / (product.completionRate ?? 1);
  return product.dailyImpressions * WEEK_DAYS;
}

/** Impressions that a budget (in the option's currency) pays for, if there are as many; the whole stock when it is free. */
export function impressionsFor(product: Traits, budget: number, option: PricingOption, days: number): number {
  const stock = product.dailyImpressions * days;
  if (option.price <= 0) return stock;
  return Math.min((budget / option.price) * impressionsOfUnit(product, option), stock);
}

/** What a thousand impressions come to in euros, whatever is paid for. */
export function effectiveCpm(product: Traits, option: PricingOption): number {
  const price = inCurrency(option.price, option.currency, 'EUR');
  return (price * 1_000) / impressionsOfUnit(product, option);
}

/** Days of a flight, at least one. */
function daysOf({ start, end }: ForecastFlight): number {
  return Math.max((end - start) / DAY_MS, 1);
}

/**
 * What a budget (in the option's currency) is expected to bring in a flight. More budget never means less; beyond the
 * product's stock it means no more. What is guaranteed varies little.
 */
export function forecastFor(
  product: Traits,
  budget: number,
  option: PricingOption,
  flight: ForecastFlight | { readonly days: number } = { days: USUAL_DAYS },
): Forecast {
  const days = 'days' in flight ? flight.days : daysOf(flight);
  const expected = impressionsFor(product, budget, option, days);
  const full = expected >= product.dailyImpressions * days;
  const [low, high] = product.delivery_type === 'guaranteed' ? [1, 1.05] : [0.8, 1.15];
  const stock = product.dailyImpressions * days;
  const range = { min: whole(expected * low), max: whole(Math.min(expected * high, stock)) };
  const used = option.price <= 0 ? 0 : (expected / impressionsOfUnit(product, option)) * option.price;
  return {
    impressions: range,
    clicks: {
      min: whole(range.min * product.clickRate),
      max: whole(range.max * product.clickRate),
    },
    spend: { min: cents(used * low), max: cents(Math.min(used * high, budget)) },
    basis: `${budget} ${option.currency} by ${option.model} in ${round(days)} days${full ? '; it takes all there is' : ''}`,
  };
}

/** What the product can bring when no budget is named: from its least spend to all of its stock. */
export function openForecast(product: CatalogueProduct, option: PricingOption, days: number): Forecast {
  const stock = product.dailyImpressions * days;
  const least = impressionsFor(product, option.min_spend ?? 0, option, days);
  return {
    impressions: { min: whole(least * 0.8), max: stock },
    basis: `from the least spend, ${option.min_spend ?? 0} ${option.currency}, to all there is in ${round(days)} days`,
  };
}

function cents(amount: number): number {
  return whole(amount * 100) / 100;
}

/** Rounded down; what division leaves just under a whole number is that number. */
function whole(value: number): number {
  return Math.floor(value + 1e-6);
}

function round(days: number): number {
  return Math.round(days * 10) / 10;
}
