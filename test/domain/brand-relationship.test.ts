import { expect, test } from 'vitest';
import { relationshipWith } from '../../src/domain/brand-relationship.ts';
import type { BrandDeclaration } from '../../src/domain/declaration.ts';

const NOW = Date.UTC(2026, 0, 1);
const file = (more: Partial<BrandDeclaration>): BrandDeclaration => ({
  ...{ kind: 'brand', variant: 'brand', brands: [], brandRefs: [], agents: [], authorizedOperators: [] },
  ...more,
});
const house = (more: Partial<BrandDeclaration>) => ({
  domain: 'house.example',
  value: file({ variant: 'house_portfolio', ...more }),
});
const leaf = (houseDomain?: string) =>
  file({ brands: [{ id: 'acme', names: [] }], ...(houseDomain !== undefined && { houseDomain }) });
const referring = house({ brandRefs: [{ domain: 'acme.example', brandId: 'acme' }] });
const later = house({ brandRefs: [{ domain: 'acme.example', effectiveAt: NOW + 1 }] });

test.each([
  ['each names the other', referring, leaf('house.example'), 'mutual'],
  ['only the brand names the house', house({}), leaf('house.example'), 'leaf_only'],
  [
    'an id alone names nobody',
    house({ brands: [{ id: 'acme', names: [] }] }),
    leaf('house.example'),
    'leaf_only',
  ],
  ['the reference is not in force yet', later, leaf('house.example'), 'leaf_only'],
  ['only the house refers to the brand', referring, leaf(), 'house_only'],
  ['the house refers to a brand without a file', referring, undefined, 'house_only'],
  ['the brand names another house', referring, leaf('rival.example'), 'house_only'],
  [
    'the house refers to another brand there',
    house({ brandRefs: [{ domain: 'acme.example', brandId: 'zeta' }] }),
    leaf(),
    'standalone',
  ],
  ['neither names the other', house({}), leaf(), 'standalone'],
] as const)('%s', (_name, houseSide, own, relation) =>
  expect(relationshipWith(houseSide, 'acme.example', own, NOW)).toBe(relation),
);
