import type { Reply } from './peer.ts';

/** The agents of the sandbox that are called, one of each type; each speaks MCP and A2A. */
export const AGENTS = {
  sales: 'https://sales-1.agents.example',
  creative: 'https://creative-1.agents.example',
  signals: 'https://signals-1.agents.example',
  governance: 'https://governance-1.agents.example',
  brand: 'https://brand-1.agents.example',
  rights: 'https://rights-1.agents.example',
} as const;
export type AgentName = keyof typeof AGENTS;

export const CALLER = 'https://desk.example/agent';
const OPERATOR = 'desk.example';
const DAY = 86_400_000;

/** One call in the words of the public protocol, line 3.0. */
export interface Step {
  readonly agent: AgentName;
  readonly task: string;
  /** Tells rows of one task apart. */
  readonly about?: string;
  readonly request: (lane: Lane) => Record<string, unknown>;
  /** The code of a refusal; without it the answer has to be accepted. */
  readonly refusal?: string;
  /** What an answer has to say besides. */
  readonly holds?: (answer: NonNullable<Reply['data']>, lane: Lane) => boolean;
  /** Only for the Python client, which has a newer call for the task as well. */
  readonly canonical?: true;
  /** The seller's time is moved ahead before, by so many days. */
  readonly advance?: number;
}

/** Who calls over what, with what was answered until now. */
export interface Lane {
  /** Of this client, transport and run alone. */
  readonly id: string;
  readonly now: number;
  answer(task: string, about?: string): NonNullable<Reply['data']>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of strangers, read as their user would read them
type Any = any;

const brandOf = (lane: Lane) => ({ domain: `${lane.id}.example` });
const accountOf = (lane: Lane) => ({ brand: brandOf(lane), operator: OPERATOR, sandbox: true });
const keyOf = (lane: Lane, what: string) => `${what}-${lane.id}`.padEnd(24, '-');
/** With an offset, as the protocol allows. */
const at = (time: number) => new Date(time + 7_200_000).toISOString().replace(/\.\d+Z$/, '+02:00');
const productOf = (lane: Lane): Any => (lane.answer('get_products').products as Any)[0];
const pricingOf = (lane: Lane): Any =>
  productOf(lane).pricing_options.find(({ currency }: Any) => currency === 'EUR') ??
  productOf(lane).pricing_options[0];
const packageOf = (lane: Lane) => ({
  product_id: productOf(lane).product_id,
  pricing_option_id: pricingOf(lane).pricing_option_id,
  budget: 5_000,
});
const orderOf = (lane: Lane, more: object = {}) => ({
  idempotency_key: keyOf(lane, 'buy'),
  account: accountOf(lane),
  brand: brandOf(lane),
  start_time: at(lane.now + 3 * DAY),
  end_time: at(lane.now + 17 * DAY),
  packages: [{ ...packageOf(lane), creative_assignments: [{ creative_id: `creative-${lane.id}` }] }],
  ...more,
});
const buyOf = (lane: Lane): string => lane.answer('create_media_buy').media_buy_id as string;
const formatOf = (lane: Lane): Any =>
  (lane.answer('list_creative_formats', 'creative').formats as Any).find(
    ({ format_id: { id } }: Any) => id === 'display_300x250',
  ).format_id;
const manifestOf = (lane: Lane): Any => lane.answer('build_creative').creative_manifest;
const signalOf = (lane: Lane): Any => (lane.answer('get_signals').signals as Any)[0];
const planOf = (lane: Lane) => `plan-${lane.id}`;
const rightOf = (lane: Lane): Any => (lane.answer('get_rights').rights as Any)[0];

const capabilities = (agent: AgentName): Step => ({
  agent,
  task: 'get_adcp_capabilities',
  about: agent,
  request: () => ({}),
});

const SALES: readonly Step[] = [
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
  { agent: 'sales', task: 'create_media_buy', request: (lane) => orderOf(lane) },
  { agent: 'sales', task: 'create_media_buy', about: 'replayed', request: (lane) => orderOf(lane) },
  {
    agent: 'sales',
    task: 'create_media_buy',
    about: 'other payload',
    refusal: 'IDEMPOTENCY_CONFLICT',
    request: (lane) => orderOf(lane, { end_time: at(lane.now + 20 * DAY) }),
  },
  {
    agent: 'sales',
    task: 'create_media_buy',
    about: 'unknown product',
    refusal: 'PRODUCT_NOT_FOUND',
    request: (lane) =>
      orderOf(lane, {
        idempotency_key: keyOf(lane, 'lost'),
        packages: [{ ...packageOf(lane), product_id: 'no-such-product' }],
        context: { trace: lane.id },
      }),
  },
  {
    agent: 'sales',
    task: 'create_media_buy',
    about: 'unknown account',
    refusal: 'ACCOUNT_NOT_FOUND',
    request: (lane) =>
      orderOf(lane, {
        idempotency_key: keyOf(lane, 'alien'),
        account: { brand: { domain: 'nobody.example' }, operator: OPERATOR },
      }),
  },
  {
    agent: 'sales',
    task: 'create_media_buy',
    about: 'three decimals',
    refusal: 'VALIDATION_ERROR',
    request: (lane) =>
      orderOf(lane, {
        idempotency_key: keyOf(lane, 'third'),
        packages: [{ ...packageOf(lane), budget: 5_000.005 }],
      }),
  },
  {
    agent: 'sales',
    task: 'get_media_buys',
    request: (lane) => ({ account: accountOf(lane), media_buy_ids: [buyOf(lane)] }),
  },
  {
    agent: 'sales',
    task: 'update_media_buy',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'update'),
      account: accountOf(lane),
      media_buy_id: buyOf(lane),
      paused: true,
    }),
  },
  {
    agent: 'sales',
    task: 'update_media_buy',
    about: 'unknown buy',
    refusal: 'MEDIA_BUY_NOT_FOUND',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'update-lost'),
      account: accountOf(lane),
      media_buy_id: 'mb_nothing',
      paused: true,
    }),
  },
  {
    agent: 'sales',
    task: 'get_media_buy_delivery',
    request: (lane) => ({ account: accountOf(lane), media_buy_ids: [buyOf(lane)] }),
  },
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
  {
    agent: 'sales',
    task: 'update_media_buy',
    about: 'resumed',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'resume'),
      account: accountOf(lane),
      media_buy_id: buyOf(lane),
      paused: false,
    }),
  },
  {
    agent: 'sales',
    task: 'get_media_buy_delivery',
    about: 'a week later',
    advance: 7,
    holds: ({ media_buy_deliveries: all }) => (all as Any)[0].totals.impressions > 0,
    request: (lane) => ({ account: accountOf(lane), media_buy_ids: [buyOf(lane)] }),
  },
  {
    agent: 'sales',
    task: 'provide_performance_feedback',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'feedback'),
      media_buy_id: buyOf(lane),
      measurement_period: { start: at(lane.now + 3 * DAY), end: at(lane.now + 4 * DAY) },
      performance_index: 1.2,
      metric_type: 'overall_performance',
      feedback_source: 'buyer_attribution',
    }),
  },
];

