import type { CatalogueProduct } from './catalogue-product.ts';

/** From here on two products are alike. */
export const ALIKE = 0.4;
/** From here on they are nearly the same. */
export const VERY_ALIKE = 0.7;

/** What having the same of each says. */
const PARTS: readonly (readonly [
  weight: number,
  values: (product: CatalogueProduct) => readonly string[],
])[] = [
  [0.4, ({ channels }) => channels],
  [0.25, ({ topics }) => topics],
  [0.15, ({ audiences }) => audiences],
  [0.1, ({ countries }) => countries],
  [0.1, ({ delivery_type: type }) => [type]],
];

/** How alike two products are, 0 to 1; the same whichever comes first. */
export function similarity(one: CatalogueProduct, other: CatalogueProduct): number {
  return PARTS.reduce((sum, [weight, values]) => sum + weight * overlap(values(one), values(other)), 0);
}

/** What both have, as a share of what either has (Jaccard). */
function overlap(one: readonly string[], other: readonly string[]): number {
  const all = new Set([...one, ...other]);
  if (all.size === 0) return 0;
  const others = new Set(other);
  return new Set(one.filter((value) => others.has(value))).size / all.size;
}
