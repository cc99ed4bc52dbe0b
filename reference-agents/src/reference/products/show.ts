import type { PricingOption, Product } from 'agent-registry/agent-kit';
import { type CatalogueProduct, shownProduct } from './catalogue-product.ts';
import { inCurrency } from './currencies.ts';
import { labelOf, listed } from './describe.ts';
import { forecastFor, openForecast, USUAL_DAYS } from './forecast.ts';
import { countryName } from './places.ts';
import type { Ranked } from './rank.ts';
import { pricedWithin } from './refine-request.ts';
import type { Wish } from './wish.ts';

/**
 * A product as it is answered: options of the preferred currency first, the forecast for the first of them, the
 * budget of the wish and its flight.
 */
export function shownAs({ product, score, why }: Ranked, wish: Wish, currency: string | undefined): Product {
  const preferred = currency ?? wish.budget?.currency;
  const options = inPreferredOrder(pricedFor(product, wish), preferred);
  const option = options[0] as PricingOption;
  const days = wish.days ?? USUAL_DAYS;
  const { budget } = wish;
  const forecast =
    budget === undefined
      ? openForecast(product, option, days)
      : forecastFor(
          product,
          inCurrency(budget.amount, budget.currency ?? option.currency, option.currency),
          option,
          {
            days,
          },
        );
  return { ...shownProduct(product), pricing_options: options, forecast, brief_relevance: why, score };
}

/** A product that was put in stays even when nothing of it is within the price. */
function pricedFor(product: CatalogueProduct, { maxPrice }: Wish): readonly PricingOption[] {
  const [priced] = maxPrice === undefined ? [product] : pricedWithin([product], maxPrice);
  return (priced ?? product).pricing_options;
}

function inPreferredOrder(
  options: readonly PricingOption[],
  currency: string | undefined,
): readonly PricingOption[] {
  return options.toSorted((a, b) => Number(b.currency === currency) - Number(a.currency === currency));
}

/** As the schema of the answer has it. */
const MAX_MESSAGE = 2_000;

export function foundMessage(found: number, sold: number): string {
  return `${found} of the ${sold} products that are sold here`;
}

/** What there is, for whoever asked for something else. */
export function emptyMessage(sold: readonly CatalogueProduct[]): string {
  const channels = [...new Set(sold.flatMap((product) => product.channels))].slice(0, 20);
  const countries = [...new Set(sold.flatMap((product) => product.countries))].slice(0, 20);
  const labels = channels.map((value) => labelOf({ facet: 'channel', value }));
  const there = `${listed(labels)}, in ${listed(countries.map(countryName))}`;
  return `nothing that is sold here is within what was asked for; sold are ${there}`.slice(0, MAX_MESSAGE);
}
