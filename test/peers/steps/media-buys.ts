import {
  type Any,
  accountOf,
  at,
  brandOf,
  DAY,
  HOOK,
  keyOf,
  type Lane,
  OPERATOR,
  type Step,
} from './lane.ts';

export const productOf = (lane: Lane): Any => (lane.answer('get_products').products as Any)[0];
const pricingOf = (lane: Lane): Any =>
  productOf(lane).pricing_options.find(({ currency }: Any) => currency === 'EUR') ??
  productOf(lane).pricing_options[0];
const packageOf = (lane: Lane) => ({
  product_id: productOf(lane).product_id,
  pricing_option_id: pricingOf(lane).pricing_option_id,
  budget: 5_000,
});
export const orderOf = (lane: Lane, more: object = {}) => ({
  idempotency_key: keyOf(lane, 'buy'),
  account: accountOf(lane),
  brand: brandOf(lane),
  start_time: at(lane.now + 3 * DAY),
  end_time: at(lane.now + 17 * DAY),
  packages: [{ ...packageOf(lane), creative_assignments: [{ creative_id: `creative-${lane.id}` }] }],
  push_notification_config: HOOK,
  ...more,
});
const buyOf = (lane: Lane): string => lane.answer('create_media_buy').media_buy_id as string;

/** The life of a media buy: refused, made, changed, delivered. */
export const MEDIA_BUYS: readonly Step[] = [
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

/** Once more by the newer calls of the Python client. */
export const CANONICAL = OF_SALES.map((step): Step => ({ ...step, about: 'canonical', canonical: true }));
