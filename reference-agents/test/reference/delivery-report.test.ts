import { describe, expect, it } from 'vitest';
import { aClip, accountOf, aLine, anOrder, control, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, freshKey } from './support.ts';

const FILM = { product_id: 'film', budget: 50, pricing_option_id: 'cpcv', creatives: [aClip()] };

async function running(packages: readonly object[] = [aLine(), aLine({ budget: 333.33 })]) {
  const seller = await startSeller();
  const buy = await seller.call('create_media_buy', anOrder({ packages }));
  seller.clock.set('2026-03-14T07:30:00Z');
  return { seller, buy };
}

function report(seller: AgentUnderTest, parts: object = {}): Promise<Answer> {
  return seller.call('get_media_buy_delivery', parts);
}

describe('a delivery report', () => {
  it('adds up to the cent, by package and by media buy', async () => {
    const { seller } = await running();
    await seller.call('create_media_buy', anOrder({ start_time: '2026-03-14T07:29:30Z' }));
    seller.clock.set('2026-03-16T12:00:00Z');
    const { by_package: parts, media_buys: buys, ...total } = await report(seller);
    expect(parts).toHaveLength(3);
    for (const list of [parts, buys] as Answer[][]) {
      expect(sum(list, (one) => one.impressions)).toBe(total.impressions);
      expect(sum(list, (one) => one.clicks)).toBe(total.clicks);
      expect(sum(list, (one) => Math.round(one.spend.amount * 100))).toBe(
        Math.round(total.spend.amount * 100),
      );
    }
    expect(total.impressions).toBeGreaterThan(0);
  });

  it('costs what its impressions cost', async () => {
    const { seller } = await running([aLine()]);
    const { impressions, spend } = await report(seller);
    expect(spend.amount).toBe(Math.floor(impressions) / 100);
  });

  it('is the same twice at one moment, and never less later', async () => {
    const { seller } = await running();
    const first = await report(seller);
    expect(await report(seller)).toEqual(first);
    seller.clock.pass(3_600);
    expect((await report(seller)).impressions).toBeGreaterThanOrEqual(first.impressions);
  });

  it('is the sum of its days', async () => {
    const { seller, buy } = await running();
    await seller.call('update_media_buy', {
      idempotency_key: freshKey(),
      media_buy_id: buy.media_buy_id,
      paused: true,
    });
    seller.clock.set('2026-03-16T18:00:00Z');
    await seller.call('update_media_buy', {
      idempotency_key: freshKey(),
      media_buy_id: buy.media_buy_id,
      paused: false,
    });
    seller.clock.set('2026-03-25T00:00:00Z');
    const whole = await report(seller);
    const days = [];
    for (let day = 10; day <= 20; day += 1) {
      days.push(await report(seller, { start_date: `2026-03-${day}`, end_date: `2026-03-${day}` }));
    }
    expect(sum(days, (day) => day.impressions)).toBe(whole.impressions);
    expect(sum(days, (day) => Math.round(day.spend.amount * 100))).toBe(Math.round(whole.spend.amount * 100));
    expect(days[5].impressions).toBe(0);
    expect(days[0].reporting_period).toEqual({
      start: '2026-03-10T00:00:00.000Z',
      end: '2026-03-11T00:00:00.000Z',
    });
  });

  it('tells how many plays reached their end where something plays', async () => {
    const { seller, buy } = await running([FILM, aLine()]);
    await control(seller, 'force_media_buy_status', { media_buy_id: buy.media_buy_id, status: 'active' });
    await control(seller, 'simulate_delivery', {
      media_buy_id: buy.media_buy_id,
      impressions: 100,
      spend: 1.5,
    });
    const [film, page] = (await report(seller)).by_package;
    expect(film).toMatchObject({ impressions: 100, spend: { amount: 1.5, currency: 'EUR' } });
    expect(page.completion_rate).toBeUndefined();
  });

  it('comes in pages that hold each media buy once', async () => {
    const { seller } = await running([aLine()]);
    for (let more = 0; more < 4; more += 1) {
      await seller.call('create_media_buy', anOrder({ start_time: '2026-03-15T00:00:00Z' }));
    }
    const first = await report(seller, { pagination: { max_results: 2 } });
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 5 });
    const ids = [...first.media_buys];
    for (let { cursor } = first.pagination; cursor !== undefined; ) {
      const next = await report(seller, { pagination: { max_results: 2, cursor } });
      ids.push(...next.media_buys);
      cursor = next.pagination.cursor;
    }
    expect(new Set(ids.map(({ media_buy_id: id }) => id)).size).toBe(5);
  });

  it('asked for by account holds only the buys of that account', async () => {
    const { seller } = await running();
    const other = { brand: { domain: 'other.example' }, operator: accountOf().operator };
    await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts: [other] });
    expect((await report(seller, { account: other })).media_buys).toEqual([]);
    expect((await report(seller, { account: accountOf() })).media_buys).toHaveLength(1);
  });

  it.each([
    ['an unknown media buy', { media_buy_ids: ['x'] }, 'MEDIA_BUY_NOT_FOUND', '/media_buy_ids/0'],
    [
      'days in the wrong order',
      { start_date: '2026-03-12', end_date: '2026-03-11' },
      'VALIDATION_ERROR',
      '/end_date',
    ],
    ['a cursor of its own', { pagination: { cursor: 'x' } }, 'VALIDATION_ERROR', '/pagination/cursor'],
  ])('is refused for %s', async (_why, request, code, pointer) => {
    const { seller } = await running();
    expect(await seller.refusal('get_media_buy_delivery', request)).toMatchObject({ code, pointer });
  });

  it('has no sum over currencies', async () => {
    const { seller } = await running();
    const pounds = { brand: { domain: 'pounds.example' }, operator: accountOf().operator };
    await seller.call('sync_accounts', {
      idempotency_key: freshKey(),
      accounts: [{ ...pounds, currency: 'GBP' }],
    });
    const line = aLine({ pricing_option_id: 'cpm-gbp' });
    await seller.call(
      'create_media_buy',
      anOrder({ account: pounds, brand: pounds.brand, packages: [line], start_time: '2026-03-15T00:00:00Z' }),
    );
    expect(await seller.refusal('get_media_buy_delivery', {})).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/account',
    });
    expect((await report(seller, { account: pounds })).spend.currency).toBe('GBP');
  });
});

function sum<T>(list: readonly T[], figure: (one: T) => number): number {
  return list.reduce((total, one) => total + figure(one), 0);
}
