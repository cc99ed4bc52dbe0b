/** What a package pays for. */
export interface Price {
  /** `cpm`, `cpc`, `cpcv`, `flat_rate` and the like, as in the pricing option. */
  readonly model: string;
  /** In the currency's main unit, for one unit of the model. */
  readonly price: number;
}

/** What was delivered; whole numbers, `cents` in hundredths of the currency's main unit. */
export interface Figures {
  readonly impressions: number;
  readonly clicks: number;
  /** Plays that reached the end; 0 for what is not played. */
  readonly completions: number;
  readonly cents: number;
}

export const NO_FIGURES: Figures = { impressions: 0, clicks: 0, completions: 0, cents: 0 };

/** What a thousand impressions are worth where a price does not say it. */
const REFERENCE_CPM = 8;

/** What is counted, and how many hundredths one of it costs. */
type Unit = 'impression' | 'click' | 'view' | 'hundredth' | 'free';

/** Prices outside these count as nothing, and as the dearest there is: sums stay whole numbers. */
const LEAST_PRICE = 0.0001;
const MOST_PRICE = 1_000_000_000;

function unitOf({ model, price }: Price): Unit {
  if (price < LEAST_PRICE) return 'free';
  if (model === 'cpm' || model === 'vcpm') return 'impression';
  if (model === 'cpc') return 'click';
  return model === 'cpcv' || model === 'cpv' ? 'view' : 'hundredth';
}

/** Hundredths for one unit, times a million, so that a price such as 0.29 is a whole number. */
function microsOf(price: Price): number {
  const micros = Math.round(Math.min(price.price, MOST_PRICE) * 100_000_000);
  return unitOf(price) === 'impression' ? micros / 1_000 : micros;
}

/** How many units so many hundredths buy. */
export function unitsFor(price: Price, cents: number): number {
  const unit = unitOf(price);
  if (unit === 'hundredth') return cents;
  if (unit === 'free') return Math.floor((cents * 10) / REFERENCE_CPM);
  return Math.floor((cents * 1_000_000) / microsOf(price));
}

/** What so many units cost, in whole hundredths, rounded down. */
export function centsFor(price: Price, units: number): number {
  const unit = unitOf(price);
  if (unit === 'hundredth') return units;
  return unit === 'free' ? 0 : Math.floor((units * microsOf(price)) / 1_000_000);
}

/** Rates between 0 and 1 of a product that says them; a test may seed one that says anything. */
export function ratesOf({
  clickRate,
  completionRate,
}: {
  clickRate?: unknown;
  completionRate?: unknown;
}): Rates {
  return { click: shareOf(clickRate), completion: shareOf(completionRate) };
}

function shareOf(rate: unknown): number {
  return typeof rate === 'number' && rate > 0 ? Math.min(1, Math.max(0.000_001, rate)) : 0;
}

/** All figures that follow from the units of a package; they grow with the units. */
export function figuresFor(price: Price, units: number, rates: Rates): Figures {
  const counted = unitOf(price);
  const impressions = impressionsFor(counted, units, rates);
  return {
    impressions,
    clicks: counted === 'click' ? units : Math.floor(impressions * rates.click),
    completions: counted === 'view' ? units : Math.floor(impressions * rates.completion),
    cents: centsFor(price, units),
  };
}

function impressionsFor(unit: Unit, units: number, rates: Rates): number {
  if (unit === 'click') return Math.floor(units / (rates.click || 1));
  if (unit === 'view') return Math.floor(units / (rates.completion || 1));
  return unit === 'hundredth' ? Math.floor((units * 10) / REFERENCE_CPM) : units;
}

/** How people take to what a package shows. */
export interface Rates {
  /** Clicks for each impression, 0 to 1. */
  readonly click: number;
  /** Share of plays that reach the end, 0 to 1; 0 for what is not played. */
  readonly completion: number;
}

/** The sums, figure by figure. */
export function sumOfFigures(all: readonly Figures[]): Figures {
  return all.reduce(plus, NO_FIGURES);
}

function plus(a: Figures, b: Figures): Figures {
  return {
    impressions: a.impressions + b.impressions,
    clicks: a.clicks + b.clicks,
    completions: a.completions + b.completions,
    cents: a.cents + b.cents,
  };
}

/** What came between an earlier reading and a later one. */
export function since(earlier: Figures, later: Figures): Figures {
  return {
    impressions: later.impressions - earlier.impressions,
    clicks: later.clicks - earlier.clicks,
    completions: later.completions - earlier.completions,
    cents: later.cents - earlier.cents,
  };
}
