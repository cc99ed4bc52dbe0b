import { beforeEach, describe, expect, it } from 'vitest';
import { aLine, anOrder, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, freshKey } from './support.ts';

let seller: AgentUnderTest;
let buy: Answer;

/** Two packages of 1,000 and 500 euros. */
beforeEach(async () => {
  seller = await startSeller();
  buy = await seller.call('create_media_buy', anOrder({ packages: [aLine(), aLine({ budget: 500 })] }));
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

// biome-ignore format: a table
const REFUSED: readonly (readonly [why: string, update: (id: string) => object, code: string, pointer: string])[] = [
  ['an unknown media buy', () => ({ media_buy_id: 'x' }), 'MEDIA_BUY_NOT_FOUND', '/media_buy_id'],
  ['an unknown package', () => ({ packages: [{ package_id: 'x' }] }), 'PACKAGE_NOT_FOUND', '/packages/0/package_id'],
  ['a package named twice', (id) => ({ packages: [{ package_id: id }, { package_id: id }] }), 'VALIDATION_ERROR', '/packages/1/package_id'],
  ['a budget under the least', (id) => ({ packages: [{ package_id: id, budget: 50 }] }), 'BUDGET_TOO_LOW', '/packages/0/budget'],
  ['an end before the start', () => ({ end_time: '2026-03-10T00:00:00Z' }), 'FLIGHT_INVALID', '/end_time'],
  ['a start behind the end', () => ({ start_time: '2026-03-20T00:00:00Z' }), 'FLIGHT_INVALID', '/start_time'],
  ['an end in the past', () => ({ end_time: '2026-03-02T08:00:00Z' }), 'FLIGHT_IN_PAST', '/end_time'],
  ['a start in the past', () => ({ start_time: '2026-03-01T00:00:00Z' }), 'FLIGHT_IN_PAST', '/start_time'],
  ['a package outside of its buy', (id) => ({ packages: [{ package_id: id, end_time: '2026-03-21T00:00:00Z' }] }), 'FLIGHT_INVALID', '/packages/0/end_time'],
  ['a cancellation beside other changes', () => ({ canceled: true, paused: true }), 'VALIDATION_ERROR', '/paused'],
  ['an unknown creative', (id) => ({ packages: [{ package_id: id, creative_assignments: [{ creative_id: 'x' }] }] }), 'CREATIVE_NOT_FOUND', '/packages/0/creative_assignments/0/creative_id'],
  ['an unknown audience', (id) => ({ packages: [{ package_id: id, audience_ids: ['x'] }] }), 'REFERENCE_NOT_FOUND', '/packages/0/audience_ids/0'],
  ['a plan without an approval', () => ({ plan_id: 'plan-1', paused: true }), 'APPROVAL_REQUIRED', '/governance_approval'],
];

describe('an update that is refused', () => {
  it.each(REFUSED)('for %s', async (_why, parts, code, pointer) => {
    const refused = await seller.refusal('update_media_buy', request(parts(part(0))));
    expect({ code: refused.code, pointer: refused.pointer }).toEqual({ code, pointer });
    expect(await update({})).toMatchObject({ revision: 1 });
  });

  it('for less than what is spent', async () => {
    seller.clock.set('2026-03-19T00:00:00Z');
    const refused = await seller.refusal(
      'update_media_buy',
      request({ packages: [{ package_id: part(0), budget: 200 }] }),
    );
    expect(refused).toMatchObject({ code: 'BUDGET_TOO_LOW', pointer: '/packages/0/budget' });
  });

  it('for a package that was canceled', async () => {
    await update({ packages: [{ package_id: part(0), canceled: true }] });
    const again = await seller.refusal(
      'update_media_buy',
      request({ packages: [{ package_id: part(0), canceled: true }] }),
    );
    expect(again).toMatchObject({ code: 'NOT_CANCELLABLE', pointer: '/packages/0/canceled' });
    const revived = await seller.refusal(
      'update_media_buy',
      request({ packages: [{ package_id: part(0), paused: false }] }),
    );
    expect(revived).toMatchObject({ code: 'INVALID_STATE', pointer: '/packages/0/package_id' });
  });

  it('for the account of another brand', async () => {
    const account = { ...buy.account, brand: { domain: 'other.example' } };
    await seller.call('sync_accounts', {
      idempotency_key: freshKey(),
      accounts: [{ brand: account.brand, operator: account.operator }],
    });
    const { account_id: _id, ...other } = account;
    expect(await seller.refusal('update_media_buy', request({ account: other }))).toMatchObject({
      code: 'MEDIA_BUY_NOT_FOUND',
    });
  });
});
