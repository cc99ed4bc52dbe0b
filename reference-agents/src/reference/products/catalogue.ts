import type { PricingOption } from '@agent-registry/surface/agent-kit';
import type { AgentProfile, AgentSpec } from '../../agents/agent.ts';
import { ROSTER } from '../../agents/roster.ts';
import { createRandom, type Random } from '../../random.ts';
import { scoreOf, tokensOf, weightsOf } from '../text/relevance.ts';
import { type Blueprint, CORE, type Model, OTHERS } from './blueprints.ts';
import type { CatalogueProduct } from './catalogue-product.ts';
import { inCurrency, PRICE_CURRENCIES } from './currencies.ts';
import { PLACES } from './places.ts';
import { byTag, publishersFor } from './properties.ts';

/** Euros for a thousand impressions where the price is for the whole. */
const FLAT_CPM = 8;

/** Impressions that the least budget of a package buys. */
const LEAST_IMPRESSIONS = 50_000;

interface Rates {
  readonly cpm: number;
  readonly dailyImpressions: number;
}

/** Products besides the core: at least, and how many more there may be. */
const FEWEST_OTHERS = 5;

const MORE_OTHERS = 9;

/** Where every seller sells; others are added by turns. */
const HOME_COUNTRIES = ['NL', 'BE'];

const MORE_COUNTRIES = ['IE', 'GB', 'DE', 'FR', 'DK'];

/** Whose formats the products name: any creative agent of the sandbox knows them. */
const FORMAT_AGENT = ROSTER.find(({ type }) => type === 'creative')?.url as string;

/**
 * The products of a seller. They follow from its name, its description and its publishers alone: the same at every
 * call and on every machine.
 */
export function catalogueOf(spec: AgentSpec, facts: AgentProfile): readonly CatalogueProduct[] {
  const random = createRandom(1).fork(spec.name);
  const countries = [...HOME_COUNTRIES, ...random.fork('countries').shuffled(MORE_COUNTRIES).slice(0, 2)];
  const tagged = byTag(facts.publisherDomains);
  return [...CORE, ...othersFor(spec, random)].map((blueprint) => ({
    ...productOf(blueprint, countries, random.fork(blueprint.id)),
    publisher_domains: publishersFor(facts.publisherDomains, tagged, blueprint.topics),
  }));
}

/** What suits the seller's own words comes first. */
function othersFor(spec: AgentSpec, random: Random): readonly Blueprint[] {
  const asked = tokensOf(spec.description);
  const suits = (one: Blueprint) => scoreOf(asked, weightsOf([{ text: wordsOf(one), weight: 1 }])).score;
  const count = FEWEST_OTHERS + random.fork('count').int(MORE_OTHERS);
  return random
    .fork('others')
    .shuffled(OTHERS)
    .toSorted((a, b) => suits(b) - suits(a))
    .slice(0, count);
}

function wordsOf({ name, description, channels, topics }: Blueprint): string {
  return [name, description, ...channels, ...topics].join(' ');
}

function productOf(
  blueprint: Blueprint,
  sold: readonly string[],
  random: Random,
): Omit<CatalogueProduct, 'publisher_domains'> {
  const { id, name, description, channels, topics, audiences, dayparts, generative } = blueprint;
  const plays = channels.some((channel) => !['display', 'native', 'email', 'dooh'].includes(channel));
  const dailyImpressions = Math.round(blueprint.daily * (0.6 + random.int(80) / 100)) * 1_000;
  return {
    product_id: id,
    name,
    description,
    channels,
    pricing_options: pricingOptionsOf(blueprint, dailyImpressions, random.fork('prices')),
    format_ids: blueprint.formats.map((format) => ({ agent_url: FORMAT_AGENT, id: format })),
    delivery_type: blueprint.promised ? 'guaranteed' : 'non_guaranteed',
    generative,
    topics,
    audiences,
    dayparts,
    dailyImpressions,
    clickRate: (12 + random.int(38)) / 10_000,
    ...(plays && { completionRate: (60 + random.int(35)) / 100 }),
    ...whereFor(blueprint, sold, random.fork('where')),
  };
}

function whereFor(
  { id, regional }: Blueprint,
  sold: readonly string[],
  random: Random,
): Pick<CatalogueProduct, 'countries' | 'places'> {
  if (!regional) {
    const others = random.shuffled(sold.slice(HOME_COUNTRIES.length)).slice(0, random.int(3));
    return { countries: [...(random.int(4) === 0 ? ['NL'] : HOME_COUNTRIES), ...others], places: [] };
  }
  // The front pages are those of one country, so that each seller has something for a single town of it.
  const country = id === 'local-front-page' ? 'BE' : random.pick(sold);
  const towns = PLACES.filter((place) => place.country === country).map(({ name }) => name);
  const first = id === 'local-front-page' ? ['Ghent'] : [];
  const places = [...new Set([...first, ...random.shuffled(towns)])].slice(0, 1 + random.int(3));
  return { countries: [country], places };
}

/** The ways to pay for a product: each model in euros, the first one in the other currencies too. */
function pricingOptionsOf(
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
