import { describe, expect, it } from 'vitest';
import type { Product } from '../../../src/protocol/generated/types.ts';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { productHandlers } from '../../src/reference/handlers.ts';
import { about, brief, ids, refine, seller } from './products-support.ts';
import { freshKey, startAgent } from './support.ts';

describe('a brief', () => {
  it('puts the products that suit it best first, with a score and the reason', async () => {
    const { products } = await seller().call(
      'get_products',
      brief('evening video for a tea brand, 20,000 euros in March'),
    );
    expect(products[0].product_id).toBe('evening-video');
    expect(products[0].score).toBeGreaterThan(0.6);
    expect(products[0].brief_relevance).toContain('evening, online video and food');
  });

  it('leaves out what answers nothing of it', async () => {
    const answer = await seller().call('get_products', brief('podcasts'));
    expect(ids(answer)).toContain('night-bus-podcast');
    expect(answer.products.every(({ channels }: Product) => channels.includes('podcast'))).toBe(true);
  });

  it.each([
    ['radio in the morning', 'breakfast-audio'],
    ['screens for commuters', 'harbour-screens'],
    ['a newsletter for professionals', 'morning-letter'],
    ['local news in Ghent', 'local-front-page'],
    ['connected television for families', 'family-telly'],
    ['Stories read to us at night, any pod cast', 'night-bus-podcast'],
    ['VIDÉO in the évening, café and cuisine', 'evening-video'],
    ['you make the banners for us', 'written-for-you'],
    ['the allotment review', 'allotment-review-native'],
  ])('finds for %j first %s', async (text, first) => {
    const agent = startAgent({
      type: 'sales',
      handlers: productHandlers,
      spec: { description: 'Allotment, garden, home' },
    });
    expect(ids(await agent.call('get_products', brief(text)))[0]).toBe(first);
  });

  it('shows what it is against to nobody', async () => {
    const { products } = await seller().call(
      'get_products',
      brief('video or audio for families, but no radio'),
    );
    expect(products.length).toBeGreaterThan(2);
    expect(products.some(({ channels }: Product) => channels.includes('radio'))).toBe(false);
  });

  it('without criteria returns every product with a low score, and says so', async () => {
    const { products } = await seller().call('get_products', brief('zzz qqq'));
    expect(products.length).toBeGreaterThanOrEqual(12);
    expect(products[0].score).toBeLessThan(0.2);
    expect(products[0].brief_relevance).toContain('contains no criteria');
  });

  it('that nothing answers gets nothing, and is told what there is', async () => {
    const answer = await seller().call('get_products', brief('only in Japan'));
    expect(answer.products).toEqual([]);
    expect(answer.message).toContain('sold are');
  });

  it('with a small budget prefers what it can pay for', async () => {
    const { products } = await seller().call('get_products', brief('news, 300 euros'));
    const [first] = products as Product[];
    expect(first?.pricing_options[0]?.min_spend).toBeLessThanOrEqual(300);
    const dear = products.find(({ product_id }: Product) => product_id === 'morning-letter');
    expect(dear.brief_relevance).toContain('is over the budget');
  });

  it('makes the forecasts for its budget and flight', async () => {
    const [small] = (await seller().call('get_products', brief('evening video, 1,000 euros for 2 weeks')))
      .products;
    const [large] = (await seller().call('get_products', brief('evening video, 2,000 euros for 2 weeks')))
      .products;
    expect(large.forecast.impressions.min).toBeGreaterThan(small.forecast.impressions.min);
    expect(small.forecast.basis).toContain('1000 EUR by cpm in 14 days');
  });

  it('is answered in the same way twice', async () => {
    const one = await seller().call('get_products', brief('food and sport'));
    const other = await seller().call('get_products', brief('food and sport'));
    expect(one.products).toEqual(other.products);
  });

  it('of 20,000 characters is read, and a longer one refused', async () => {
    const agent = seller();
    const long = 'podcast '.repeat(2_500);
    expect(ids(await agent.call('get_products', brief(long)))).toContain('night-bus-podcast');
    const refusal = await agent.refusal('get_products', brief(`${long}x`));
    expect(refusal.pointer).toBe('/brief');
  });
});

describe('without a brief', () => {
  it('the whole catalogue is shown, to anybody', async () => {
    const { products } = await seller().call('get_products', {}, ANONYMOUS);
    expect(products.length).toBeGreaterThanOrEqual(12);
    expect(products.length).toBeLessThanOrEqual(24);
  });

  it('pages of the catalogue follow on each other', async () => {
    const agent = seller();
    const all = ids(await agent.call('get_products', {}));
    const first = await agent.call('get_products', { pagination: { max_results: 5 } });
    const { cursor } = first.pagination;
    const rest = await agent.call('get_products', { pagination: { max_results: 100, cursor } });
    expect([...ids(first), ...ids(rest)]).toEqual(all);
  });

  it('another seller sells something else', async () => {
    const other = startAgent({
      type: 'sales',
      handlers: productHandlers,
      spec: { name: 'Tin Roof Media', description: 'Radio and podcasts' },
    });
    expect(ids(await other.call('get_products', {}))).toContain('drive-time-radio');
    expect(await other.call('get_products', {})).not.toEqual(await seller().call('get_products', {}));
  });

  it('prices in the currency of the account come first', async () => {
    const agent = seller();
    const account = {
      brand: { domain: 'tidewater-ferries.example' },
      operator: 'tidewater-group.example',
    };
    await agent.call('sync_accounts', {
      idempotency_key: freshKey(),
      accounts: [{ ...account, currency: 'GBP' }],
    });
    const { products } = await agent.call('get_products', { account });
    expect(products[0].pricing_options[0].currency).toBe('GBP');
  });
});

describe('filters', () => {
  it.each([
    [{ channels: ['podcast'] }, (one: Product) => one.channels.includes('podcast')],
    [{ countries: ['be'] }, (one: Product) => one.countries?.includes('BE')],
    [{ delivery_type: 'guaranteed' }, (one: Product) => one.delivery_type === 'guaranteed'],
    [{ max_price: 6 }, (one: Product) => one.pricing_options.every(({ price }) => price <= 6)],
    [
      { format_ids: [{ agent_url: 'https://creative-1.agents.example/mcp/', id: 'newsletter_text' }] },
      (one: Product) => one.format_ids.some(({ id }) => id === 'newsletter_text'),
    ],
  ])('%j hold for everything that is shown, also after a refinement', async (filters, holds) => {
    const agent = seller();
    const { products } = await agent.call('get_products', { filters });
    expect(products.length).toBeGreaterThan(0);
    expect(products.every(holds)).toBe(true);
    const more = await agent.call(
      'get_products',
      refine([about('evening-video', 'more_like_this'), about('local-front-page', 'include')]),
    );
    expect(more.products.every(holds)).toBe(true);
  });

  it('an empty list limits nothing', async () => {
    const agent = seller();
    expect(ids(await agent.call('get_products', { filters: { channels: [] } }))).toEqual(
      ids(await agent.call('get_products', {})),
    );
  });
});
