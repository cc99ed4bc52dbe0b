import type { PricingOption } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import { catalogueOf } from './catalogue.ts';
import type { CatalogueProduct } from './catalogue-product.ts';
import { seededProducts } from './seed-product.ts';

/** What the caller can buy: the seller's catalogue, and products that the caller's own tests added or replaced. */
export function productsFor(call: TaskCall): readonly CatalogueProduct[] {
  const seeded = seededProducts(call)
    .list()
    .map(({ document }) => document);
  const replaced = new Set(seeded.map(({ product_id: id }) => id));
  const own = catalogueOf(call.agent.spec, call.agent.facts);
  return [...own.filter(({ product_id: id }) => !replaced.has(id)), ...seeded];
}

/** Ids that a suggestion names at most. */
const MOST_NAMED = 10;

/** The product of this id among those; refuses with PRODUCT_NOT_FOUND. */
export function productIn(
  products: readonly CatalogueProduct[],
  productId: string,
  pointer: string,
): CatalogueProduct {
  const found = products.find(({ product_id: id }) => id === productId);
  if (found !== undefined) return found;
  return refuse(
    'PRODUCT_NOT_FOUND',
    `${pointer}: unknown product`,
    pointer,
    'use a product_id from get_products',
  );
}

/** One of the product's ways to pay; refuses with PRICING_OPTION_NOT_FOUND. */
export function findPricingOption(
  product: CatalogueProduct,
  pricingOptionId: string,
  pointer: string,
): PricingOption {
  const options = product.pricing_options;
  const found = options.find(({ pricing_option_id: id }) => id === pricingOptionId);
  if (found !== undefined) return found;
  const ids = options.flatMap(({ pricing_option_id: id }) => id ?? []).slice(0, MOST_NAMED);
  return refuse(
    'PRICING_OPTION_NOT_FOUND',
    `${pointer}: unknown pricing option of this product`,
    pointer,
    `use one of ${ids.join(', ')}`,
  );
}
