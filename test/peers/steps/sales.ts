import {
  accountOf,
  at,
  brandOf,
  capabilities,
  DAY,
  keyOf,
  type Lane,
  manifestOf,
  OPERATOR,
  type Step,
} from './lane.ts';
import { productOf } from './media-buys.ts';

/** Accounts, what a seller has, and what a buyer gives it besides media buys. */
export const SALES: readonly Step[] = [
  capabilities('sales'),
  {
    agent: 'sales',
    task: 'sync_accounts',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'accounts'),
      accounts: [{ brand: brandOf(lane), operator: OPERATOR, billing: 'operator', sandbox: true }],
    }),
  },
  { agent: 'sales', task: 'list_accounts', request: () => ({}) },
  {
    agent: 'sales',
    task: 'get_products',
    request: (lane) => ({
      buying_mode: 'brief',
      brief: 'display on the papers of the coast',
      brand: brandOf(lane),
      context: { trace: lane.id },
    }),
  },
  {
    agent: 'sales',
    task: 'get_products',
    about: 'wholesale',
    request: (lane) => ({ buying_mode: 'wholesale', brand: brandOf(lane) }),
  },
  {
    agent: 'sales',
    task: 'get_products',
    about: 'refine',
    request: (lane) => ({
      buying_mode: 'refine',
      brand: brandOf(lane),
      refine: [
        { scope: 'product', product_id: productOf(lane).product_id, action: 'more_like_this' },
        { scope: 'request', ask: 'cheaper' },
      ],
    }),
  },
  { agent: 'sales', task: 'list_creative_formats', about: 'sales', request: () => ({}) },
  {
    agent: 'sales',
    task: 'sync_creatives',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'creatives'),
      account: accountOf(lane),
      creatives: [
        {
          creative_id: `creative-${lane.id}`,
          name: 'A banner',
          format_id: manifestOf(lane).format_id,
          assets: manifestOf(lane).assets,
        },
      ],
    }),
  },
  { agent: 'sales', task: 'list_creatives', request: () => ({}) },
  {
    agent: 'sales',
    task: 'log_event',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'events'),
      event_source_id: `shop-${lane.id}`,
      events: [
        {
          event_id: 'e1',
          event_type: 'purchase',
          event_time: at(lane.now - DAY),
          action_source: 'website',
          custom_data: { value: 12.5, currency: 'EUR' },
        },
      ],
    }),
  },
  { agent: 'sales', task: 'sync_audiences', about: 'sales', request: (lane) => audiencesOf(lane) },
  {
    agent: 'sales',
    task: 'sync_catalogs',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'catalogs'),
      account: accountOf(lane),
      catalogs: [
        {
          catalog_id: `catalog-${lane.id}`,
          name: 'Kayaks',
          type: 'product',
          items: [{ item_id: 'kayak-1', title: 'A red kayak', price: { amount: 500, currency: 'EUR' } }],
        },
      ],
    }),
  },
  {
    agent: 'sales',
    task: 'comply_test_controller',
    request: () => ({ scenario: 'list_scenarios' }),
  },
];

const audiencesOf = (lane: Lane) => ({
  idempotency_key: keyOf(lane, 'audiences'),
  account: accountOf(lane),
  audiences: [
    {
      audience_id: `audience-${lane.id}`,
      name: 'Buyers of kayaks',
      audience_type: 'suppression',
      add: [{ external_id: 'one', hashed_email: 'a'.repeat(64) }],
    },
  ],
});
