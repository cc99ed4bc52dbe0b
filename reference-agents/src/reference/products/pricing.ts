import type { PricingOption } from 'agent-registry/agent-kit';
import type { Random } from '../../random.ts';
import type { Blueprint, Model } from './blueprints.ts';
import { inCurrency, PRICE_CURRENCIES } from './currencies.ts';

/** Euros for a thousand impressions where the price is for the whole. */
const FLAT_CPM = 8;

/** Impressions that the least budget of a package buys. */
const LEAST_IMPRESSIONS = 50_000;

/** The ways to pay for a product: each model in euros, the first one in the other currencies too. */
export function pricingOptionsOf(
  blueprint: Blueprint,
  dailyImpressions: number,
  random: Random,
): readonly PricingOption[] {
  const cpm = cents(blueprint.cpm * (0.85 + random.int(31) / 100));
  const rates = { cpm, dailyImpressions };
  return blueprint.models.flatMap((model, at) =>
    (at === 0 ? PRICE_CURRENCIES : ['EUR']).map((currency) =>
      option(model, currency, rates, blueprint.promised),
    ),
  );
}

interface Rates {
  readonly cpm: number;
  readonly dailyImpressions: number;
}

function option(model: Model, currency: string, rates: Rates, promised: boolean): PricingOption {
  const least = (rates.cpm * LEAST_IMPRESSIONS) / 1_000;
  const euros = priceOf(model, rates);
  const minSpend = model === 'flat_rate' ? euros : promised ? least * 2 : least / 2;
  return {
    pricing_option_id: `${model.replace('_', '-')}-${currency.toLowerCase()}`,
    model,
    price: inCurrency(euros, 'EUR', currency),
    currency,
    min_spend: Math.round(inCurrency(minSpend, 'EUR', currency)),
  };
}

function priceOf(model: Model, { cpm, dailyImpressions }: Rates): number {
  if (model === 'cpc') return Math.max(cents((cpm / 1_000) * 80), 0.05);
  if (model === 'cpcv') return Math.max(cents((cpm / 1_000) * 1.4), 0.01);
  return model === 'flat_rate' ? Math.round((dailyImpressions * 7 * FLAT_CPM) / 1_000) : cpm;
}

function cents(euros: number): number {
  return Math.round(euros * 100) / 100;
}
