import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { about, ask, brief, refine, seller } from './products-support.ts';

describe('a request that means nothing', () => {
  const format = { agent_url: 'https://creative-1.agents.example/mcp', id: 'hologram' };
  const account = { brand: { domain: 'acme.example' }, operator: 'tidewater-group.example' };
  it.each([
    ['a blank brief', brief('  '), 'VALIDATION_ERROR', '/brief'],
    ['wishes in a brief', brief('tea', { refine: [ask('cheaper')] }), 'VALIDATION_ERROR', '/refine'],
    ['a proposal in a brief', brief('tea', { proposal_id: 'prop_1' }), 'VALIDATION_ERROR', '/proposal_id'],
    ['a brief in a refinement', refine([ask('cheaper')], { brief: 'tea' }), 'VALIDATION_ERROR', '/brief'],
    [
      'an unknown answer',
      refine([ask('cheaper')], { proposal_id: 'prop_1' }),
      'REFERENCE_NOT_FOUND',
      '/proposal_id',
    ],
    [
      'an unknown product',
      refine([ask('cheaper'), about('no-such', 'omit')]),
      'PRODUCT_NOT_FOUND',
      '/refine/1/product_id',
    ],
    [
      'an unknown format',
      { filters: { format_ids: [format] } },
      'FORMAT_NOT_FOUND',
      '/filters/format_ids/0/id',
    ],
    [
      'a country by its name',
      { filters: { countries: ['NL', 'Peru'] } },
      'VALIDATION_ERROR',
      '/filters/countries/1',
    ],
    ['an unknown account', { account }, 'ACCOUNT_NOT_FOUND', '/account'],
    [
      'a stranger as operator',
      { account: { ...account, operator: 'magpie.example' } },
      'PERMISSION_DENIED',
      '/account/operator',
    ],
    ['a cursor of nobody', { pagination: { cursor: 'abc' } }, 'VALIDATION_ERROR', '/pagination/cursor'],
    [
      'a later page of what is not named',
      refine([ask('cheaper')], { pagination: { cursor: 'abc' } }),
      'VALIDATION_ERROR',
      '/proposal_id',
    ],
  ])('%s is refused with its code and place', async (_what, request, code, pointer) => {
    expect(await seller().refusal('get_products', request)).toMatchObject({ code, pointer });
  });

  it('an account of nobody in particular is refused', async () => {
    expect(await seller().refusal('get_products', { account }, ANONYMOUS)).toMatchObject({
      code: 'AUTH_REQUIRED',
      pointer: '/account',
    });
  });
});
