import { describe, expect, it } from 'vitest';
import { accountOf, control, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey, OTHER_BUYER } from './support.ts';

function anEvent(id: string, parts: object = {}) {
  return {
    event_id: id,
    event_type: 'purchase',
    event_time: '2026-03-02T08:00:00Z',
    action_source: 'website',
    custom_data: { value: 49.9, currency: 'EUR' },
    ...parts,
  };
}

function log(
  seller: AgentUnderTest,
  events: readonly object[],
  parts: object = {},
  buyer = BUYER,
): Promise<Answer> {
  const request = { idempotency_key: freshKey(), event_source_id: 'web', events, ...parts };
  return seller.call('log_event', request, buyer);
}

describe('events', () => {
  it('count once for each source and buyer', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const answer = await log(seller, [anEvent('a'), anEvent('b'), anEvent('a')]);
    expect(answer).toEqual({ events_received: 3, events_processed: 2, duplicates: 1 });
    expect(await log(seller, [anEvent('a')])).toMatchObject({ events_processed: 0, duplicates: 1 });
    expect(await log(seller, [anEvent('a')], { event_source_id: 'app' })).toMatchObject({
      events_processed: 1,
    });
    expect(await log(seller, [anEvent('a')], {}, OTHER_BUYER)).toMatchObject({ events_processed: 1 });
  });

  it.each([
    ['that are still to come', { event_time: '2026-03-02T09:05:01Z' }, 'EVENT_IN_FUTURE'],
    ['that are too old', { event_time: '2025-12-02T08:59:59Z' }, 'EVENT_TOO_OLD'],
    ['of a moment that no calendar has', { event_time: '2025-12-31T23:59:60Z' }, 'EVENT_TIME_INVALID'],
    ['in a currency that nobody has', { custom_data: { value: 1, currency: 'QQQ' } }, 'CURRENCY_UNKNOWN'],
    ['with a value in no currency', { custom_data: { value: 1 } }, 'CURRENCY_MISSING'],
    ['worth less than nothing', { custom_data: { value: -1, currency: 'EUR' } }, 'VALUE_INVALID'],
  ])('%s are left out, and the others count', async (_why, parts, code) => {
    const seller = await startSeller();
    const answer = await log(seller, [anEvent('bad', parts), anEvent('good', { custom_data: {} })]);
    expect(answer).toMatchObject({
      events_received: 2,
      events_processed: 1,
      duplicates: 0,
      partial_failures: [{ event_id: 'bad', code }],
    });
  });

  it('for a test count for nothing, and are not remembered', async () => {
    const seller = await startSeller();
    expect(await log(seller, [anEvent('a')], { test: true })).toMatchObject({
      events_processed: 0,
      duplicates: 0,
    });
    expect(await log(seller, [anEvent('a')])).toMatchObject({ events_processed: 1 });
  });

  it('are forgotten when a repetition would be too old', async () => {
    const seller = await startSeller();
    await log(seller, [anEvent('a'), anEvent('b')]);
    expect(seller.agent.state.nextDue('events')).toBe(Date.parse('2026-05-31T08:00:00.001Z'));
    seller.clock.set('2026-05-31T08:00:01Z');
    expect(await log(seller, [anEvent('a')])).toMatchObject({
      partial_failures: [{ code: 'EVENT_TOO_OLD' }],
    });
    expect(seller.agent.state.collection('events', BUYER.id).count()).toBe(0);
  });

  it('go by the business time of the buyer', async () => {
    const seller = await startSeller();
    await control(seller, 'advance_time', { seconds: 86_400 });
    expect(await log(seller, [anEvent('a', { event_time: '2026-03-03T08:00:00+00:00' })])).toMatchObject({
      events_processed: 1,
    });
  });

  it('need the account that they name', async () => {
    const seller = await startSeller();
    const account = { ...accountOf(), brand: { domain: 'other.example' } };
    const request = { idempotency_key: freshKey(), event_source_id: 'web', events: [anEvent('a')], account };
    expect(await seller.refusal('log_event', request)).toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
      pointer: '/account',
    });
  });

  it('may have any name', async () => {
    const seller = await startSeller();
    const names = ['__proto__', 'constructor', '"]', '\u0000', 'ü'];
    expect(
      await log(
        seller,
        names.map((name) => anEvent(name)),
      ),
    ).toMatchObject({ events_processed: 5 });
    expect(
      await log(
        seller,
        names.map((name) => anEvent(name)),
      ),
    ).toMatchObject({ duplicates: 5 });
  });
});
