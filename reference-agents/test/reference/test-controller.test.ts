import { describe, expect, it } from 'vitest';
import { advanceMediaBuys } from '../../src/reference/media-buys/advance.ts';
import { aClip, aLine, anOrder, control, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey, OTHER_BUYER } from './support.ts';

async function statusOf(seller: AgentUnderTest, id: string, buyer = BUYER): Promise<string> {
  const answer = await seller.call('get_media_buy_delivery', { media_buy_ids: [id] }, buyer);
  return answer.media_buys[0].status;
}

async function order(seller: AgentUnderTest, parts: object = {}, buyer = BUYER): Promise<Answer> {
  return seller.call('create_media_buy', anOrder(parts, buyer), buyer);
}

describe('the test controller', () => {
  it('says what it can do', async () => {
    const seller = await startSeller();
    expect(await control(seller, 'list_scenarios')).toEqual({
      success: true,
      scenarios: [
        'list_scenarios',
        'force_media_buy_status',
        'force_creative_status',
        'force_account_status',
        'seed_product',
        'simulate_delivery',
        'advance_time',
      ],
    });
  });

  it('moves a media buy to what it can become, with its webhook', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await order(seller, {
      push_notification_config: { url: 'https://buyer.example/hook' },
    });
    for (const [status, previous] of [
      ['active', 'pending_start'],
      ['paused', 'active'],
      ['active', 'paused'],
      ['completed', 'active'],
    ]) {
      expect(await control(seller, 'force_media_buy_status', { media_buy_id, status })).toEqual({
        success: true,
        previous_state: previous,
        current_state: status,
      });
      expect(await statusOf(seller, media_buy_id)).toBe(status);
    }
    expect(seller.webhooks.map(({ payload }) => payload.sequence)).toEqual([1, 2, 3, 4]);
    expect(await control(seller, 'force_media_buy_status', { media_buy_id, status: 'active' })).toMatchObject(
      {
        success: false,
        error: 'INVALID_TRANSITION',
      },
    );
  });

  it('rejects with a reason', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await order(seller, {
      push_notification_config: { url: 'https://buyer.example/hook' },
    });
    await control(seller, 'force_media_buy_status', { media_buy_id, status: 'rejected', reason: 'sold out' });
    expect(seller.webhooks[0]?.payload).toMatchObject({ status: 'rejected', reason: 'sold out' });
  });

  it('lets a media buy run without creatives, and wait for them again', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await order(seller, { packages: [aLine({ creatives: [] })] });
    await control(seller, 'force_media_buy_status', { media_buy_id, status: 'active' });
    seller.clock.pass(86_400);
    const { impressions } = await seller.call('get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
    expect(impressions).toBeGreaterThan(0);
    const other = await order(seller);
    await control(seller, 'force_media_buy_status', {
      media_buy_id: other.media_buy_id,
      status: 'pending_creatives',
    });
    seller.clock.pass(60);
    expect(await statusOf(seller, other.media_buy_id)).toBe('pending_creatives');
  });

  it('approves a creative, and the media buy that waits for it goes on', async () => {
    const seller = await startSeller();
    const line = { product_id: 'film', budget: 50, pricing_option_id: 'cpcv', creatives: [aClip()] };
    const { media_buy_id } = await order(seller, { packages: [line] });
    const params = { creative_id: 'clip-1', status: 'approved' };
    expect(await control(seller, 'force_creative_status', params)).toMatchObject({
      previous_state: 'pending_review',
      current_state: 'approved',
    });
    expect(await statusOf(seller, media_buy_id)).toBe('pending_start');
    await control(seller, 'force_creative_status', { ...params, status: 'rejected' });
    expect(await statusOf(seller, media_buy_id)).toBe('pending_creatives');
  });

  it('suspends an account, which then cannot buy', async () => {
    const seller = await startSeller();
    expect(await control(seller, 'force_account_status', { status: 'suspended' })).toMatchObject({
      previous_state: 'active',
      current_state: 'suspended',
    });
    expect(await seller.refusal('create_media_buy', anOrder())).toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
  });

  it('adds products for the caller only', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const product = {
      product_id: 'mine',
      pricing_options: [{ pricing_option_id: 'cpm', model: 'cpm', price: 1, currency: 'EUR' }],
    };
    expect(await control(seller, 'seed_product', product)).toMatchObject({
      success: true,
      simulated: { product_id: 'mine' },
    });
    const line = aLine({ product_id: 'mine', creatives: [] });
    expect((await order(seller, { packages: [line] })).status).toBe('pending_creatives');
    const theirs = anOrder({ packages: [line] }, OTHER_BUYER);
    expect(await seller.refusal('create_media_buy', theirs, OTHER_BUYER)).toMatchObject({
      code: 'PRODUCT_NOT_FOUND',
    });
  });

  it('makes up delivery on top, never over the budget', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await order(seller);
    await control(seller, 'force_media_buy_status', { media_buy_id, status: 'active' });
    const made = await control(seller, 'simulate_delivery', {
      media_buy_id,
      impressions: 5_000,
      clicks: 40,
      spend: 600,
    });
    expect(made.simulated).toMatchObject({
      impressions: 5_000,
      clicks: 40,
      spend: { amount: 600, currency: 'EUR' },
    });
    expect(
      await control(seller, 'simulate_delivery', { media_buy_id, impressions: 1, spend: 400.01 }),
    ).toMatchObject({
      success: false,
      error: 'BUDGET_EXCEEDED',
    });
    seller.clock.set('2026-03-20T00:00:00Z');
    expect((await seller.call('get_media_buy_delivery', {})).spend.amount).toBe(1_000);
  });

  it('moves the time of one caller and of nobody else', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const mine = await order(seller, { push_notification_config: { url: 'https://buyer.example/hook' } });
    const theirs = await order(seller, {}, OTHER_BUYER);
    const moved = await control(seller, 'advance_time', { seconds: 8 * 86_400 });
    expect(moved.simulated).toEqual({
      seconds: 691_200,
      now: '2026-03-10T09:00:00.000Z',
      media_buys_changed: 1,
    });
    expect(seller.webhooks[0]?.payload).toMatchObject({
      status: 'active',
      occurred_at: '2026-03-10T00:00:00.000Z',
    });
    expect(await statusOf(seller, mine.media_buy_id)).toBe('active');
    expect(await statusOf(seller, theirs.media_buy_id, OTHER_BUYER)).toBe('pending_start');
    seller.clock.set('2026-03-12T00:00:00Z');
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(2);
    expect(await statusOf(seller, mine.media_buy_id)).toBe('completed');
    expect(await statusOf(seller, theirs.media_buy_id, OTHER_BUYER)).toBe('active');
  });

  it('takes new orders at the time of the caller', async () => {
    const seller = await startSeller();
    await control(seller, 'advance_time', { seconds: 9 * 86_400 });
    expect(await seller.refusal('create_media_buy', anOrder())).toMatchObject({ code: 'FLIGHT_IN_PAST' });
    expect((await order(seller, { start_time: '2026-03-11T09:00:00Z' })).status).toBe('active');
  });

  it('does not bring the clock beyond ten years', async () => {
    const seller = await startSeller();
    const params = { seconds: 366 * 86_400 };
    for (let year = 0; year < 10; year += 1)
      expect((await control(seller, 'advance_time', params)).success).toBe(true);
    expect(await control(seller, 'advance_time', params)).toMatchObject({
      success: false,
      error: 'INVALID_PARAMS',
    });
  });

  // biome-ignore format: a table
  it.each([
    ['an unknown scenario', 'make_it_rain', {}, 'UNKNOWN_SCENARIO'],
    ['a name that every object has', 'constructor', {}, 'UNKNOWN_SCENARIO'],
    ['no media buy', 'force_media_buy_status', { status: 'active' }, 'INVALID_PARAMS'],
    ['an unknown media buy', 'force_media_buy_status', { media_buy_id: 'x', status: 'active' }, 'MEDIA_BUY_NOT_FOUND'],
    ['a status that there is not', 'force_creative_status', { creative_id: 'x', status: 'pretty' }, 'INVALID_PARAMS'],
    ['an unknown creative', 'force_creative_status', { creative_id: 'x', status: 'approved' }, 'CREATIVE_NOT_FOUND'],
    ['a product without a name', 'seed_product', {}, 'VALIDATION_ERROR'],
    ['a product that is a list', 'seed_product', { product: [] }, 'INVALID_PARAMS'],
    ['time that goes back', 'advance_time', { seconds: -1 }, 'INVALID_PARAMS'],
    ['time in words', 'advance_time', { seconds: 'an hour' }, 'INVALID_PARAMS'],
    ['delivery of nothing', 'simulate_delivery', {}, 'INVALID_PARAMS'],
  ])('says no to %s', async (_why, scenario, params, error) => {
    const seller = await startSeller();
    const answer = await control(seller, scenario, params);
    expect(answer).toMatchObject({ success: false, error });
    expect(answer.error_detail).not.toBe('');
  });

  it('makes nothing up for what does not run', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await order(seller);
    for (const params of [
      { media_buy_id, impressions: 1 },
      { media_buy_id, package_id: 'x' },
    ]) {
      expect(await control(seller, 'simulate_delivery', params)).toMatchObject({
        success: false,
        error: 'INVALID_STATE',
      });
    }
    await control(seller, 'force_media_buy_status', { media_buy_id, status: 'active' });
    expect(await control(seller, 'simulate_delivery', { media_buy_id, package_id: 'x' })).toMatchObject({
      error: 'PACKAGE_NOT_FOUND',
    });
    expect(
      await control(seller, 'simulate_delivery', { media_buy_id, impressions: 1, clicks: 2 }),
    ).toMatchObject({ error: 'INVALID_PARAMS' });
  });

  it('needs an account to force one', async () => {
    const seller = await startSeller();
    const answer = await seller.call('comply_test_controller', {
      scenario: 'force_account_status',
      params: { status: 'active' },
    });
    expect(answer).toMatchObject({ success: false, error: 'INVALID_PARAMS' });
  });

  it('does not move what belongs to somebody else', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const { media_buy_id } = await order(seller);
    const answer = await control(
      seller,
      'force_media_buy_status',
      { media_buy_id, status: 'active' },
      OTHER_BUYER,
    );
    expect(answer).toMatchObject({ success: false, error: 'MEDIA_BUY_NOT_FOUND' });
    const update = { idempotency_key: freshKey(), media_buy_id, revision: 1 };
    expect((await seller.call('update_media_buy', update)).revision).toBe(1);
  });
});
