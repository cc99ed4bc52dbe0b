import { describe, expect, it, test } from 'vitest';
import { check, says } from '../support/check.ts';

const addsUp = (answer: object) => check({ check: 'adds_up' }, says({ ...answer }));
const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** A report in our vocabulary, and the same in the public one. */
const OURS = {
  impressions: 30,
  clicks: 3,
  spend: eur(0.03),
  by_package: [
    { package_id: 'a', impressions: 10, clicks: 1, spend: eur(0.01) },
    { package_id: 'b', impressions: 20, clicks: 2, spend: eur(0.02) },
  ],
};
const PUBLIC = {
  currency: 'EUR',
  aggregated_totals: { impressions: 30, spend: 0.03, media_buy_count: 1 },
  media_buy_deliveries: [
    {
      media_buy_id: 'mb_1',
      totals: { impressions: 30, spend: 0.03, reach: 7 },
      by_package: [
        { package_id: 'a', impressions: 10, spend: 0.01, reach: 6, currency: 'EUR' },
        { package_id: 'b', impressions: 20, spend: 0.02, reach: 6, currency: 'EUR' },
      ],
    },
  ],
};
const [DELIVERY] = PUBLIC.media_buy_deliveries;
const totals = (changed: object) => ({
  ...PUBLIC,
  media_buy_deliveries: [{ ...DELIVERY, totals: { ...DELIVERY?.totals, ...changed } }],
});
const packages = (changed: object) => ({
  ...PUBLIC,
  media_buy_deliveries: [
    { ...DELIVERY, by_package: [{ ...DELIVERY?.by_package[0], ...changed }, DELIVERY?.by_package[1]] },
  ],
});

describe('totals pass', () => {
  test.each<[string, object]>([
    ['in our vocabulary', OURS],
    ['in the public vocabulary', PUBLIC],
    ['when each part was rounded to cents', { ...OURS, spend: eur(0.04) }],
    ['when a part says nothing of a figure', packages({ impressions: undefined })],
    ['when a package is priced in another currency', packages({ currency: 'USD', spend: 500 })],
    ['on one page of several', { ...OURS, impressions: 900, pagination: { has_more: true } }],
    [
      'when a media buy has the budget of its packages',
      { total_budget: eur(15), packages: [{ budget: 10 }, { budget: 5 }] },
    ],
    [
      'when a package was cancelled',
      { total_budget: 15, packages: [{ budget: 10 }, { budget: 9, canceled: true }] },
    ],
  ])('%s', (_name, answer) => {
    expect(addsUp(answer).result).not.toBe('fail');
  });
});

describe('totals fail', () => {
  test.each<[string, object, object]>([
    [
      'with more spend than the packages',
      { ...OURS, spend: eur(1.03) },
      { pointer: '/spend', expected: 0.03, actual: 1.03 },
    ],
    ['with other clicks than the packages', { ...OURS, clicks: 4 }, { pointer: '/clicks', expected: 3 }],
    [
      'with other impressions than the media buys',
      { ...OURS, media_buys: [{ impressions: 29 }] },
      { pointer: '/impressions', expected: 29 },
    ],
    [
      'with more public spend than the packages',
      totals({ spend: 1.03 }),
      { pointer: '/media_buy_deliveries/0/totals/spend', expected: 0.03 },
    ],
    [
      'with spend as text',
      totals({ spend: '0.03' }),
      {
        pointer: '/media_buy_deliveries/0/totals/spend',
        message: '/media_buy_deliveries/0/totals/spend must be a number, and 1 more',
      },
    ],
    [
      'with spend of a package as text',
      packages({ spend: '0.01' }),
      { pointer: '/media_buy_deliveries/0/by_package/0/spend' },
    ],
    [
      'with other totals over all media buys',
      { ...PUBLIC, aggregated_totals: { spend: 9 } },
      { pointer: '/aggregated_totals/spend', expected: 0.03 },
    ],
    [
      'with a wrong number of media buys',
      { ...PUBLIC, aggregated_totals: { media_buy_count: 2 } },
      { pointer: '/aggregated_totals/media_buy_count', expected: 1 },
    ],
    [
      'with another budget than the packages',
      { media_buys: [{ total_budget: 16, packages: [{ budget: 10 }, { budget: 5 }] }] },
      { pointer: '/media_buys/0/total_budget', expected: 15, actual: 16 },
    ],
  ])('%s', (_name, answer, expected) => {
    expect(addsUp(answer)).toMatchObject({ result: 'fail', ...expected });
  });
});

it('is not applicable to an answer without totals', () => {
  expect(addsUp({ products: [] }).result).toBe('not_applicable');
});
