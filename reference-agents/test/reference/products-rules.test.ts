import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Refinement } from '../../../src/protocol/generated/types.ts';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { ROSTER } from '../../src/agents/roster.ts';
import { catalogueOf } from '../../src/reference/products/catalogue.ts';
import type { CatalogueProduct } from '../../src/reference/products/catalogue-product.ts';
import { type Filters, within } from '../../src/reference/products/filters.ts';
import { LEXICON } from '../../src/reference/products/lexicon.ts';
import { rankFor } from '../../src/reference/products/rank.ts';
import { readWish } from '../../src/reference/products/read-wish.ts';
import { refine } from '../../src/reference/products/refine.ts';
import { similarity } from '../../src/reference/products/refine-product.ts';
import { tokensOf } from '../../src/reference/text/relevance.ts';

const SELLERS = ROSTER.filter(({ type }) => type === 'sales');
const FACTS = { vocabulary: 'proto', publisherDomains: ['larkhaven-fm.example'], metrics: [] } as const;
const CATALOGUE = catalogueOf(SELLERS[0]!, FACTS);
const idsOf = (products: readonly CatalogueProduct[]) => products.map(({ product_id: id }) => id);

/** Texts such as people write, and texts such as nobody writes. */
const words = fc.constantFrom(
  ...[...LEXICON.keys()].slice(0, 400),
  ...[
    'no',
    'only',
    'more',
    'less',
    'and',
    ',',
    '.',
    'in',
    'under',
    '10',
    '20,000 euros',
    '€5k',
    'owl',
    '3 weeks',
  ],
);
const text = fc.oneof(
  { weight: 5, arbitrary: fc.array(words, { maxLength: 12 }).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
);
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    channels: fc.subarray(['display', 'audio', 'olv', 'dooh', 'nothing']),
    countries: fc.subarray(['NL', 'BE', 'dk', 'JP']),
    delivery_type: fc.constantFrom('guaranteed' as const, 'non_guaranteed' as const),
    max_price: fc.double({ min: 0, max: 40, noNaN: true }),
  },
  { requiredKeys: [] },
);

describe('the ranking', () => {
  it('is the same in whatever order the products come', () => {
    fc.assert(
      fc.property(
        text,
        fc.shuffledSubarray([...CATALOGUE], { minLength: CATALOGUE.length }),
        (written, shuffled) => {
          const question = { wish: readWish(written), tokens: tokensOf(written) };
          expect(rankFor(shuffled, question)).toEqual(rankFor(CATALOGUE, question));
        },
      ),
    );
  });

  it('gives scores between 0 and 1, the highest first, and a reason that repeats nothing', () => {
    fc.assert(
      fc.property(text, (written) => {
        const ranked = rankFor(CATALOGUE, { wish: readWish(written), tokens: tokensOf(written) });
        const scores = ranked.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
        expect(ranked.every(({ why }) => why !== '' && why.length <= 2_000)).toBe(true);
      }),
    );
  });

  it('likeness is the same both ways, and whole with itself', () => {
    for (const one of CATALOGUE) {
      expect(similarity(one, one)).toBeCloseTo(1);
      for (const other of CATALOGUE) expect(similarity(one, other)).toBeCloseTo(similarity(other, one));
    }
  });
});

describe('filters and refinements', () => {
  const actions = ['include', 'omit', 'more_like_this', 'less_like_this', 'polish'];
  const about: fc.Arbitrary<Refinement> = fc.record({
    scope: fc.constant('product' as const),
    product_id: fc.constantFrom(...idsOf(CATALOGUE)),
    action: fc.constantFrom(...actions),
  });
  const ask: fc.Arbitrary<Refinement> = fc.record({ scope: fc.constant('request' as const), ask: text });
  const start = (written: string, limits: Filters) => {
    const wish = readWish(written);
    const list = rankFor(within(CATALOGUE, limits), { wish, tokens: tokensOf(written) });
    return { list, wish, pinned: new Set<string>(), omitted: new Set<string>() };
  };

  it('hold for everything that a refinement leaves or brings in', () => {
    fc.assert(
      fc.property(
        text,
        filters,
        fc.array(fc.oneof(about, ask), { maxLength: 6 }),
        (written, limits, wishes) => {
          const offer = { all: CATALOGUE, within: within(CATALOGUE, limits) };
          const { draft, applied } = refine(start(written, limits), wishes, offer);
          const left = draft.list.map(({ product }) => product);
          expect(within(left, limits)).toEqual(left);
          expect(new Set(idsOf(left)).size).toBe(left.length);
          expect(applied.map(({ scope }) => scope)).toEqual(wishes.map(({ scope }) => scope));
        },
      ),
    );
  });

  it('leave a part of what was there unless a wish brings something in', () => {
    const takingAway = about.filter(({ action }) => action !== 'include' && action !== 'more_like_this');
    fc.assert(
      fc.property(text, fc.array(fc.oneof(takingAway, ask), { maxLength: 6 }), (written, wishes) => {
        const before = start(written, {});
        const { draft } = refine(before, wishes, { all: CATALOGUE, within: CATALOGUE });
        const known = idsOf(before.list.map(({ product }) => product));
        expect(known).toEqual(expect.arrayContaining(idsOf(draft.list.map(({ product }) => product))));
      }),
    );
  });

  it('of words alone never leave nothing', () => {
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 6 }), (wishes) => {
        const { draft } = refine(start('', {}), wishes, { all: CATALOGUE, within: CATALOGUE });
        expect(draft.list.length).toBeGreaterThan(0);
      }),
    );
  });
});
