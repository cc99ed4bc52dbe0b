import { beforeEach, describe, expect, it } from 'vitest';
import { aClip, aCreative, aLine, anOrder, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, freshKey } from './support.ts';

const HOOK = { url: 'https://buyer-1.agents.example/webhooks' };

let seller: AgentUnderTest;
let buy: Answer;

/** Two packages of 1,000 and 500 euros. */
beforeEach(async () => {
  seller = await startSeller();
  buy = await seller.call(
    'create_media_buy',
    anOrder({ packages: [aLine(), aLine({ budget: 500 })], push_notification_config: HOOK }),
  );
});

function update(parts: object): Promise<Answer> {
  return seller.call('update_media_buy', request(parts));
}

function request(parts: object): object {
  return { idempotency_key: freshKey(), media_buy_id: buy.media_buy_id, ...parts };
}

function part(index: number): string {
  return buy.packages[index].package_id;
}

function statuses(): readonly string[] {
  return seller.webhooks.map(({ payload }) => `${payload.previous_status} → ${payload.status}`);
}

describe('an update', () => {
  it('moves budget between packages and says which it changed', async () => {
    const changed = await update({
      packages: [
        { package_id: part(0), budget: 700 },
        { package_id: part(1), budget: 800 },
      ],
    });
    expect(changed).toMatchObject({
      revision: 2,
      total_budget: { amount: 1_500 },
      packages: [{ budget: 700 }, { budget: 800 }],
    });
    expect(changed.affected_packages).toEqual([part(0), part(1)]);
  });

  it('that changes nothing is no revision', async () => {
    expect(await update({ packages: [{ package_id: part(0), budget: 1_000 }], paused: false })).toMatchObject(
      {
        revision: 1,
        affected_packages: [],
      },
    );
  });

  it('moves the flight before it begins, and only its end afterwards', async () => {
    const moved = await update({ start_time: '2026-03-12T00:00:00Z', end_time: '2026-03-25T00:00:00Z' });
    expect(moved).toMatchObject({
      start_time: '2026-03-12T00:00:00.000Z',
      end_time: '2026-03-25T00:00:00.000Z',
    });
    seller.clock.set('2026-03-13T00:00:00Z');
    expect(await update({ end_time: '2026-03-14T00:00:00Z' })).toMatchObject({
      status: 'active',
      end_time: '2026-03-14T00:00:00.000Z',
    });
    expect(
      await seller.refusal('update_media_buy', request({ start_time: '2026-03-14T00:00:00Z' })),
    ).toMatchObject({ code: 'INVALID_STATE', pointer: '/start_time' });
    seller.clock.set('2026-03-14T00:00:00Z');
    expect(await seller.refusal('update_media_buy', request({ paused: true }))).toMatchObject({
      code: 'INVALID_STATE',
    });
    expect(statuses()).toEqual(['pending_start → active', 'active → completed']);
  });

  it('pauses and resumes, each with its webhook', async () => {
    seller.clock.set('2026-03-11T00:00:00Z');
    expect((await update({ paused: true })).status).toBe('paused');
    expect((await update({ paused: true })).revision).toBe(3);
    expect((await update({ paused: false })).status).toBe('active');
    expect(statuses()).toEqual(['pending_start → active', 'active → paused', 'paused → active']);
    expect(seller.webhooks.map(({ payload }) => payload.sequence)).toEqual([1, 2, 3]);
  });

  it('cancels a package, and with the last one the whole', async () => {
    const one = await update({ packages: [{ package_id: part(0), canceled: true }] });
    expect(one).toMatchObject({
      status: 'pending_start',
      total_budget: { amount: 500 },
      packages: [{ status: 'canceled' }, { status: 'pending_start' }],
    });
    const all = await update({ packages: [{ package_id: part(1), canceled: true }] });
    expect(all).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'all of its packages were canceled',
    });
  });

  it('cancels the whole for good', async () => {
    expect(await update({ canceled: true, cancellation_reason: 'rain' })).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'rain',
    });
    expect(seller.webhooks.at(-1)?.payload).toMatchObject({ status: 'canceled', reason: 'rain' });
    expect(await seller.refusal('update_media_buy', request({ canceled: true }))).toMatchObject({
      code: 'NOT_CANCELLABLE',
      pointer: '/canceled',
    });
    expect(await seller.refusal('update_media_buy', request({ paused: true }))).toMatchObject({
      code: 'INVALID_STATE',
      pointer: '/media_buy_id',
    });
  });

  it('cannot cancel what has run to its end', async () => {
    seller.clock.set('2026-03-21T00:00:00Z');
    expect(await seller.refusal('update_media_buy', request({ canceled: true }))).toMatchObject({
      code: 'NOT_CANCELLABLE',
      recovery: 'terminal',
    });
  });

  it('shows a package that has its own dates as they are', async () => {
    const dates = {
      package_id: part(0),
      start_time: '2026-03-12T00:00:00Z',
      end_time: '2026-03-14T00:00:00Z',
    };
    await update({ packages: [dates] });
    const shown = [];
    for (const day of ['11', '13', '15']) {
      seller.clock.set(`2026-03-${day}T00:00:00Z`);
      shown.push((await update({})).packages.map(({ status }: Answer) => status));
    }
    expect(shown).toEqual([
      ['pending_start', 'active'],
      ['active', 'active'],
      ['completed', 'active'],
    ]);
  });

  it('replaces creatives, and takes new ones on top', async () => {
    const named = await update({ packages: [{ package_id: part(0), creatives: [aCreative('banner-2')] }] });
    expect(named.packages[0].creative_assignments).toEqual([
      { creative_id: 'banner-1' },
      { creative_id: 'banner-2' },
    ]);
    const alone = await update({
      packages: [{ package_id: part(0), creative_assignments: [{ creative_id: 'banner-2', weight: 10 }] }],
    });
    expect(alone.packages[0].creative_assignments).toEqual([{ creative_id: 'banner-2', weight: 10 }]);
  });

  it('without any creative left waits for one, and goes on when one is assigned', async () => {
    const none = await update({ packages: [{ package_id: part(1), creative_assignments: [] }] });
    expect(none.status).toBe('pending_creatives');
    const { creatives } = await seller.call('sync_creatives', {
      idempotency_key: freshKey(),
      account: buy.account,
      creatives: [aCreative('banner-3')],
      assignments: [{ package_id: part(1), creative_ids: ['banner-3'] }],
    });
    expect(creatives[0].assigned_to).toEqual([part(1)]);
    expect(statuses()).toEqual(['pending_start → pending_creatives', 'pending_creatives → pending_start']);
  });

  it('adds packages, which are looked at like those of an order', async () => {
    const line = { product_id: 'film', budget: 50, pricing_option_id: 'cpcv', creatives: [aClip()] };
    const more = await update({ new_packages: [line] });
    expect(more).toMatchObject({ status: 'pending_creatives', total_budget: { amount: 1_550 } });
    expect(more.affected_packages).toEqual([more.packages[2].package_id]);
    expect(
      await seller.refusal('update_media_buy', request({ new_packages: [{ ...line, product_id: 'x' }] })),
    ).toMatchObject({ code: 'PRODUCT_NOT_FOUND', pointer: '/new_packages/0/product_id' });
  });

  it('keeps the webhooks of a buy in step when a creative in it is replaced by the very same update', async () => {
    const line = { product_id: 'film', budget: 50, pricing_option_id: 'cpcv', creatives: [aClip()] };
    const film = await update({ new_packages: [line] });
    await seller.call('comply_test_controller', {
      scenario: 'force_creative_status',
      params: { creative_id: 'clip-1', status: 'approved' },
    });
    const again = { ...aClip(), name: 'Another cut' };
    const changed = await update({
      packages: [{ package_id: film.packages[2].package_id, creatives: [again] }],
      name: 'x',
    });
    expect(changed.status).toBe('pending_creatives');
    expect(seller.webhooks.map(({ payload }) => payload.sequence)).toEqual([1, 2, 3]);
    expect(statuses()).toEqual([
      'pending_start → pending_creatives',
      'pending_creatives → pending_start',
      'pending_start → pending_creatives',
    ]);
  });

  it('made from an old revision is a conflict', async () => {
    await update({ packages: [{ package_id: part(0), budget: 900 }], revision: 1 });
    expect(await seller.refusal('update_media_buy', request({ paused: true, revision: 1 }))).toMatchObject({
      code: 'CONFLICT',
      pointer: '/revision',
    });
  });
});
