import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { checkPublicError, checkPublicResponse } from '../../src/protocol/public-shapes.ts';
import { publicShapeFiles } from '../../src/protocol/schema-files.ts';
import type { TaskName } from '../../src/protocol/tasks.ts';

const PRICE = { pricing_option_id: 'cpm-1', pricing_model: 'cpm', currency: 'EUR', fixed_price: 14 };

const PRODUCT = {
  product_id: 'evening-video',
  name: 'Evening video',
  description: 'Video in the evening',
  publisher_properties: [{ publisher_domain: 'tea.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://creative.example/mcp', id: 'video_15s' }],
  delivery_type: 'non_guaranteed',
  pricing_options: [PRICE],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: true,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
  },
};

const BUY = {
  media_buy_id: 'mb-1',
  packages: [{ package_id: 'p-1', product_id: 'evening-video', budget: 500, pricing_option_id: 'cpm-1' }],
};

const DELIVERY = {
  reporting_period: { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' },
  currency: 'EUR',
  media_buy_deliveries: [
    {
      media_buy_id: 'mb-1',
      status: 'active',
      totals: { impressions: 1000, spend: 14 },
      by_package: [
        { package_id: 'p-1', impressions: 1000, spend: 14, pricing_model: 'cpm', rate: 14, currency: 'EUR' },
      ],
    },
  ],
};

const RIGHTS = { rights_id: 'r', rights_agent: { url: 'https://rights.example/mcp', id: 'x' }, uses: [] };

const products = (change: JsonObject) => ({ products: [{ ...PRODUCT, ...change }] });
const priced = (change: JsonObject) => products({ pricing_options: [{ ...PRICE, ...change }] });

function faults(task: TaskName, answer: unknown): readonly string[] | undefined {
  return checkPublicResponse(task, answer)?.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe('an answer of a public agent follows its shape', () => {
  it.each<[string, TaskName, unknown]>([
    ['with products', 'get_products', { products: [PRODUCT] }],
    ['without any product', 'get_products', { products: [] }],
    ['in the envelope of a task', 'get_products', { status: 'completed', products: [], task_id: 't-1' }],
    ['with fields that the shape does not name', 'get_products', priced({ colour: 'red', note: { a: [1] } })],
    [
      'with its fields in another order',
      'get_products',
      { products: [Object.fromEntries(Object.entries(PRODUCT).toReversed())] },
    ],
    ['with a price for the auction', 'get_products', priced({ fixed_price: undefined, floor_price: 2 })],
    [
      'with a metric that has no value',
      'get_media_buy_delivery',
      {
        ...DELIVERY,
        aggregated_totals: { impressions: 1, spend: 1, media_buy_count: 1, completion_rate: null },
      },
    ],
    ['with an order', 'create_media_buy', BUY],
    ['with an order that is queued', 'create_media_buy', { status: 'submitted', task_id: 't-1' }],
    [
      'with errors in place of an order',
      'create_media_buy',
      { errors: [{ code: 'BUDGET_TOO_LOW', message: 'too low' }] },
    ],
    ['with a delivery', 'get_media_buy_delivery', DELIVERY],
    [
      'in the words of line 3.0',
      'check_governance',
      {
        check_id: 'c',
        plan_id: 'p',
        explanation: 'fine',
        status: 'approved',
        expires_at: '2026-03-01T00:00:00Z',
      },
    ],
    [
      'in the words of line 3.1',
      'check_governance',
      {
        check_id: 'c',
        plan_id: 'p',
        explanation: 'fine',
        status: 'completed',
        verdict: 'approved',
        expires_at: '2026-03-01T00:00:00Z',
      },
    ],
    [
      'with a form that only line 3.1 has',
      'get_products',
      { unchanged: true, wholesale_feed_version: '7', cache_scope: 'public' },
    ],
  ])('%s', (_name, task, answer) => {
    expect(faults(task, answer)).toEqual([]);
  });
});

describe('an answer of a public agent differs from its shape', () => {
  it.each<[string, TaskName, unknown, readonly string[]]>([
    [
      'a price sent as text',
      'get_products',
      priced({ fixed_price: '14' }),
      ['/products/0/pricing_options/0/fixed_price must be number'],
    ],
    [
      'a price below 0',
      'get_products',
      priced({ fixed_price: -1 }),
      ['/products/0/pricing_options/0/fixed_price must be at least 0'],
    ],
    [
      'a floor price sent as text',
      'get_products',
      priced({ fixed_price: undefined, floor_price: '2' }),
      ['/products/0/pricing_options/0/floor_price must be number'],
    ],
    [
      'a required field of the form is missing',
      'get_products',
      priced({ currency: undefined }),
      ['/products/0/pricing_options/0/currency is missing'],
    ],
    [
      'the discriminator is missing',
      'get_products',
      priced({ pricing_model: undefined }),
      ['/products/0/pricing_options/0/pricing_model is missing'],
    ],
    [
      'an unknown pricing model',
      'get_products',
      priced({ pricing_model: 'cpx' }),
      [
        '/products/0/pricing_options/0/pricing_model must be one of cpm, vcpm, cpc, cpcv, cpv, cpp, cpa, flat_rate, time',
      ],
    ],
    [
      'a field of another form has no meaning here, and one of this form is missing',
      'get_products',
      products({
        publisher_properties: [
          { publisher_domain: 'tea.example', selection_type: 'by_tag', property_ids: ['x'] },
        ],
      }),
      ['/products/0/publisher_properties/0/property_tags is missing'],
    ],
    [
      'a wrong type at depth',
      'get_products',
      products({ reporting_capabilities: { ...PRODUCT.reporting_capabilities, available_metrics: [7] } }),
      ['/products/0/reporting_capabilities/available_metrics/0 must be one of impressions'],
    ],
    [
      'a value that its enum does not have',
      'get_products',
      products({ delivery_type: 'sometimes' }),
      ['/products/0/delivery_type must be one of guaranteed, non_guaranteed'],
    ],
    [
      'neither of two fields',
      'get_products',
      products({ format_ids: undefined }),
      ['/products/0/format_ids is missing'],
    ],
    ['an empty answer', 'get_products', {}, ['/products is missing']],
    ['a list in place of an object', 'get_products', [], [' must be object']],
    ['an order without its packages', 'create_media_buy', { media_buy_id: 'mb-1' }, ['/packages is missing']],
    [
      'an empty answer to an order',
      'create_media_buy',
      {},
      ['/media_buy_id is missing', '/packages is missing'],
    ],
    [
      'an order with errors beside it',
      'create_media_buy',
      { ...BUY, errors: [{ code: 'X', message: 'no' }] },
      [' must not have errors in this form'],
    ],
    [
      'an error without its message',
      'create_media_buy',
      { errors: [{ code: 'X' }] },
      ['/errors/0/message is missing'],
    ],
    [
      'an error whose code is a number',
      'create_media_buy',
      { errors: [{ code: 7, message: 'no' }] },
      ['/errors/0/code must be string'],
    ],
    [
      'errors that are no list',
      'create_media_buy',
      { errors: { code: 'X', message: 'no' } },
      ['/errors must be array'],
    ],
    ['a queued order without its task', 'create_media_buy', { status: 'submitted' }, ['/task_id is missing']],
    [
      'spend sent as text',
      'get_media_buy_delivery',
      {
        ...DELIVERY,
        media_buy_deliveries: [{ ...DELIVERY.media_buy_deliveries[0], totals: { spend: '14' } }],
      },
      ['/media_buy_deliveries/0/totals/spend must be number'],
    ],
    [
      'a delivery without its period',
      'get_media_buy_delivery',
      { ...DELIVERY, reporting_period: undefined },
      ['/reporting_period is missing'],
    ],
    [
      'a decision that does not exist',
      'check_governance',
      { check_id: 'c', plan_id: 'p', explanation: 'fine', status: 'maybe' },
      ['/status must be one of approved, denied, conditions'],
    ],
    [
      'rights that are acquired without their terms',
      'acquire_rights',
      {
        rights_id: 'r',
        brand_id: 'b',
        status: 'acquired',
        generation_credentials: [],
        rights_constraint: RIGHTS,
      },
      ['/terms is missing'],
    ],
    [
      'rights with a status that does not exist',
      'acquire_rights',
      { rights_id: 'r', brand_id: 'b', status: 'sold' },
      ['/status must be one of acquired, pending_approval, rejected'],
    ],
    [
      'conditions that are announced and missing',
      'check_governance',
      { check_id: 'c', plan_id: 'p', explanation: 'fine', status: 'conditions', expires_at: 'soon' },
      ['/conditions is missing'],
    ],
  ])('%s', (_name, task, answer, expected) => {
    // JSON has no undefined
    const found = faults(task, JSON.parse(JSON.stringify(answer)));
    expect(found).toHaveLength(expected.length);
    expect(found).toEqual(expected.map((fault) => expect.stringContaining(fault)));
  });
});

describe('the shape of an error', () => {
  it('requires a code and a message, and a recovery only has known values', () => {
    expect(checkPublicError({ code: 'OWN_CODE', message: 'no', hint: 'x' })).toEqual([]);
    expect(checkPublicError({ code: 'OWN_CODE', message: 'no', recovery: 'never' })).toEqual([
      { pointer: '/recovery', message: 'must be one of transient, correctable, terminal', keyword: 'enum' },
    ]);
    expect(checkPublicError({}).map(({ pointer }) => pointer)).toEqual(['/code', '/message']);
  });
});

it('has no shape for a task that the public protocol does not have', () => {
  expect(checkPublicResponse('validate_creative', {})).toBeUndefined();
});

it('reports a payload that is too deep to check', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);
  expect(checkPublicResponse('get_products', deep)).toMatchObject([{ keyword: 'bounds' }]);
});

it('compiles every shape', () => {
  const tasks = [...publicShapeFiles().keys()].filter((name) => name !== 'shapes.json');
  expect(tasks).toHaveLength(24);
  const named = (file: string) => file.replace('.json', '').replace('get_adcp_', 'get_proto_') as TaskName;
  for (const file of tasks) expect([file, checkPublicResponse(named(file), 7)]).toMatchObject([file, [{}]]);
});