const OF_SALES: readonly Step[] = [
  { agent: 'sales', task: 'get_products', request: () => ({ buying_mode: 'brief', brief: 'banners' }) },
  { agent: 'sales', task: 'list_creatives', request: () => ({}) },
  { agent: 'sales', task: 'get_media_buys', request: (lane) => ({ media_buy_ids: [buyOf(lane)] }) },
  { agent: 'sales', task: 'get_media_buy_delivery', request: (lane) => ({ media_buy_ids: [buyOf(lane)] }) },
];

const CANONICAL = OF_SALES.map((step): Step => ({ ...step, about: 'canonical', canonical: true }));

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

const CREATIVE: readonly Step[] = [
  capabilities('creative'),
  { agent: 'creative', task: 'list_creative_formats', about: 'creative', request: () => ({}) },
  {
    agent: 'creative',
    task: 'build_creative',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'build'),
      message: 'A headline "A kayak for the first warm weekend", calm',
      brand: brandOf(lane),
      target_format_id: formatOf(lane),
    }),
  },
  {
    agent: 'creative',
    task: 'build_creative',
    about: 'several formats',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'build-all'),
      message: 'A headline "Paddle out", lively',
      brand: brandOf(lane),
      target_format_ids: [formatOf(lane)],
    }),
  },
  {
    agent: 'creative',
    task: 'preview_creative',
    request: (lane) => ({ request_type: 'single', creative_manifest: manifestOf(lane) }),
  },
];

