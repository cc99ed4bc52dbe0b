import { expect, it } from 'vitest';
import { ask, brief, ids, refine, seller } from './products-support.ts';
import { BUYER } from './support.ts';

const PAD = 'y'.repeat(90_000);

it('what is kept of an answer is bounded, whatever the request had beside what counts', async () => {
  const agent = seller();
  const filters = {
    channels: Array.from({ length: 50 }, () => 'Display'),
    countries: Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? 'nl' : 'NL')),
    vendor_ext: Array.from({ length: 70 }, () => PAD),
  };
  await agent.call('get_products', brief('papers', { filters }));
  const kept = agent.agent.state.collection<object>('proposals', BUYER.id).list();
  expect(kept).toMatchObject([{ document: { filters: { channels: ['display'], countries: ['NL'] } } }]);
  expect(JSON.stringify(kept).length).toBeLessThan(80_000);
});

it('a refinement has the filters of the answer that it refines', async () => {
  const agent = seller();
  const first = await agent.call(
    'get_products',
    brief('papers', { filters: { channels: ['Display'], vendor_ext: PAD } }),
  );
  const next = await agent.call('get_products', refine([ask('cheaper')], { proposal_id: first.proposal_id }));
  expect(ids(first)).toEqual(expect.arrayContaining(ids(next)));
  for (const product of next.products) expect(product.channels).toContain('display');
});
