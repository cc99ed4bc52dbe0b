import type { AgentProfile, AgentSpec } from '../../agents/agent.ts';
import { catalogueOf } from './catalogue.ts';
import type { CatalogueProduct } from './catalogue-product.ts';

export const ADVERTISING_POLICIES =
  'Nothing for children under 12, no tobacco, no weapons. Spirits, bets and cures are looked at by a person first.';

/** Channels that are named as the main ones. */
const MAIN_CHANNELS = 5;

/** The `media_buy` section of the capabilities task. */
export function mediaBuyCapabilities(spec: AgentSpec, facts: AgentProfile) {
  const products = catalogueOf(spec, facts);
  const least = products.flatMap(({ pricing_options: options }) =>
    options.filter(({ currency }) => currency === 'EUR').map(({ min_spend: amount = 0 }) => amount),
  );
  return {
    portfolio: portfolioOf(spec, facts, products),
    buying_modes: ['brief', 'refine'],
    generative: products.some(({ generative }) => generative),
    min_budget: { amount: Math.min(...least), currency: 'EUR' },
  };
}

/** The specialisms that follow from what is sold. */
export function salesSpecialisms(spec: AgentSpec, facts: AgentProfile): readonly string[] {
  const types = new Set(catalogueOf(spec, facts).map(({ delivery_type: type }) => type));
  return [...types].map((type) => `sales-${type.replace('_', '-')}`).sort();
}

/** Whose inventory is sold, and where it mostly runs. */
export function portfolioOf(spec: AgentSpec, facts: AgentProfile, products: readonly CatalogueProduct[]) {
  const daily = new Map<string, number>();
  for (const { channels, dailyImpressions } of products) {
    for (const channel of channels) daily.set(channel, (daily.get(channel) ?? 0) + dailyImpressions);
  }
  const largest = [...daily].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  return {
    publisher_domains: facts.publisherDomains,
    primary_channels: largest.slice(0, MAIN_CHANNELS).map(([channel]) => channel),
    description: spec.description,
  };
}
