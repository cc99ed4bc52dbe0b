import { expect, test } from 'vitest';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { answered, bundleOf, OPEN, runAt, startAgent, stepOf, withPhases } from './support/runs.ts';

const STEP = '{id: s, task: get_products, validations: [{check: response_schema}]}';
const BUNDLE = bundleOf(withPhases(`  - id: p\n    steps:\n      - ${STEP}`));
const { proto, ...rest } = OPEN;

/** The same product in each vocabulary, with a price. */
const PRODUCTS = {
  proto: (price: unknown) => ({
    product_id: 'p-1',
    name: 'Evening video',
    channels: ['olv'],
    format_ids: [{ agent_url: 'https://creative.example/mcp', id: 'video_15s' }],
    pricing_options: [{ pricing_option_id: 'cpm-1', model: 'cpm', currency: 'EUR', price }],
  }),
  adcp: (price: unknown) => ({
    product_id: 'p-1',
    name: 'Evening video',
    description: 'Video in the evening',
    publisher_properties: [{ publisher_domain: 'tea.example', selection_type: 'all' }],
    format_ids: [{ agent_url: 'https://creative.example/mcp', id: 'video_15s' }],
    delivery_type: 'guaranteed',
    pricing_options: [
      { pricing_option_id: 'cpm-1', pricing_model: 'cpm', currency: 'EUR', fixed_price: price },
    ],
    reporting_capabilities: {
      available_reporting_frequencies: ['daily'],
      expected_delay_minutes: 60,
      timezone: 'UTC',
      supports_webhooks: false,
      available_metrics: ['impressions'],
      date_range_support: 'date_range',
    },
  }),
};

const AGENTS = {
  mcp: async (task: string, capabilities: object, products: object) => {
    const answer = () => answered(products);
    const { url } = await startAgent({ named: [task], tools: ['get_products'], capabilities, answer });
    return url;
  },
  a2a: async (task: string, capabilities: object, products: object) => {
    const answers = { [task]: capabilities, get_products: products };
    return `${await serve(a2aAgent({ version: '0.3', skills: [task, 'get_products'], answers }))}/a2a`;
  },
};

test.each([
  ['proto', 'mcp', '/products/0/pricing_options/0/price must be number'],
  ['proto', 'a2a', '/products/0/pricing_options/0/price must be number'],
  ['adcp', 'mcp', '/products/0/pricing_options/0/fixed_price must be number'],
  ['adcp', 'a2a', '/products/0/pricing_options/0/fixed_price must be number'],
] as const)(
  'a price sent as text fails an agent of %s over %s, and a number passes',
  async (vocabulary, protocol, message) => {
    const task = `get_${vocabulary}_capabilities`;
    const capabilities = vocabulary === 'proto' ? OPEN : { ...rest, adcp: proto };
    const stepWith = async (price: unknown) => {
      const products = { products: [PRODUCTS[vocabulary](price)] };
      const url = await AGENTS[protocol](task, capabilities, products);
      return stepOf(await runAt(url, BUNDLE, { protocols: [protocol] }), 's');
    };
    expect((await stepWith(14)).result).toBe('pass');
    const { result, checks } = await stepWith('14');
    expect(result).toBe('fail');
    expect(checks.filter((check) => check.result === 'fail')).toMatchObject([
      { check: 'response_schema', message, actual: '14' },
    ]);
  },
);
