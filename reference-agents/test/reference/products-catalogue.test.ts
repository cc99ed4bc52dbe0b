import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkResponse } from '../../../src/protocol/read-request.ts';
import { ROSTER } from '../../src/agents/roster.ts';
import { accountCapabilities } from '../../src/reference/capabilities.ts';
import { knownFormat } from '../../src/reference/creatives/formats.ts';
import { mediaBuyCapabilities, salesSpecialisms } from '../../src/reference/products/capabilities.ts';
import { catalogueOf } from '../../src/reference/products/catalogue.ts';
import type { CatalogueProduct } from '../../src/reference/products/catalogue-product.ts';
import { forecastFor } from '../../src/reference/products/forecast.ts';

const SELLERS = ROSTER.filter(({ type }) => type === 'sales');
const FACTS = { vocabulary: 'proto', publisherDomains: ['larkhaven-fm.example'], metrics: [] } as const;
const CATALOGUE = catalogueOf(SELLERS[0]!, FACTS);
const idsOf = (products: readonly CatalogueProduct[]) => products.map(({ product_id: id }) => id);

describe('a forecast', () => {
  const product = fc.constantFrom(...CATALOGUE);
  const amount = fc.integer({ min: 0, max: 1e9 }).map((cents) => cents / 100);

  it('never gets smaller with more budget or a longer flight, and never spends more than the budget', () => {
    fc.assert(
      fc.property(product, amount, amount, fc.integer({ min: 1, max: 365 }), (one, some, more, days) => {
        for (const option of one.pricing_options) {
          const [low, high] = [Math.min(some, more), Math.max(some, more)];
          const small = forecastFor(one, low, option, { days });
          const large = forecastFor(one, high, option, { days });
          const longer = forecastFor(one, low, option, { days: days + 1 });
          for (const other of [large, longer]) {
            expect(other.impressions!.min).toBeGreaterThanOrEqual(small.impressions!.min);
            expect(other.impressions!.max).toBeGreaterThanOrEqual(small.impressions!.max);
          }
          expect(small.spend!.max).toBeLessThanOrEqual(low);
          expect(small.impressions!.min).toBeLessThanOrEqual(small.impressions!.max);
        }
      }),
    );
  });

  it('counts by what is paid for', () => {
    const [video] = CATALOGUE.filter(({ product_id: id }) => id === 'evening-video');
    const traits = { ...video!, dailyImpressions: 1_000_000, clickRate: 0.002, completionRate: 0.5 };
    const forecast = (model: string, price: number) =>
      forecastFor(traits, 100, { model, price, currency: 'EUR' }, { start: 0, end: 28 * 86_400_000 })
        .impressions;
    expect(forecast('cpm', 10)).toEqual({ min: 8_000, max: 11_500 });
    expect(forecast('cpc', 1)).toEqual({ min: 40_000, max: 57_500 });
    expect(forecast('cpcv', 0.02)).toEqual({ min: 8_000, max: 11_500 });
    expect(forecast('flat_rate', 100)).toEqual({ min: 5_600_000, max: 8_050_000 });
    expect(forecast('cpm', 0)?.max).toBe(28_000_000);
  });
});

describe('the catalogue of each seller', () => {
  it.each(SELLERS.map((spec) => [spec.name, spec] as const))('%s', (_name, spec) => {
    const products = catalogueOf(spec, FACTS);
    expect(catalogueOf({ ...spec }, { ...FACTS })).toEqual(products);
    expect(products.length).toBeGreaterThanOrEqual(12);
    expect(products.length).toBeLessThanOrEqual(24);
    expect(new Set(idsOf(products)).size).toBe(products.length);
    for (const product of products) {
      const formats = product.format_ids.map((id) => knownFormat(spec, id));
      expect(formats.every((format) => format !== undefined)).toBe(true);
      if (product.generative) expect(formats.every((format) => format?.generated)).toBe(true);
      const options = product.pricing_options.map(({ pricing_option_id: id }) => id);
      expect(new Set(options).size).toBe(options.length);
      expect(product.pricing_options.every(({ price, min_spend: least = 0 }) => price > 0 && least > 0)).toBe(
        true,
      );
    }
  });

  it('and what its capabilities say of it follow the schema', () => {
    const [spec] = SELLERS;
    const answer = {
      proto: {},
      supported_protocols: ['media_buy'],
      specialisms: salesSpecialisms(spec!, FACTS),
      media_buy: mediaBuyCapabilities(spec!, FACTS),
      account: accountCapabilities(['create_media_buy']),
    };
    expect(checkResponse('get_proto_capabilities', answer)).toEqual([]);
    expect(answer.specialisms).toEqual(['sales-guaranteed', 'sales-non-guaranteed']);
    expect(answer.media_buy.portfolio.primary_channels).toContain('display');
  });
});
