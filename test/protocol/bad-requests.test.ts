import { describe, expect, it } from 'vitest';
import type { KnownErrorCode } from '../../src/protocol/generated/types.ts';
import type { TaskName } from '../../src/protocol/tasks.ts';
import { refusal } from './refusal.ts';
import { type Payload, requestOf } from './requests.ts';

const PACKAGE = { product_id: 'p', budget: 5, pricing_option_id: 'cpm-1' };

describe('a request with a field that is missing or wrong', () => {
  // task, change of its example, code, pointer
  const BAD: readonly (readonly [TaskName, Payload, KnownErrorCode, string])[] = [
    ['create_media_buy', { idempotency_key: undefined }, 'INVALID_REQUEST', '/idempotency_key'],
    ['create_media_buy', { idempotency_key: '' }, 'VALIDATION_ERROR', '/idempotency_key'],
    ['create_media_buy', { idempotency_key: 'k'.repeat(256) }, 'VALIDATION_ERROR', '/idempotency_key'],
    [
      'create_media_buy',
      { account: { brand: { domain: 'a.example' } } },
      'INVALID_REQUEST',
      '/account/operator',
    ],
    [
      'create_media_buy',
      { account: { brand: {}, operator: 'o' } },
      'INVALID_REQUEST',
      '/account/brand/domain',
    ],
    ['create_media_buy', { brand: 'acme.example' }, 'INVALID_REQUEST', '/brand'],
    ['create_media_buy', { brand: { domain: 'https://acme.example/' } }, 'VALIDATION_ERROR', '/brand/domain'],
    ['create_media_buy', { start_time: 'tomorrow' }, 'VALIDATION_ERROR', '/start_time'],
    ['create_media_buy', { end_time: '2026-04-01T00:00:00+02:00' }, 'VALIDATION_ERROR', '/end_time'],
    ['create_media_buy', { packages: [] }, 'VALIDATION_ERROR', '/packages'],
    ['create_media_buy', { packages: {} }, 'INVALID_REQUEST', '/packages'],
    [
      'create_media_buy',
      { packages: [PACKAGE, { budget: 5, pricing_option_id: 'x' }] },
      'INVALID_REQUEST',
      '/packages/1/product_id',
    ],
    [
      'create_media_buy',
      { packages: [{ ...PACKAGE, budget: '5' }] },
      'INVALID_REQUEST',
      '/packages/0/budget',
    ],
    ['create_media_buy', { packages: [{ ...PACKAGE, budget: -1 }] }, 'BUDGET_TOO_LOW', '/packages/0/budget'],
    ['create_media_buy', { brief: 'b'.repeat(20_001) }, 'VALIDATION_ERROR', '/brief'],
    [
      'create_media_buy',
      { push_notification_config: { url: 'nowhere' } },
      'VALIDATION_ERROR',
      '/push_notification_config/url',
    ],
    ['update_media_buy', { media_buy_id: undefined }, 'INVALID_REQUEST', '/media_buy_id'],
    [
      'update_media_buy',
      { packages: [{ package_id: 'p', budget: -0.01 }] },
      'BUDGET_TOO_LOW',
      '/packages/0/budget',
    ],
    ['update_media_buy', { canceled: false }, 'VALIDATION_ERROR', '/canceled'],
    ['get_products', { buying_mode: 'haggle' }, 'VALIDATION_ERROR', '/buying_mode'],
    ['get_products', { buying_mode: 'refine' }, 'INVALID_REQUEST', '/refine'],
    ['get_products', { buying_mode: 'brief', brief: undefined }, 'INVALID_REQUEST', '/brief'],
    [
      'get_products',
      { refine: [{ scope: 'product', action: 'more_like_this' }] },
      'INVALID_REQUEST',
      '/refine/0/product_id',
    ],
    ['get_products', { refine: [{ scope: 'request' }] }, 'INVALID_REQUEST', '/refine/0/ask'],
    ['get_products', { refine: [{ scope: 'planet', ask: 'more' }] }, 'VALIDATION_ERROR', '/refine/0/scope'],
    ['sync_accounts', { accounts: [{ operator: 'o' }] }, 'INVALID_REQUEST', '/accounts/0/brand'],
    [
      'sync_creatives',
      { creatives: [{ creative_id: 'c', name: 'n', format_id: { id: 'x' }, assets: {} }] },
      'INVALID_REQUEST',
      '/creatives/0/format_id/agent_url',
    ],
    [
      'sync_creatives',
      { creatives: [{ ...creative(), assets: { 'a/b~c': { url: 'https://a.example/' } } }] },
      'INVALID_REQUEST',
      '/creatives/0/assets/a~1b~0c/asset_type',
    ],
    ['build_creative', { target_format_ids: undefined }, 'INVALID_REQUEST', '/target_format_ids'],
    [
      'sync_audiences',
      { audiences: [{ audience_id: 'a', add: [{ hashed_email: 'ann@acme.example' }] }] },
      'VALIDATION_ERROR',
      '/audiences/0/add/0/hashed_email',
    ],
    ['get_signals', { signal_spec: undefined }, 'INVALID_REQUEST', '/signal_spec'],
    [
      'activate_signal',
      { destinations: [{ type: 'platform' }] },
      'INVALID_REQUEST',
      '/destinations/0/platform',
    ],
    [
      'activate_signal',
      { destinations: [{ type: 'agent' }] },
      'INVALID_REQUEST',
      '/destinations/0/agent_url',
    ],
    ['check_governance', { payload: 'p' }, 'INVALID_REQUEST', '/payload'],
    ['check_governance', { caller: 'me' }, 'VALIDATION_ERROR', '/caller'],
    ['get_plan_audit_logs', { plan_id: undefined }, 'INVALID_REQUEST', '/plan_id'],
    ['get_media_buy_delivery', { start_date: '2026-02-30' }, 'VALIDATION_ERROR', '/start_date'],
    [
      'log_event',
      { events: [{ event_id: 'e', event_type: 'purchase' }] },
      'INVALID_REQUEST',
      '/events/0/event_time',
    ],
    ['provide_performance_feedback', { performance_index: -1 }, 'VALIDATION_ERROR', '/performance_index'],
    ['provide_performance_feedback', { performance_index: null }, 'INVALID_REQUEST', '/performance_index'],
    ['sync_catalogs', { catalogs: [{ name: 'n' }] }, 'INVALID_REQUEST', '/catalogs/0/catalog_id'],
    [
      'sync_plans',
      { plans: [{ plan_id: 'p', budget: { total: -1, currency: 'EUR' } }] },
      'BUDGET_TOO_LOW',
      '/plans/0/budget/total',
    ],
    ['acquire_rights', { rights_id: 7 }, 'INVALID_REQUEST', '/rights_id'],
    ['comply_test_controller', { scenario: undefined }, 'INVALID_REQUEST', '/scenario'],
  ];

  it.each(BAD)('%s with %j is %s at %s', (task, change, code, pointer) => {
    expect(refusal(task, requestOf(task, change))).toEqual([code, pointer]);
  });
});

function creative(): Payload {
  return {
    creative_id: 'c',
    name: 'n',
    format_id: { agent_url: 'https://a.example/mcp', id: 'x' },
    assets: {},
  };
}
