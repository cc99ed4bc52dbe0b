import { expect, test } from 'vitest';
import { type BrandSide, brandRelation, type HouseSide } from '../../src/domain/brand-relation.ts';
import type { BrandDeclaration } from '../../src/domain/declaration.ts';

const NOW = Date.UTC(2026, 0, 1);
const file = (more: Partial<BrandDeclaration>): BrandDeclaration => ({
  kind: 'brand',
  variant: 'brand',
  brands: [],
  brandRefs: [],
  agents: [],
  authorizedOperators: [],
  ...more,
});
const house = (more: Partial<BrandDeclaration>): HouseSide => ({
  domain: 'house.example',
  file: file({ variant: 'house_portfolio', ...more }),
});
const leaf = (houseDomain?: string): BrandSide => ({
  id: 'acme',
  domain: 'acme.example',
  file: file(houseDomain === undefined ? {} : { houseDomain }),
});
const referring = house({ brandRefs: [{ domain: 'acme.example', brandId: 'acme' }] });
const carrying = house({ brands: [{ id: 'acme', names: [] }] });

test.each([
  ['each names the other', referring, leaf('house.example'), 'mutual'],
  ['the house carries a brand without a domain', carrying, { id: 'acme' }, 'inline'],
  ['the house carries a brand whose domain names it', carrying, leaf('house.example'), 'mutual'],
  ['the house carries a brand whose own file does not name it', carrying, leaf(), 'house_only'],
  ['only the brand names the house', house({}), leaf('house.example'), 'leaf_only'],
  ['the brand names a house that cannot be read', undefined, leaf('house.example'), 'leaf_only'],
  ['only the house refers to the brand', referring, leaf(), 'house_only'],
  ['the house refers to a brand without a file', referring, { domain: 'acme.example' }, 'house_only'],
  ['the brand names another house', referring, leaf('rival.example'), 'house_only'],
  [
    'the house refers to another brand of that domain',
    house({ brandRefs: [{ domain: 'acme.example', brandId: 'zeta' }] }),
    leaf(),
    'standalone',
  ],
  [
    'the reference is not in force yet',
    house({ brandRefs: [{ domain: 'acme.example', effectiveAt: NOW + 1 }] }),
    leaf('house.example'),
    'leaf_only',
  ],
  ['neither names the other', house({}), leaf(), 'standalone'],
  ['there is no house', undefined, leaf(), 'standalone'],
] as const)('%s', (_name, houseSide, brand, relation) =>
  expect(brandRelation(houseSide, brand, NOW)).toBe(relation),
);
