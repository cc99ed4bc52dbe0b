import { describe, expect, it } from 'vitest';
import type { Product } from '../../../src/protocol/generated/types.ts';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { about, ask, brief, ids, refine, seller } from './products-support.ts';
import { OTHER_BUYER } from './support.ts';

describe('a refinement', () => {
  it('brings in more like a product, and then applies what is asked of the whole', async () => {
    const agent = seller();
    await agent.call('get_products', brief('radio in the morning'));
    const { products, refinement_applied: applied } = await agent.call(
      'get_products',
      refine([ask('only in the Netherlands'), about('family-telly', 'more_like_this')]),
    );
    expect(ids({ products })).toContain('evening-video');
    expect(products.every(({ countries }: Product) => countries?.includes('NL'))).toBe(true);
    expect(applied).toMatchObject([
      { scope: 'request', status: 'applied' },
      { scope: 'product', product_id: 'family-telly', status: 'applied' },
    ]);
  });

  it('of a refinement works on with what that left', async () => {
    const agent = seller();
    const first = await agent.call('get_products', {});
    const cheaper = await agent.call('get_products', refine([ask('cheaper')]));
    const again = await agent.call(
      'get_products',
      refine([ask('no display')], { proposal_id: cheaper.proposal_id }),
    );
    expect(cheaper.products.length).toBeLessThan(first.products.length);
    expect(again.products.length).toBeLessThan(cheaper.products.length);
    expect(ids(cheaper)).toEqual(expect.arrayContaining(ids(again)));
  });

  it('can go back to an earlier answer by its proposal_id', async () => {
    const agent = seller();
    const first = await agent.call('get_products', {});
    await agent.call('get_products', refine([ask('only podcasts')]));
    const other = await agent.call(
      'get_products',
      refine([ask('only screens')], { proposal_id: first.proposal_id }),
    );
    expect(ids(other)).toContain('harbour-screens');
  });

  it('without an earlier answer begins with the products that it names', async () => {
    const { products } = await seller().call('get_products', refine([about('evening-video', 'include')]));
    expect(ids({ products })).toEqual(['evening-video']);
  });

  it('leaves out a product, and it does not come back by likeness', async () => {
    const agent = seller();
    await agent.call('get_products', brief('video'));
    await agent.call('get_products', refine([about('evening-video', 'omit')]));
    const { products } = await agent.call('get_products', refine([about('family-telly', 'more_like_this')]));
    expect(ids({ products })).not.toContain('evening-video');
  });

  it('keeps a product that was put in, whatever is asked of the whole', async () => {
    const { products } = await seller().call(
      'get_products',
      refine([about('evening-video', 'include'), about('breakfast-audio', 'include'), ask('only audio')]),
    );
    expect(ids({ products }).sort()).toEqual(['breakfast-audio', 'evening-video']);
  });

  it.each([
    ['longer flights', 'in 56 days'],
    ['6 weeks please', 'in 42 days'],
    ['a budget of 5,000 euros', '5000 EUR by'],
    ['double the budget', '2000 EUR by'],
  ])('%j changes the forecasts', async (text, basis) => {
    const agent = seller();
    await agent.call('get_products', brief('evening video, 1,000 euros'));
    const { products, refinement_applied: applied } = await agent.call('get_products', refine([ask(text)]));
    expect(applied[0].status).toBe('applied');
    expect(products[0].forecast.basis).toContain(basis);
  });

  it.each([
    ['cheaper and in the Netherlands', 'applied'],
    ['more video, less audio', 'applied'],
    ['under 6 euro', 'applied'],
    ['more reach', 'applied'],
    ['fewer options', 'applied'],
    ['only guaranteed', 'applied'],
    ['cheaper, and with purple owls', 'partial'],
    ['only in Japan', 'not_applied'],
    ['under 0.001 euro', 'not_applied'],
    ['double the budget', 'not_applied'],
    ['purple owls', 'not_applied'],
    ['', 'not_applied'],
  ])('says honestly what became of %j: %s', async (text, status) => {
    const agent = seller();
    const before = await agent.call('get_products', {});
    const after = await agent.call('get_products', refine([ask(text)]));
    expect(after.refinement_applied[0].status).toBe(status);
    expect(after.refinement_applied[0].note).not.toBe('');
    if (status === 'not_applied') expect(ids(after)).toEqual(ids(before));
  });

  it.each([
    ['an action that is not known', about('evening-video', 'polish'), 'not_applied'],
    ['nothing is like it', about('morning-letter', 'more_like_this'), 'not_applied'],
    ['it is also left out', about('evening-video', 'include'), 'not_applied'],
    ['it was not there', about('harbour-screens', 'omit'), 'applied'],
    ['words about one product', { ...about('breakfast-audio', 'include'), ask: 'louder' }, 'partial'],
  ])('says honestly what became of a product: %s', async (_why, wish, status) => {
    const agent = seller();
    await agent.call('get_products', brief('only podcasts'));
    const filters = { channels: ['email', 'podcast', 'olv', 'dooh'] };
    const after = await agent.call(
      'get_products',
      refine([wish, about('evening-video', 'omit')], { filters }),
    );
    expect(after.refinement_applied[0].status).toBe(status);
  });

  it('of another buyer is not seen, nor of nobody in particular', async () => {
    const agent = seller();
    const { proposal_id: id } = await agent.call('get_products', brief('podcasts'));
    for (const caller of [OTHER_BUYER, ANONYMOUS]) {
      const refusal = await agent.refusal(
        'get_products',
        refine([ask('cheaper')], { proposal_id: id }),
        caller,
      );
      expect(refusal).toMatchObject({ code: 'REFERENCE_NOT_FOUND', pointer: '/proposal_id' });
    }
  });

  it('of an answer that has expired is refused, and the answer is cleared away', async () => {
    const agent = seller();
    const { proposal_id: id } = await agent.call('get_products', brief('podcasts'));
    agent.clock.pass(24 * 3_600);
    const refusal = await agent.refusal('get_products', refine([ask('cheaper')], { proposal_id: id }));
    expect(refusal.code).toBe('REFERENCE_NOT_FOUND');
    await agent.call('get_products', {});
    expect(agent.agent.state.due('proposals', agent.clock.now(), 10)).toEqual([]);
  });

  it('answers of nobody in particular are kept in bounds', async () => {
    const agent = seller();
    for (let count = 0; count < 210; count += 1) await agent.call('get_products', brief('tea'), ANONYMOUS);
    expect(agent.agent.state.collection('proposals', 'anonymous').count()).toBe(200);
  });
});
