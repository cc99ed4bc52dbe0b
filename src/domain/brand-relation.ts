import type { BrandDeclaration } from './declaration.ts';

/** How a brand and a house stand to each other. Only `mutual` and `inline` let the house speak for the brand. */
const BRAND_RELATIONS = [
  'mutual', // each names the other
  'inline', // the house carries the brand in its own file, and the brand has no domain that says otherwise
  'leaf_only', // the brand names the house, which does not name it
  'house_only', // the house names the brand, which does not name it back: no adoption
  'standalone', // neither names the other
] as const;
export type BrandRelation = (typeof BRAND_RELATIONS)[number];

/** A house's domain with its brand.json. */
export interface HouseSide {
  readonly domain: string;
  readonly file: BrandDeclaration;
}

/** A brand as it presents itself: its id, its own domain and that domain's brand.json, each where there is one. */
export interface BrandSide {
  readonly id?: string;
  readonly domain?: string;
  readonly file?: BrandDeclaration;
}

/**
 * The relation of a brand and a house, judged at `now` (epoch milliseconds; a reference that is not in force
 * yet names nobody). A house may not adopt a brand that does not name it back.
 */
export function brandRelation(
  house: HouseSide | undefined,
  brand: BrandSide | undefined,
  now: number,
): BrandRelation {
  if (house === undefined) return brand?.file?.houseDomain === undefined ? 'standalone' : 'leaf_only';
  if (brand === undefined) return 'standalone';
  const namesHouse = brand.file?.houseDomain === house.domain;
  if (refersTo(house.file, brand, now)) return namesHouse ? 'mutual' : 'house_only';
  if (!carries(house.file, brand)) return namesHouse ? 'leaf_only' : 'standalone';
  if (brand.domain === undefined || brand.domain === house.domain) return 'inline';
  return namesHouse ? 'mutual' : 'house_only';
}

function refersTo(house: BrandDeclaration, brand: BrandSide, now: number): boolean {
  return house.brandRefs.some(
    (ref) =>
      ref.domain === brand.domain &&
      (ref.brandId === undefined || brand.id === undefined || ref.brandId === brand.id) &&
      (ref.effectiveAt ?? 0) <= now,
  );
}

function carries(house: BrandDeclaration, brand: BrandSide): boolean {
  return brand.id !== undefined && house.brands.some((entry) => entry.id === brand.id);
}
