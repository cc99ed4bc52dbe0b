import { describe, expect, it } from 'vitest';
import { type TaskCall, TaskRefused } from '../../src/reference/handler.ts';
import { productHandlers } from '../../src/reference/handlers.ts';
import { findPricingOption, productIn, productsFor } from '../../src/reference/products/find-product.ts';
import { seedProduct } from '../../src/reference/products/seed-product.ts';
import { BUYER, OTHER_BUYER, startAgent } from './support.ts';

function seller() {
  const started = startAgent({ type: 'sales', handlers: productHandlers });
  const call = (caller = BUYER): TaskCall => ({
    agent: started.agent,
    caller,
    now: started.clock.now(),
    newId: (prefix) => `${prefix}_test`,
  });
  return { ...started, callOf: call };
}

/** As an order looks it up. */
const findProduct = (call: TaskCall, id: string, pointer: string) =>
  productIn(productsFor(call), id, pointer);

/** Code and place of the refusal. */
function refusalOf(work: () => unknown): readonly unknown[] {
  try {
    work();
  } catch (error) {
    if (error instanceof TaskRefused) return [error.problem.code, error.problem.pointer];
    throw error;
  }
  return [];
}

describe('a seeded product', () => {
  it('is found and sold to the caller that seeded it, and to nobody else', async () => {
    const agent = seller();
    seedProduct(agent.callOf(), { product_id: 'test-blimp', name: 'A blimp', channels: ['blimp'] });
    const request = { buying_mode: 'brief', brief: 'a blimp' };
    const { products } = await agent.call('get_products', request);
    expect(products[0]).toMatchObject({ product_id: 'test-blimp', channels: ['blimp'] });
    expect(findProduct(agent.callOf(), 'test-blimp', '/x').pricing_options).toHaveLength(1);
    expect(refusalOf(() => findProduct(agent.callOf(OTHER_BUYER), 'test-blimp', '/x'))).toEqual([
      'PRODUCT_NOT_FOUND',
      '/x',
    ]);
  });

  it('takes the place of a product with its id', () => {
    const agent = seller();
    const pricing_options = [{ pricing_option_id: 'free', model: 'cpm', price: 0, currency: 'EUR' }];
    seedProduct(agent.callOf(), { product_id: 'evening-video', pricing_options });
    const product = findProduct(agent.callOf(), 'evening-video', '/x');
    expect(findPricingOption(product, 'free', '/y').price).toBe(0);
    expect(refusalOf(() => findPricingOption(product, 'cpm-eur', '/y'))).toEqual([
      'PRICING_OPTION_NOT_FOUND',
      '/y',
    ]);
  });

  it('takes nothing from a seed that its shape does not know', () => {
    const seeded = seedProduct(seller().callOf(), {
      product_id: 'odd',
      dailyImpressions: 'many',
      score: 1,
      constructor: 1,
    });
    expect(seeded.dailyImpressions).toBe(50_000);
    expect(seeded.score).toBeUndefined();
  });

  it.each([
    [{}, '/params'],
    [{ product_id: 5 }, '/params/product_id'],
    [{ product_id: 'x', channels: 'display' }, '/params/channels'],
    [{ product_id: 'x', pricing_options: [] }, '/params/pricing_options'],
    [
      { product_id: 'x', pricing_options: [{ model: 'cpm', price: 1, currency: 'EUR' }] },
      '/params/pricing_options',
    ],
    [
      { product_id: 'x', pricing_options: [{ model: 'cpm', price: -1, currency: 'EUR' }] },
      '/params/pricing_options/0/price',
    ],
  ])('%j is refused', (seed, pointer) => {
    expect(refusalOf(() => seedProduct(seller().callOf(), seed))).toEqual(['VALIDATION_ERROR', pointer]);
  });

  it('may have any names and prices, and the answers keep their shape', async () => {
    const agent = seller();
    seedProduct(agent.callOf(), {
      product_id: '<b>'.repeat(80),
      name: '__proto__ <script>',
      countries: Array.from({ length: 20 }, (_, at) => `${at}${'x'.repeat(490)}`),
      channels: ['constructor', 'display'],
      pricing_options: [
        { pricing_option_id: 'most', model: 'toString', price: 1e308, currency: 'XXX', min_spend: 1e308 },
        { pricing_option_id: 'least', model: 'cpm', price: 1e-308, currency: 'USD' },
      ],
    });
    for (const brief of ['script, 20 euros', '1,000 pounds', 'only in Japan', 'script under 1 dollar']) {
      const { products } = await agent.call('get_products', { buying_mode: 'brief', brief });
      expect(JSON.stringify(products)).not.toContain('null');
    }
    const wishes = ['cheaper', 'more reach', 'no display'].map((ask) => ({ scope: 'request', ask }));
    await agent.call('get_products', { buying_mode: 'refine', refine: wishes });
  });

  it('is one of fifty at most', () => {
    const call = seller().callOf();
    for (let count = 0; count < 50; count += 1) seedProduct(call, { product_id: `p${count}` });
    expect(refusalOf(() => seedProduct(call, { product_id: 'p50' }))).toEqual([
      'VALIDATION_ERROR',
      '/params',
    ]);
    expect(seedProduct(call, { product_id: 'p0', name: 'changed' }).name).toBe('changed');
  });
});