const SIGNALS: readonly Step[] = [
  capabilities('signals'),
  {
    agent: 'signals',
    task: 'sync_accounts',
    about: 'signals',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'accounts'),
      accounts: [{ brand: brandOf(lane), operator: OPERATOR, billing: 'operator', sandbox: true }],
    }),
  },
  { agent: 'signals', task: 'get_signals', request: () => ({ signal_spec: 'people who like the sea' }) },
  {
    agent: 'signals',
    task: 'activate_signal',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'activate'),
      account: accountOf(lane),
      signal_agent_segment_id: signalOf(lane).signal_agent_segment_id,
      destinations: [
        { type: 'platform', platform: signalOf(lane).deployments[0].platform ?? 'tidewater-dsp' },
      ],
    }),
  },
  {
    agent: 'signals',
    task: 'activate_signal',
    about: 'unknown signal',
    refusal: 'SIGNAL_NOT_FOUND',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'activate-lost'),
      account: accountOf(lane),
      signal_agent_segment_id: 'no-such-segment',
      destinations: [{ type: 'platform', platform: 'tidewater-dsp' }],
    }),
  },
];

const checkOf = (lane: Lane, budget: number) => ({
  plan_id: planOf(lane),
  caller: CALLER,
  tool: 'create_media_buy',
  payload: {
    ...orderOf(lane),
    packages: [{ product_id: 'local-front-page', pricing_option_id: 'cpm-eur', budget }],
    total_budget: { amount: budget, currency: 'EUR' },
  },
});

const GOVERNANCE: readonly Step[] = [
  capabilities('governance'),
  {
    agent: 'governance',
    task: 'sync_plans',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'plans'),
      plans: [
        {
          plan_id: planOf(lane),
          brand: brandOf(lane),
          objectives: 'kayaks for the first warm weekend',
          budget: { total: 20_000, currency: 'EUR', reallocation_unlimited: true },
          flight: { start: at(lane.now), end: at(lane.now + 40 * DAY) },
          countries: ['GB'],
        },
      ],
    }),
  },
  { agent: 'governance', task: 'check_governance', request: (lane) => checkOf(lane, 5_000) },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'too much',
    holds: ({ decision }) => decision === 'denied',
    request: (lane) => checkOf(lane, 50_000),
  },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'three decimals',
    holds: ({ decision }) => decision === 'denied',
    request: (lane) => checkOf(lane, 5_000.005),
  },
  {
    agent: 'governance',
    task: 'check_governance',
    about: 'unknown plan',
    refusal: 'PLAN_NOT_FOUND',
    request: (lane) => ({ ...checkOf(lane, 5_000), plan_id: 'no-such-plan' }),
  },
  {
    agent: 'governance',
    task: 'get_plan_audit_logs',
    request: (lane) => ({ plan_ids: [planOf(lane)], include_entries: true }),
  },
];

const BRANDS: readonly Step[] = [
  capabilities('brand'),
  { agent: 'brand', task: 'get_brand_identity', request: () => ({ brand_id: 'tidewater' }) },
  {
    agent: 'brand',
    task: 'get_brand_identity',
    about: 'unknown brand',
    refusal: 'REFERENCE_NOT_FOUND',
    request: () => ({ brand_id: 'no_such_brand' }),
  },
  capabilities('rights'),
  {
    agent: 'rights',
    task: 'get_rights',
    request: (lane) => ({ query: 'a voice for radio', uses: ['voice'], buyer_brand: brandOf(lane) }),
  },
  {
    agent: 'rights',
    task: 'acquire_rights',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'rights'),
      rights_id: rightOf(lane).rights_id,
      pricing_option_id: rightOf(lane).pricing_options[0].pricing_option_id,
      buyer: brandOf(lane),
      campaign: {
        description: 'Kayaks on the radio',
        uses: [rightOf(lane).available_uses[0]],
        start_date: at(lane.now).slice(0, 10),
        end_date: at(lane.now + 20 * DAY).slice(0, 10),
      },
      revocation_webhook: { url: 'https://hooks.desk.example/webhooks' },
    }),
  },
];

/** The creative comes first: the seller gets what it makes. */
export const STEPS: readonly Step[] = [
  ...CREATIVE,
  ...SALES,
  ...CANONICAL,
  ...SIGNALS,
  ...GOVERNANCE,
  ...BRANDS,
];
