import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { publicWebhooks } from '../../src/dialect/webhooks.ts';
import { advanceMediaBuys } from '../../src/reference/media-buys/advance.ts';
import { accountOf, aLine, anOrder, HANDLERS, startSeller } from './media-buys-support.ts';
import { type Answer, BUYER, freshKey, startAgent } from './support.ts';

const HOOK = { url: 'https://buyer-1.agents.example/webhooks', token: 'tell-me', operation_id: 'op-1' };

it.each(['proto', 'adcp'] as const)(
  'an order that wants content artifacts posted is refused by a seller of %s, which posts none',
  async (vocabulary) => {
    const seller = await startSeller({ facts: { vocabulary } });
    const wish = { url: 'https://buyer-1.agents.example/artifacts', delivery_mode: 'realtime' };
    const refused = await seller.refusal('create_media_buy', anOrder({ artifact_webhook: wish } as object));
    expect(refused).toMatchObject({ code: 'UNSUPPORTED_FEATURE', pointer: '/artifact_webhook' });
  },
);

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
    ['the buyer’s registration names', {}, 'https://buyer-1.agents.example/registered', 'registration'],
    [
      'its account was opened with',
      { push_notification_config: { url: 'https://acme.example/hook' } },
      'https://acme.example/hook',
      'account',
    ],
  ])(
    'tells of an order without settings for webhooks where %s, and says so',
    async (_where, posts, url, from) => {
      const seller = await startSeller();
      const buyer = { ...BUYER, webhookUrl: 'https://buyer-1.agents.example/registered' };
      const accounts = [accountOf(buyer)];
      await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts, ...posts }, buyer);
      const { notifications } = await seller.call('create_media_buy', anOrder(), buyer);
      expect(notifications).toMatchObject({ url, from });
      seller.clock.set('2026-03-11T00:00:00Z');
      advanceMediaBuys(seller.agent, seller.clock.now(), 10);
      expect(seller.webhooks).toMatchObject([{ url, payload: { status: 'active' } }]);
    },
  );

  it('says in the answer to an order that nothing is posted where no address is known', async () => {
    const seller = await startSeller();
    const order = anOrder();
    const { notifications } = await seller.call('create_media_buy', order);
    expect(notifications).toEqual({ message: expect.stringContaining('No webhook will be sent') });
    expect((await seller.call('create_media_buy', order)).notifications).toEqual(notifications);
    const named = await seller.call('create_media_buy', anOrder({ push_notification_config: HOOK }));
    expect(named.notifications).toMatchObject({ url: HOOK.url, from: 'order' });
    seller.clock.set('2026-03-11T00:00:00Z');
    expect(advanceMediaBuys(seller.agent, seller.clock.now(), 10)).toBe(2);
    expect(seller.webhooks).toMatchObject([{ url: HOOK.url, payload: { media_buy_id: named.media_buy_id } }]);
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
      reason: 'no creative was approved before the flight ended',
      media_buy: { rejection_reason: 'no creative was approved before the flight ended' },
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

describe('reports of delivery', () => {
  const REPORTS = { url: 'https://buyer-1.agents.example/report/op-7', reporting_frequency: 'daily' };
  /** A seller of the public vocabulary, an order with these reports, and what was posted, as it goes out. */
  async function reported(reports: object) {
    const posted: Answer[] = [];
    const spec = {
      name: 's',
      description: 's',
      url: 'https://sales-1.agents.example/mcp',
      type: 'sales',
    } as const;
    const transport = { protocol: 'mcp', style: 'json' } as const;
    const webhooks = publicWebhooks({ add: (one) => posted.push(one) }, { ...spec, transport });
    const seller = await startSeller({ facts: { vocabulary: 'adcp' }, parts: { webhooks } });
    const buy = await seller.call(
      'create_media_buy',
      anOrder({ reporting_webhook: { ...REPORTS, ...reports } }),
    );
    const at = (time: string) => {
      seller.clock.set(time);
      advanceMediaBuys(seller.agent, seller.clock.now(), 10);
      return posted.splice(0).map(({ payload }) => payload);
    };
    return { seller, buy, at, posted };
  }
  const spanOf = ({ result }: Answer) => [
    ...[result.notification_type, result.sequence_number],
    ...[result.reporting_period.start, result.reporting_period.end, result.next_expected_at],
  ];

  it('are posted when a period ends, once, with what was missed in between, and end with the media buy', async () => {
    const { at, buy } = await reported({ token: 'a-token-of-16-letters' });
    expect(at('2026-03-10T12:00:00Z')).toEqual([]);
    const [first, ...more] = at('2026-03-11T00:00:00Z');
    expect(more).toEqual([]);
    expect(at('2026-03-11T00:00:01Z')).toEqual([]);
    expect(first).toMatchObject({
      ...{ task_type: 'media_buy_delivery', operation_id: 'op-7', token: 'a-token-of-16-letters' },
      ...{ status: 'completed', timestamp: '2026-03-11T00:00:00.000Z' },
      ...{
        notification_type: 'scheduled',
        sequence_number: 1,
        reporting_period: first.result.reporting_period,
      },
      ...{ currency: 'EUR', media_buy_deliveries: first.result.media_buy_deliveries },
      result: {
        currency: 'EUR',
        media_buy_deliveries: [
          { media_buy_id: buy.media_buy_id, by_package: [{ pricing_model: 'cpm', rate: 10 }] },
        ],
      },
    });
    const missed = at('2026-03-15T07:00:00Z');
    const last = at('2026-04-20T00:00:00Z');
    expect([first, ...missed, ...last].map(spanOf)).toEqual([
      ['scheduled', 1, '2026-03-10T00:00:00.000Z', '2026-03-11T00:00:00.000Z', '2026-03-12T00:00:00.000Z'],
      ['scheduled', 2, '2026-03-11T00:00:00.000Z', '2026-03-15T00:00:00.000Z', '2026-03-16T00:00:00.000Z'],
      ['final', 3, '2026-03-15T00:00:00.000Z', '2026-03-20T00:00:00.000Z', undefined],
    ]);
    const spent = [first, ...missed, ...last].map(
      ({ result }) => result.media_buy_deliveries[0].totals.spend,
    );
    expect(spent.reduce((sum: number, one: number) => sum + one, 0)).toBeCloseTo(1_000, 2);
    expect(at('2026-05-20T00:00:00Z')).toEqual([]);
  });

  it('have the metrics that were asked for, and go where an update says', async () => {
    const { at, buy, seller, posted } = await reported({ requested_metrics: ['impressions'] });
    const [{ result }] = at('2026-03-11T00:00:00Z');
    expect(Object.keys(result.media_buy_deliveries[0].totals)).toEqual(['impressions', 'spend']);
    const changed = {
      ...{ ...REPORTS, url: 'https://buyer-1.agents.example/other', reporting_frequency: 'monthly' },
      authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(32) },
    };
    const update = { idempotency_key: freshKey(), media_buy_id: buy.media_buy_id };
    await seller.call('update_media_buy', { ...update, reporting_webhook: changed });
    expect(at('2026-03-19T00:00:00Z')).toEqual([]);
    await seller.call('update_media_buy', { ...update, idempotency_key: freshKey(), canceled: true });
    seller.clock.set('2026-03-19T00:00:01Z');
    advanceMediaBuys(seller.agent, seller.clock.now(), 10);
    expect(posted).toMatchObject([{ url: changed.url, authentication: changed.authentication }]);
    expect(spanOf(posted[0].payload).slice(0, 4)).toEqual([
      ...['final', 2, '2026-03-11T00:00:00.000Z', '2026-03-19T00:00:00.000Z'],
    ]);
  });

  it.each([
    ['proto', {}, 'UNSUPPORTED_FEATURE', '/reporting_webhook'],
    ['adcp', { url: 'http://buyer-1.agents.example' }, 'VALIDATION_ERROR', '/reporting_webhook/url'],
    ['adcp', { url: 'https://10.0.0.1/' }, 'VALIDATION_ERROR', '/reporting_webhook/url'],
    ['adcp', { reporting_frequency: 'yearly' }, 'VALIDATION_ERROR', '/reporting_webhook/reporting_frequency'],
    [
      'adcp',
      { requested_metrics: ['clicks', 'roas'] },
      'VALIDATION_ERROR',
      '/reporting_webhook/requested_metrics/1',
    ],
  ] as const)(
    'are refused by a seller of %s where it cannot post them: %j',
    async (vocabulary, reports, code, field) => {
      const seller = await startSeller({ facts: { vocabulary } });
      const order = anOrder({ reporting_webhook: { ...REPORTS, ...reports } });
      const refused = await seller.refusal('create_media_buy', order);
      expect(JSON.stringify(refused)).toContain(field);
      expect(refused).toMatchObject({ code });
    },
  );
});
