import { describe, expect, it } from 'vitest';
import type { StoredAccount } from '../../src/reference/accounts/stored-account.ts';
import { accountOf, aLine, anOrder, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey } from './support.ts';

const POUNDS = aLine({ pricing_option_id: 'cpm-gbp' });

async function sync(seller: AgentUnderTest, more: object): Promise<Answer> {
  const accounts = [{ ...accountOf(), ...more }];
  return (await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts })).accounts[0];
}

describe('the currency of an account', () => {
  it('can change as long as nothing was ordered', async () => {
    const seller = await startSeller();
    expect(await sync(seller, { currency: 'GBP' })).toMatchObject({ action: 'updated', currency: 'GBP' });
    const { total_budget: total } = await seller.call('create_media_buy', anOrder({ packages: [POUNDS] }));
    expect(total.currency).toBe('GBP');
  });

  it('stays once something was ordered, even when that is over', async () => {
    const seller = await startSeller();
    const { media_buy_id: id } = await seller.call('create_media_buy', anOrder());
    await seller.call('update_media_buy', { idempotency_key: freshKey(), media_buy_id: id, canceled: true });
    expect(await sync(seller, { currency: 'GBP' })).toMatchObject({
      action: 'failed',
      currency: 'EUR',
      errors: [{ code: 'INVALID_STATE', pointer: '/accounts/0/currency', recovery: 'correctable' }],
    });
    expect((await sync(seller, { currency: 'EUR', name: 'Acme' })).action).toBe('updated');
    expect((await sync(seller, {})).action).toBe('unchanged');
  });

  it('is no way around a spend limit', async () => {
    const seller = await startSeller();
    const real = { ...accountOf(), sandbox: false };
    await sync(seller, { sandbox: false });
    seller.clock.pass(61);
    const order = (line: object) => anOrder({ account: real, packages: [line] });
    await seller.call('create_media_buy', order(aLine({ budget: 50_000 })));
    expect((await sync(seller, { sandbox: false, currency: 'GBP' })).action).toBe('failed');
    expect(await seller.refusal('create_media_buy', order(POUNDS))).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/packages/0/pricing_option_id',
    });
    expect((await seller.refusal('create_media_buy', order(aLine()))).code).toBe('BUDGET_EXCEEDED');
  });

  it('does not matter to a media buy: its packages stay in its own', async () => {
    const seller = await startSeller();
    const { media_buy_id: id } = await seller.call('create_media_buy', anOrder());
    // As if the account had been kept by a seller that let it change.
    const accounts = seller.agent.state.collection<StoredAccount>('accounts', BUYER.id);
    for (const { key, document } of accounts.list()) accounts.put(key, { ...document, currency: 'GBP' });
    const more = (line: object) => ({ idempotency_key: freshKey(), media_buy_id: id, new_packages: [line] });
    expect(await seller.refusal('update_media_buy', more(POUNDS))).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/new_packages/0/pricing_option_id',
      suggestion: 'use a pricing option in EUR, or an account in another currency',
    });
    const { total_budget: total } = await seller.call('update_media_buy', more(aLine()));
    expect(total).toEqual({ amount: 2_000, currency: 'EUR' });
  });
});

describe('the total of an order', () => {
  it.each([1_000.004, 999.996])('is whole hundredths: not %d', async (amount) => {
    const order = anOrder({ total_budget: { amount, currency: 'EUR' } });
    expect(await (await startSeller()).refusal('create_media_buy', order)).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/total_budget/amount',
      suggestion: 'round it to two decimal places',
    });
  });

  it('may be more than one package can have', async () => {
    const packages = [aLine({ budget: 9_000_000 }), aLine({ budget: 9_000_000.1 })];
    const order = anOrder({ packages, total_budget: { amount: 18_000_000.1, currency: 'EUR' } });
    const { total_budget: total } = await (await startSeller()).call('create_media_buy', order);
    expect(total.amount).toBe(18_000_000.1);
  });
});
