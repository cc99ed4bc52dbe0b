import { describe, expect, it } from 'vitest';
import { inEitherName, inOwnNames, inPublicNames, withNamesOf } from '../../src/protocol/field-names.ts';
import { checkResponse } from '../../src/protocol/read-request.ts';
import type { TaskName } from '../../src/protocol/tasks.ts';

const PUBLIC_PRODUCT = {
  product_id: 'p',
  name: 'Front pages',
  channels: ['streaming_audio', 'display'],
  format_ids: [],
  pricing_options: [{ pricing_option_id: 'o', pricing_model: 'cpm', fixed_price: 4.5, currency: 'EUR' }],
};

describe('the names of the two vocabularies', () => {
  // task, in ours, in the public one
  const SAME: readonly (readonly [TaskName, object, object])[] = [
    [
      'get_products',
      { products: [{ channels: ['audio'], pricing_options: [{ model: 'cpc', price: 1, min_spend: 2 }] }] },
      {
        products: [
          {
            channels: ['streaming_audio'],
            pricing_options: [{ pricing_model: 'cpc', fixed_price: 1, min_spend_per_package: 2 }],
          },
        ],
      },
    ],
    [
      'list_accounts',
      { accounts: [{ status: 'pending_review', billing: 'brand' }] },
      { accounts: [{ status: 'pending_approval', billing: 'advertiser' }] },
    ],
    [
      'check_governance',
      { decision: 'approved_with_conditions', reason: 'r', findings: [{ severity: 'error', message: 'm' }] },
      { status: 'conditions', explanation: 'r', findings: [{ severity: 'critical', explanation: 'm' }] },
    ],
    ['acquire_rights', { brand: { domain: 'a.example' } }, { buyer: { domain: 'a.example' } }],
  ];

  it.each(SAME)('of %s are read from the one as from the other', (task, own, other) => {
    expect(withNamesOf('proto', task, { ...other })).toMatchObject(own);
    expect(withNamesOf('adcp', task, { ...own })).toMatchObject(other);
  });

  it('never change what is said already, nor what is somebody’s own', () => {
    const said = { decision: 'escalated', status: 'denied', context: { status: 'denied' } };
    expect(withNamesOf('proto', 'check_governance', said)).toEqual(said);
  });

  it('add to an answer that is asked for by either, and change nothing in it', () => {
    const answer = { accounts: [{ status: 'pending_approval' }], products: [PUBLIC_PRODUCT] };
    const read = inEitherName('get_products', answer);
    expect(read).toMatchObject(answer);
    expect(read).toMatchObject({ products: [{ pricing_options: [{ model: 'cpm', price: 4.5 }] }] });
  });

  it('let our schemas judge a seller that says pricing_model where ours says model', () => {
    expect(checkResponse('get_products', { products: [PUBLIC_PRODUCT] })).toEqual([]);
  });

  it('are moved in a request, and not doubled: the public protocol closes some of its shapes', () => {
    expect(inPublicNames('get_rights', { query: 'q', brand: { domain: 'a.example' } })).toEqual({
      query: 'q',
      buyer_brand: { domain: 'a.example' },
    });
    const order = { governance_approval: 'jws' };
    expect(inPublicNames('create_media_buy', order)).toEqual({ governance_context: 'jws' });
    expect(inPublicNames('check_governance', order)).toEqual(order);
  });

  it('turn what has another shape, too', () => {
    const deployments = [
      { type: 'platform', platform: 'p', is_live: true, activation_key: { segment_id: 's' } },
    ];
    expect(inOwnNames('activate_signal', { deployments })).toMatchObject({
      activations: [{ platform: 'p', status: 'active', activation_key: 's' }],
    });
    expect(inOwnNames('create_media_buy', { total_budget: 5, currency: 'EUR' })).toMatchObject({
      total_budget: { amount: 5, currency: 'EUR' },
    });
    const conditions = [{ field: 'payload', reason: 'only in Ireland' }];
    expect(inOwnNames('check_governance', { conditions })).toMatchObject({ conditions: ['only in Ireland'] });
  });
});
