import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { readWish } from '../../src/reference/products/read-wish.ts';

const mentionsOf = (text: string) =>
  readWish(text).mentions.map(({ facet, value, mode }) => `${mode} ${facet} ${value}`);

describe('what is read out of a text', () => {
  it.each([
    ['no radio in Ghent', ['not channel radio', 'plain place Ghent']],
    ['Ghent only', ['only place Ghent']],
    ['more audio and less video', ['more channel audio', 'less channel olv']],
    ['not only video', ['plain channel olv']],
    ['no more newsletters', ['not channel email']],
    ['the Netherlands, but without screens', ['plain country NL', 'not channel dooh']],
    ['connected TV in the living room', ['plain channel ctv']],
    ['Café in København', ['plain topic food', 'plain place Copenhagen']],
    ['new bikes', ['plain topic sport']],
    ['__proto__ constructor toString', []],
  ])('%j names %j', (written, expected) => {
    expect(mentionsOf(written)).toEqual(expected);
  });

  it.each([
    ['20,000 euros', { budget: { amount: 20_000, currency: 'EUR' } }],
    ['€20k', { budget: { amount: 20_000, currency: 'EUR' } }],
    ['20 000 €', { budget: { amount: 20_000, currency: 'EUR' } }],
    ['1.5 million dollars', { budget: { amount: 1_500_000, currency: 'USD' } }],
    ['1.234,50 pounds', { budget: { amount: 1_234.5, currency: 'GBP' } }],
    ['a budget of 5000', { budget: { amount: 5_000 } }],
    ['a budget under 150 euros', { budget: { amount: 150, currency: 'EUR' } }],
    ['under 10 euro', { maxPrice: { amount: 10, currency: 'EUR' } }],
    ['a CPM of at most 9,25', { maxPrice: { amount: 9.25, model: 'cpm' } }],
    ['under 20,000 euros', { budget: { amount: 20_000, currency: 'EUR' } }],
    ['6 weeks', { days: 42 }],
    ['9999 months', { days: 365 }],
    ['under 0.125 euro', { maxPrice: { amount: 0.125, currency: 'EUR' } }],
    ['the top 3', { limit: 3 }],
    ['5 products', { limit: 5 }],
    ['in 2026, 15 of us', {}],
    ['-5 euros', { budget: { amount: 5, currency: 'EUR' } }],
    ['0 euros', {}],
  ])('%j is %j', (written, expected) => {
    const { mentions: _mentions, strangeClauses: _strange, ...amounts } = readWish(written);
    expect(amounts).toEqual(expected);
  });

  it('is bounded for any text, also for the longest', () => {
    const long = readWish('evening video, no radio under 10 euro 9.9.9 '.repeat(2_300));
    expect(long.mentions.length).toBe(3);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (written) => {
        const { mentions, days = 1, limit = 1, budget } = readWish(written);
        expect(mentions.length).toBeLessThan(200);
        expect(days).toBeLessThanOrEqual(365);
        expect(limit).toBeGreaterThan(0);
        expect(budget?.amount ?? 0).toBeLessThanOrEqual(1e12);
      }),
    );
  });
});
