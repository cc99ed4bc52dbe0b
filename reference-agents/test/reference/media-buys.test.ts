import { describe, expect, it } from 'vitest';
import {
  aClip,
  aCreative,
  accountOf,
  aLine,
  anOrder,
  control,
  SELLER,
  startSeller,
} from './media-buys-support.ts';
import { type Answer, BUYER, freshKey, OTHER_BUYER } from './support.ts';

describe('an order', () => {
  it('waits for its start, with ids, a forecast and sums of its own', async () => {
    const seller = await startSeller();
    const buy = await seller.call(
      'create_media_buy',
      anOrder({ total_budget: { amount: 1_000, currency: 'EUR' } }),
    );
    expect(buy).toMatchObject({
      status: 'pending_start',
      total_budget: { amount: 1_000, currency: 'EUR' },
      revision: 1,
      start_time: '2026-03-10T00:00:00.000Z',
      packages: [
        {
          product_id: 'front-page',
          budget: 1_000,
          status: 'pending_start',
          creative_assignments: [{ creative_id: 'banner-1' }],
          pacing_index: 1,
        },
      ],
    });
    expect(buy.packages[0].forecast.impressions.max).toBeGreaterThan(0);
  });

  it('is active at once when its flight begins now', async () => {
    const seller = await startSeller();
    const buy = await seller.call('create_media_buy', anOrder({ start_time: '2026-03-02T08:59:30Z' }));
    expect(buy.status).toBe('active');
    expect(seller.webhooks).toEqual([]);
  });

  it('waits for creatives that it names or that are still to be reviewed', async () => {
    const seller = await startSeller();
    const empty = await seller.call('create_media_buy', anOrder({ packages: [aLine({ creatives: [] })] }));
    expect(empty.status).toBe('pending_creatives');
    expect(empty.packages[0].format_ids).toEqual([{ agent_url: SELLER, id: 'display_300x250' }]);
    const line = { product_id: 'film', budget: 50, pricing_option_id: 'cpcv', creatives: [aClip()] };
    const film = await seller.call('create_media_buy', anOrder({ packages: [line] }));
    expect(film.status).toBe('pending_creatives');
    await control(seller, 'force_creative_status', { creative_id: 'clip-1', status: 'approved' });
    const now = await seller.call('get_media_buy_delivery', { media_buy_ids: [film.media_buy_id] });
    expect(now.media_buys[0].status).toBe('pending_start');
  });

  it('takes creatives of the library by their ids', async () => {
    const seller = await startSeller();
    await seller.call('sync_creatives', {
      idempotency_key: freshKey(),
      account: accountOf(),
      creatives: [aCreative('lib-1')],
    });
    const line = aLine({
      creatives: undefined,
      creative_assignments: [{ creative_id: 'lib-1', weight: 60 }],
    });
    const buy = await seller.call('create_media_buy', anOrder({ packages: [line] }));
    expect(buy.packages[0].creative_assignments).toEqual([{ creative_id: 'lib-1', weight: 60 }]);
    expect(buy.status).toBe('pending_start');
  });

  it('has its creative made from a brief where the product is generative', async () => {
    const seller = await startSeller();
    const line = { product_id: 'poem', budget: 500, pricing_option_id: 'flat' };
    const buy = await seller.call(
      'create_media_buy',
      anOrder({ packages: [line], brief: 'tea for rainy days' }),
    );
    expect(buy.status).toBe('pending_start');
    expect(buy.packages[0].creative_assignments).toHaveLength(1);
  });

  it('is the same again for the same key, and nothing of it is done twice', async () => {
    const seller = await startSeller();
    const order = anOrder();
    const first = await seller.call('create_media_buy', order);
    expect(await seller.call('create_media_buy', order)).toEqual({ ...first, replayed: true });
    expect((await seller.call('get_media_buy_delivery', {})).media_buys).toHaveLength(1);
  });

  it('is seen by nobody but its buyer', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const { media_buy_id: id } = await seller.call('create_media_buy', anOrder());
    expect((await seller.call('get_media_buy_delivery', {}, OTHER_BUYER)).media_buys).toEqual([]);
    for (const [task, request] of [
      ['get_media_buy_delivery', { media_buy_ids: [id] }],
      ['update_media_buy', { idempotency_key: freshKey(), media_buy_id: id, paused: true }],
    ] as const) {
      expect(await seller.refusal(task, request, OTHER_BUYER)).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND' });
    }
  });
});

describe('an order under a plan', () => {
  const approval = {
    issuer: 'https://governance-1.agents.example/mcp',
    jti: 'j-1',
    planId: 'plan-1',
    conditions: [],
    budget: { amount: 2_000, currency: 'EUR' },
  };

  it('uses its approval, and no approval is used twice', async () => {
    const asked: object[] = [];
    const approvals = {
      read: async (_token: string, expected: object) => {
        asked.push(expected);
        return { ...approval, expiresAt: Date.parse('2026-03-02T10:00:00Z') };
      },
    };
    const seller = await startSeller({ parts: { approvals } });
    const order = anOrder({ plan_id: 'plan-1', governance_approval: 'a.b.c' });
    const buy = await seller.call('create_media_buy', order);
    expect(asked).toMatchObject([
      { tool: 'create_media_buy', caller: BUYER.id, planId: 'plan-1', payload: order },
    ]);
    expect((await seller.call('create_media_buy', order)).replayed).toBe(true);
    const again = { ...order, idempotency_key: freshKey() };
    expect(await seller.refusal('create_media_buy', again)).toMatchObject({ code: 'APPROVAL_INVALID' });
    const more = {
      idempotency_key: freshKey(),
      media_buy_id: buy.media_buy_id,
      packages: [{ package_id: buy.packages[0].package_id, budget: 1_200 }],
    };
    expect(await seller.refusal('update_media_buy', more)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    const less = { ...more, idempotency_key: freshKey(), packages: [{ ...more.packages[0], budget: 800 }] };
    expect((await seller.call('update_media_buy', less)).total_budget.amount).toBe(800);
  });

  it('cannot spend the money of a canceled package a second time without another one', async () => {
    const approvals = { read: async () => ({ ...approval, expiresAt: Date.parse('2026-03-02T10:00:00Z') }) };
    const seller = await startSeller({ parts: { approvals } });
    const packages = [aLine(), aLine()];
    const order = anOrder({ packages, plan_id: 'plan-1', governance_approval: 'a.b.c' });
    const buy = await seller.call('create_media_buy', order);
    seller.clock.set('2026-03-19T00:00:00Z');
    const [first, second] = buy.packages.map((part: Answer) => part.package_id);
    const changes = [
      { package_id: first, canceled: true },
      { package_id: second, budget: 2_000 },
    ];
    const update = { idempotency_key: freshKey(), media_buy_id: buy.media_buy_id, packages: changes };
    expect(await seller.refusal('update_media_buy', update)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
  });
});
