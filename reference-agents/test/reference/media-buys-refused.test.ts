import { describe, expect, it } from 'vitest';
import { aClip, aCreative, accountOf, aLine, anOrder, SELLER, startSeller } from './media-buys-support.ts';
import { freshKey } from './support.ts';

// biome-ignore format: a table
const REFUSED: readonly (readonly [why: string, order: object, code: string, pointer: string])[] = [
  ['an account that nobody opened', { account: { ...accountOf(), brand: { domain: 'other.example' } } }, 'ACCOUNT_NOT_FOUND', '/account'],
  ['another brand than the account’s', { brand: { domain: 'other.example' } }, 'VALIDATION_ERROR', '/brand'],
  ['an end before the start', { end_time: '2026-03-09T00:00:00Z' }, 'FLIGHT_INVALID', '/end_time'],
  ['a start in the past', { start_time: '2026-03-02T08:58:59Z' }, 'FLIGHT_IN_PAST', '/start_time'],
  ['a flight that is over', { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' }, 'FLIGHT_IN_PAST', '/end_time'],
  ['a moment that no calendar has', { start_time: '2026-06-30T23:59:60Z' }, 'VALIDATION_ERROR', '/start_time'],
  ['an unknown product', { packages: [aLine({ product_id: 'nothing' })] }, 'PRODUCT_NOT_FOUND', '/packages/0/product_id'],
  ['an unknown pricing option', { packages: [aLine(), aLine({ pricing_option_id: 'x' })] }, 'PRICING_OPTION_NOT_FOUND', '/packages/1/pricing_option_id'],
  ['a price in another currency', { packages: [aLine({ pricing_option_id: 'cpm-gbp' })] }, 'VALIDATION_ERROR', '/packages/0/pricing_option_id'],
  ['a budget below zero', { packages: [aLine({ budget: -1 })] }, 'BUDGET_TOO_LOW', '/packages/0/budget'],
  ['no budget', { packages: [aLine({ budget: 0 })] }, 'BUDGET_TOO_LOW', '/packages/0/budget'],
  ['less than the least', { packages: [aLine({ budget: 99.99 })] }, 'BUDGET_TOO_LOW', '/packages/0/budget'],
  ['a budget beyond counting', { packages: [aLine({ budget: 1e300 })] }, 'BUDGET_EXCEEDED', '/packages/0/budget'],
  ['parts of a cent', { packages: [aLine({ budget: 1_000.001 })] }, 'VALIDATION_ERROR', '/packages/0/budget'],
  ['a total that is not the sum', { total_budget: { amount: 1_000.01, currency: 'EUR' } }, 'VALIDATION_ERROR', '/total_budget'],
  ['a total in another currency', { total_budget: { amount: 1_000, currency: 'GBP' } }, 'VALIDATION_ERROR', '/total_budget/currency'],
  ['a package before its buy', { packages: [aLine({ start_time: '2026-03-09T00:00:00Z' })] }, 'FLIGHT_INVALID', '/packages/0/start_time'],
  ['a package after its buy', { packages: [aLine({ end_time: '2026-03-21T00:00:00Z' })] }, 'FLIGHT_INVALID', '/packages/0/end_time'],
  ['an unknown creative', { packages: [aLine({ creative_assignments: [{ creative_id: 'x' }] })] }, 'CREATIVE_NOT_FOUND', '/packages/0/creative_assignments/0/creative_id'],
  ['a creative of another format', { packages: [aLine({ creatives: [aClip()] })] }, 'CREATIVE_REJECTED', '/packages/0/creatives/0/creative_id'],
  ['a creative that breaks its format', { packages: [aLine({ creatives: [aCreative('bad', { assets: {} })] })] }, 'CREATIVE_REJECTED', '/packages/0/creatives/0/assets/image'],
  ['a format that the product has not', { packages: [aLine({ format_ids: [{ agent_url: SELLER, id: 'video_16x9_15s' }] })] }, 'FORMAT_NOT_FOUND', '/packages/0/format_ids/0'],
  ['a brief for a product that is not generative', { brief: 'tea' }, 'UNSUPPORTED_FEATURE', '/brief'],
  ['a brief for such a package', { packages: [aLine({ brief: 'tea' })] }, 'UNSUPPORTED_FEATURE', '/packages/0/brief'],
  ['an unknown audience', { packages: [aLine({ audience_ids: ['x'] })] }, 'REFERENCE_NOT_FOUND', '/packages/0/audience_ids/0'],
  ['an unknown segment', { packages: [aLine({ signal_agent_segment_ids: ['x'] })] }, 'SIGNAL_NOT_FOUND', '/packages/0/signal_agent_segment_ids/0'],
  ['a webhook without https', { push_notification_config: { url: 'http://buyer.example/' } }, 'VALIDATION_ERROR', '/push_notification_config/url'],
  ['a webhook without a signature', { push_notification_config: { url: 'https://buyer.example/', authentication: { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(32) } } }, 'UNSUPPORTED_FEATURE', '/push_notification_config/authentication'],
  ['a plan without an approval', { plan_id: 'plan-1' }, 'APPROVAL_REQUIRED', '/governance_approval'],
  ['an approval that does not hold', { plan_id: 'plan-1', governance_approval: 'e30.e30.e30' }, 'APPROVAL_INVALID', ''],
];

describe('an order that is refused', () => {
  it.each(REFUSED)('for %s', async (_why, parts, code, pointer) => {
    const seller = await startSeller();
    const refused = await seller.refusal('create_media_buy', anOrder(parts));
    expect({ code: refused.code, pointer: refused.pointer ?? '' }).toEqual({ code, pointer });
    expect((await seller.call('get_media_buy_delivery', {})).media_buys).toEqual([]);
  });

  it('is told what time it is for whoever moved it, and what starts late has time for its creatives', async () => {
    const seller = await startSeller();
    const past = { start_time: '2026-03-02T08:58:59Z' };
    expect(await seller.refusal('create_media_buy', anOrder(past))).toMatchObject({
      suggestion: 'choose a time after 2026-03-02T09:00:00.000Z, the current time of this caller',
    });
    const late = await seller.call('create_media_buy', anOrder({ start_time: '2026-03-02T08:59:30Z' }));
    expect(late.creative_deadline).toBe(late.created_at);
  });

  it('leaves nothing behind, not even creatives', async () => {
    const seller = await startSeller();
    const late = aLine({ product_id: 'nothing', creatives: [] });
    await seller.refusal('create_media_buy', anOrder({ packages: [aLine(), late] }));
    const named = aLine({ creatives: [], creative_assignments: [{ creative_id: 'banner-1' }] });
    expect(await seller.refusal('create_media_buy', anOrder({ packages: [named] }))).toMatchObject({
      code: 'CREATIVE_NOT_FOUND',
    });
  });

  it('is over what the account may spend, with what it has ordered before', async () => {
    const seller = await startSeller();
    const account = { ...accountOf(), sandbox: false };
    await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts: [account] });
    await seller.call('comply_test_controller', {
      scenario: 'force_account_status',
      params: { status: 'active' },
      account,
    });
    const order = (budget: number) => anOrder({ account, packages: [aLine({ budget })] });
    const first = await seller.call('create_media_buy', order(30_000));
    expect(await seller.refusal('create_media_buy', order(20_000.01))).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      pointer: '/packages',
      suggestion: '20000 EUR are left',
    });
    const cancel = { idempotency_key: freshKey(), media_buy_id: first.media_buy_id, canceled: true };
    await seller.call('update_media_buy', cancel);
    expect((await seller.call('create_media_buy', order(50_000))).status).toBe('pending_start');
  });
});
