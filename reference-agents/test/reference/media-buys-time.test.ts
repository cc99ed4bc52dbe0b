import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose.ts';
import { advanceMediaBuys } from '../../src/reference/media-buys/advance.ts';
import { accountOf, aLine, anOrder, HANDLERS, startSeller } from './media-buys-support.ts';
import { type Answer, BUYER, freshKey, startAgent } from './support.ts';

const HOOK = { url: 'https://buyer-1.agents.example/webhooks', token: 'tell-me', operation_id: 'op-1' };

describe('time', () => {
  it('starts and ends a media buy, and each is told once, in order, even when both were missed', async () => {
    const seller = await startSeller();
    const buy = await seller.call('create_media_buy', anOrder({ push_notification_config: HOOK }));
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(0);
    seller.clock.set('2026-04-01T00:00:00Z');
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(1);
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(0);
    expect(seller.webhooks.map(({ url, payload }) => [url, told(payload)])).toEqual([
      [HOOK.url, ['pending_start', 'active', 1, '2026-03-10T00:00:00.000Z', 'tell-me', 'op-1']],
      [HOOK.url, ['active', 'completed', 2, '2026-03-20T00:00:00.000Z', 'tell-me', 'op-1']],
    ]);
    const keys = new Set(seller.webhooks.map(({ payload }) => payload.idempotency_key));
    expect(keys.size).toBe(2);
    const { spend, media_buys } = await seller.call('get_media_buy_delivery', {
      media_buy_ids: [buy.media_buy_id],
    });
    expect(spend).toEqual({ amount: 1_000, currency: 'EUR' });
    expect(media_buys[0].status).toBe('completed');
  });

  it.each([
    ['the buyer’s registration names', {}, 'https://buyer-1.agents.example/registered'],
    [
      'its account was opened with',
      { push_notification_config: { url: 'https://acme.example/hook' } },
      'https://acme.example/hook',
    ],
  ])('tells of an order without settings for webhooks where %s', async (_where, posts, url) => {
    const seller = await startSeller();
    const buyer = { ...BUYER, webhookUrl: 'https://buyer-1.agents.example/registered' };
    const accounts = [accountOf(buyer)];
    await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts, ...posts }, buyer);
    await seller.call('create_media_buy', anOrder(), buyer);
    seller.clock.set('2026-03-11T00:00:00Z');
    advanceMediaBuys(seller.agent, seller.clock.now(), 10);
    expect(seller.webhooks).toMatchObject([{ url, payload: { status: 'active' } }]);
  });

  it('rejects what never got a creative', async () => {
    const seller = await startSeller();
    await seller.call(
      'create_media_buy',
      anOrder({ packages: [aLine({ creatives: [] })], push_notification_config: HOOK }),
    );
    seller.clock.set('2026-03-15T00:00:00Z');
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(0);
    seller.clock.set('2026-03-20T00:00:00Z');
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(1);
    expect(seller.webhooks[0]?.payload).toMatchObject({
      status: 'rejected',
      previous_status: 'pending_creatives',
      reason: 'no approved creative came before the flight ended',
      media_buy: { rejection_reason: 'no approved creative came before the flight ended' },
    });
  });

  it('is looked at by every task, so that nobody depends on who looks first', async () => {
    const seller = await startSeller();
    const buy = await seller.call('create_media_buy', anOrder({ push_notification_config: HOOK }));
    seller.clock.set('2026-03-11T00:00:00Z');
    const { media_buys } = await seller.call('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] });
    expect(media_buys[0].status).toBe('active');
    expect(seller.webhooks).toHaveLength(1);
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(0);
  });

  it('goes on where it was when the seller starts again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sellers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const before = openAgentStates(join(folder, 'states.sqlite'));
    const seller = await startSeller({ states: before });
    const buy = await seller.call('create_media_buy', anOrder({ push_notification_config: HOOK }));
    before.close();
    const after = openAgentStates(join(folder, 'states.sqlite'));
    onTestFinished(() => after.close());
    const again = startAgent({ type: 'sales', handlers: HANDLERS, states: after });
    again.clock.set('2026-03-12T00:00:00Z');
    expect(advanceMediaBuys(again.agent, again.clock.now(), 10)).toBe(1);
    const { media_buys } = await again.call('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] });
    expect(media_buys[0]).toMatchObject({ status: 'active' });
    expect(media_buys[0].impressions).toBeGreaterThan(0);
    expect(again.webhooks).toHaveLength(1);
  });
});

function told(payload: Answer): readonly unknown[] {
  const { previous_status: previous, status, sequence, occurred_at: at, token, operation_id } = payload;
  return [previous, status, sequence, at, token, operation_id];
}
