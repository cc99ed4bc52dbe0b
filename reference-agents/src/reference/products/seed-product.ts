import { type Collection, type Product, validatorOfShape } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import type { CatalogueProduct } from './catalogue-product.ts';

/** The version whose shape a seeded product has to have. */
const VERSION = '3.0.0';

/** Seeded products of one caller at most. */
const MAX_SEEDED = 50;

/** What a seeded product is like where its seed does not say. */
const DEFAULTS = {
  name: 'A product for tests',
  description: 'Added by a test',
  channels: ['display'],
  pricing_options: [{ pricing_option_id: 'cpm-eur', model: 'cpm', price: 5, currency: 'EUR', min_spend: 0 }],
  format_ids: [],
  delivery_type: 'non_guaranteed',
  countries: ['NL', 'BE'],
  publisher_domains: [],
  generative: false,
} as const;

/** Products that a caller's tests added: nobody else sees them. */
export function seededProducts(call: TaskCall): Collection<CatalogueProduct> {
  return call.agent.state.collection<CatalogueProduct>('seeded_products', call.caller.id);
}

/**
 * Adds a product for the caller, or replaces one of the same id: for the test controller. `seed` has the members of
 * core/product.json, of which only `product_id` must be there. Refuses what is not of that shape (`VALIDATION_ERROR`).
 */
export function seedProduct(
  call: TaskCall,
  seed: Readonly<Record<string, unknown>>,
  pointer = '/params',
): CatalogueProduct {
  const product = { ...DEFAULTS, ...seed };
  const validate = validatorOfShape(VERSION, 'product');
  if (!validate(product) || !hasPricingIds(product as unknown as Product)) {
    const place = `${pointer}${validate.errors?.[0]?.instancePath ?? '/pricing_options'}`;
    return refuse('VALIDATION_ERROR', `${place} does not match core/product.json`, place, SUGGESTION);
  }
  const seeded = withTraits(product as unknown as CatalogueProduct);
  const kept = seededProducts(call);
  if (kept.get(seeded.product_id) === undefined && kept.count() >= MAX_SEEDED) {
    return refuse(
      'VALIDATION_ERROR',
      `${pointer}: the limit of ${MAX_SEEDED} seeded products is reached`,
      pointer,
    );
  }
  kept.put(seeded.product_id, seeded);
  return seeded;
}

const SUGGESTION = 'send product_id, and pricing_options of which each has its pricing_option_id';

/** Only what the shape was held against is taken from a seed. */
function withTraits(product: CatalogueProduct): CatalogueProduct {
  return {
    product_id: product.product_id,
    name: product.name,
    description: product.description,
    channels: product.channels,
    pricing_options: product.pricing_options,
    format_ids: product.format_ids,
    delivery_type: product.delivery_type,
    publisher_domains: product.publisher_domains,
    countries: product.countries,
    generative: product.generative,
    places: [],
    topics: [],
    audiences: [],
    dayparts: [],
    dailyImpressions: 50_000,
    clickRate: 0.002,
  };
}

function hasPricingIds({ pricing_options: options }: Product): boolean {
  return options.length > 0 && options.every(({ pricing_option_id: id }) => id !== undefined);
}
