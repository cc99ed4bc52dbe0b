import { describe, expect, it } from 'vitest';
import { aLine, anOrder, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, freshKey } from './support.ts';

async function running(packages: readonly object[] = [aLine(), aLine({ budget: 333.33 })]) {
  const seller = await startSeller();
  const buy = await seller.call('create_media_buy', anOrder({ packages }));
  seller.clock.set('2026-03-14T07:30:00Z');
  return { seller, buy };
}

function report(seller: AgentUnderTest): Promise<Answer> {
  return seller.call('get_media_buy_delivery', {});
}

describe('performance feedback', () => {
  const WEEK = { start: '2026-03-10T00:00:00Z', end: '2026-03-14T00:00:00Z' };

  function feedback(seller: AgentUnderTest, id: string, parts: object) {
    const request = { idempotency_key: freshKey(), media_buy_id: id, measurement_period: WEEK, ...parts };
    return seller.call('provide_performance_feedback', request);
  }

  it('changes the pacing from now on, and what was delivered stays', async () => {
    const { seller, buy } = await running();
    const before = await report(seller);
    const [first, second] = buy.packages.map((part: Answer) => part.package_id);
    expect(
      (await feedback(seller, buy.media_buy_id, { package_id: first, performance_index: 1.3 })).packages,
    ).toEqual([{ package_id: first, pacing_index: 1.3 }]);
    await feedback(seller, buy.media_buy_id, { package_id: second, performance_index: 0.5 });
    const after = await report(seller);
    expect(after.impressions).toBe(before.impressions);
    expect(after.spend).toEqual(before.spend);
    expect(after.by_package.map((part: Answer) => part.pacing_index)).toEqual([1.3, 0.5]);
    seller.clock.set('2026-03-20T00:00:00Z');
    const [fast, slow] = (await report(seller)).by_package;
    expect(fast.spend.amount).toBe(1_000);
    expect(slow.spend.amount).toBeLessThan(333.33);
  });

  it('adds up, within bounds', async () => {
    const { seller, buy } = await running([aLine()]);
    const paces = [];
    for (const index of [1.5, 1.5, 1_000, 0]) {
      paces.push(
        (await feedback(seller, buy.media_buy_id, { performance_index: index })).packages[0].pacing_index,
      );
    }
    expect(paces).toEqual([1.5, 2.25, 3, 0.1]);
  });

  it('is taken after the end, and changes nothing any more', async () => {
    const { seller, buy } = await running();
    seller.clock.set('2026-03-21T00:00:00Z');
    expect(await feedback(seller, buy.media_buy_id, { performance_index: 2 })).toMatchObject({
      accepted: true,
      packages: [],
    });
  });

  // biome-ignore format: a table
  it.each([
    ['an unknown media buy', { media_buy_id: 'x' }, 'MEDIA_BUY_NOT_FOUND', '/media_buy_id'],
    ['an unknown package', { package_id: 'x' }, 'PACKAGE_NOT_FOUND', '/package_id'],
    ['a creative that does not run', { creative_id: 'x' }, 'CREATIVE_NOT_FOUND', '/creative_id'],
    ['a period that is not over', { measurement_period: { ...WEEK, end: '2026-03-15T00:00:00Z' } }, 'VALIDATION_ERROR', '/measurement_period/end'],
    ['a period that ends before it starts', { measurement_period: { ...WEEK, end: '2026-03-09T00:00:00Z' } }, 'VALIDATION_ERROR', '/measurement_period/end'],
    ['a period before the flight', { measurement_period: { start: '2026-03-08T00:00:00Z', end: '2026-03-10T00:00:00Z' } }, 'VALIDATION_ERROR', '/measurement_period'],
  ])('is refused for %s', async (_why, parts, code, pointer) => {
    const { seller, buy } = await running();
    const request = { idempotency_key: freshKey(), media_buy_id: buy.media_buy_id, measurement_period: WEEK, performance_index: 1, ...parts };
    expect(await seller.refusal('provide_performance_feedback', request)).toMatchObject({ code, pointer });
  });

  it('is refused before anything ran', async () => {
    const seller = await startSeller();
    const { media_buy_id } = await seller.call('create_media_buy', anOrder());
    const period = { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
    const request = {
      idempotency_key: freshKey(),
      media_buy_id,
      measurement_period: period,
      performance_index: 1,
    };
    expect(await seller.refusal('provide_performance_feedback', request)).toMatchObject({
      code: 'INVALID_STATE',
    });
  });
});
