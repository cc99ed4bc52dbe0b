import type { Product } from '@agent-registry/surface/agent-kit';

/** A product as its seller keeps it: what is shown, and what it is ranked and forecast by. */
export interface CatalogueProduct extends Product {
  readonly description: string;
  readonly delivery_type: 'guaranteed' | 'non_guaranteed';
  readonly publisher_domains: readonly string[];
  readonly countries: readonly string[];
  readonly generative: boolean;
  /** Towns that it is kept to; empty when it runs in the whole of its countries. */
  readonly places: readonly string[];
  /** What is read, heard or seen beside it. */
  readonly topics: readonly string[];
  /** Whom it meets. */
  readonly audiences: readonly string[];
  /** Parts of the day; empty for all of it. */
  readonly dayparts: readonly string[];
  /** The most impressions that there are on a day. */
  readonly dailyImpressions: number;
  /** Clicks for each impression, 0 to 1. */
  readonly clickRate: number;
  /** Plays that reach their end for each that begins, 0 to 1; only where something plays. */
  readonly completionRate?: number;
}

/** The fields that go over the wire (core/product.json). */
export function shownProduct(product: CatalogueProduct): Product {
  const {
    places: _places,
    topics: _topics,
    audiences: _audiences,
    dayparts: _dayparts,
    dailyImpressions: _dailyImpressions,
    clickRate: _clickRate,
    completionRate: _completionRate,
    ...shown
  } = product;
  return shown;
}
