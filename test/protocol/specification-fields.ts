import type { TaskName } from '../../src/protocol/tasks.ts';

/** The fields of one task as the specification's table has them: dots lead into objects, `[]` into lists. */
export interface TaskFields {
  readonly request: readonly string[];
  readonly response: readonly string[];
}

const BRAND = ['brand', 'brand.domain'];
const ACCOUNT = ['account', 'account.brand', 'account.brand.domain', 'account.operator'];
const formatId = (path: string) => [path, `${path}.agent_url`, `${path}.id`];

/** Written from the specification's 4.3, line by line and in its order; the schemas are held against it. */
export const SPECIFIED: Readonly<Partial<Record<TaskName, TaskFields>>> = {
  get_proto_capabilities: { request: [], response: [] },
  sync_accounts: {
    request: [
      'idempotency_key',
      'accounts[]',
      'accounts[].brand',
      'accounts[].brand.domain',
      'accounts[].operator',
      'accounts[].billing',
    ],
    response: ['accounts[].status'],
  },
  list_accounts: { request: [], response: ['accounts[]'] },
  get_products: {
    request: [
      'buying_mode',
      'brief',
      ...BRAND,
      'refine[]',
      'refine[].scope',
      'refine[].product_id',
      'refine[].action',
      'refine[].ask',
    ],
    response: [
      'products[]',
      'products[].product_id',
      'products[].name',
      'products[].channels[]',
      'products[].pricing_options[].model',
      'products[].pricing_options[].price',
      'products[].pricing_options[].currency',
      'products[].forecast.impressions.min',
      'products[].forecast.impressions.max',
      ...formatId('products[].format_ids[]'),
    ],
  },
  list_creative_formats: {
    request: ['type'],
    response: [
      'formats[]',
      'formats[].dimensions',
      'formats[].codecs',
      'formats[].file_sizes',
      'formats[].duration_limits',
    ],
  },
  build_creative: {
    request: ['idempotency_key', 'message', ...BRAND, ...formatId('target_format_ids[]')],
    response: [],
  },
  sync_creatives: {
    request: [
      'idempotency_key',
      ...ACCOUNT,
      'creatives[].creative_id',
      'creatives[].name',
      ...formatId('creatives[].format_id'),
      'creatives[].assets.*.asset_type',
      'creatives[].assets.*.url',
      'creatives[].assets.*.width',
      'creatives[].assets.*.height',
      'creatives[].assets.*.duration_ms',
    ],
    response: [],
  },
  create_media_buy: {
    request: [
      'idempotency_key',
      ...ACCOUNT,
      ...BRAND,
      'start_time',
      'end_time',
      'packages[].product_id',
      'packages[].budget',
      'packages[].pricing_option_id',
      'brief',
    ],
    response: ['media_buy_id', 'replayed'],
  },
  update_media_buy: {
    request: [
      'idempotency_key',
      'packages[].budget',
      'start_time',
      'end_time',
      'packages[].creative_assignments[]',
    ],
    response: ['replayed'],
  },
  sync_audiences: {
    request: [
      'idempotency_key',
      ...ACCOUNT,
      'audiences[].audience_id',
      'audiences[].name',
      'audiences[].audience_type',
    ],
    response: [],
  },
  get_signals: {
    request: ['signal_spec'],
    response: [
      'signals[].pricing_options[]',
      'signals[].coverage_percentage',
      'signals[].activation_options[]',
    ],
  },
  activate_signal: {
    request: ['idempotency_key', 'signal_agent_segment_id', 'destinations[].type', 'destinations[].platform'],
    response: [],
  },
  check_governance: { request: ['plan_id', 'caller', 'tool', 'payload'], response: ['decision'] },
  get_plan_audit_logs: {
    request: [],
    response: [
      'entries[].timestamp',
      'entries[].actor',
      'entries[].action',
      'entries[].details',
      'entries[].reason',
      'entries[].conditions[]',
    ],
  },
  get_media_buy_delivery: {
    request: [],
    response: [
      'impressions',
      'clicks',
      'spend.amount',
      'spend.currency',
      'by_package[].product_id',
      'by_package[].impressions',
      'by_package[].completion_rate',
    ],
  },
  log_event: {
    request: [
      'idempotency_key',
      'event_source_id',
      'events[].event_id',
      'events[].event_type',
      'events[].event_time',
      'events[].action_source',
      'events[].custom_data.value',
      'events[].custom_data.currency',
    ],
    response: [],
  },
  provide_performance_feedback: {
    request: [
      'idempotency_key',
      'media_buy_id',
      'measurement_period.start',
      'measurement_period.end',
      'performance_index',
    ],
    response: [],
  },
  sync_catalogs: {
    request: [
      'idempotency_key',
      ...ACCOUNT,
      'catalogs[].catalog_id',
      'catalogs[].name',
      'catalogs[].type',
      'catalogs[].url',
      'catalogs[].feed_format',
      'catalogs[].update_frequency',
    ],
    response: [],
  },
  get_brand_identity: { request: [], response: ['colors', 'logos[]', 'tone', 'visual_guidelines'] },
};
