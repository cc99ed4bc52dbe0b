import { describe, expect, it } from 'vitest';
import { problem } from '../../../src/protocol/problem.ts';
import { findAccount } from '../../src/reference/accounts/find-account.ts';
import {
  type ForcedAccountStatus,
  setAccountStatus,
} from '../../src/reference/accounts/set-account-status.ts';
import { callOf, FERRIES, KAYAKS, seller, sync, whyNot } from './accounts-support.ts';
import { BUYER, OTHER_BUYER } from './support.ts';

describe('list_accounts', () => {
  it('lists the active accounts of the caller alone', async () => {
    const agent = seller();
    await sync(agent, [FERRIES, KAYAKS, { ...FERRIES, sandbox: false }]);
    expect((await agent.call('list_accounts', {})).accounts).toHaveLength(2);
    expect((await agent.call('list_accounts', {}, OTHER_BUYER)).accounts).toEqual([]);
  });

  it.each([
    [{ status: 'pending_review' }, 1],
    [{ brand: KAYAKS.brand }, 1],
    [{ brand: { ...KAYAKS.brand, brand_id: 'other' } }, 0],
    [{ status: 'rejected' }, 0],
    [{ pagination: { max_results: 1 } }, 1],
  ])('%j', async (request, count) => {
    const agent = seller();
    await sync(agent, [FERRIES, KAYAKS, { ...FERRIES, sandbox: false }]);
    expect((await agent.call('list_accounts', request)).accounts).toHaveLength(count);
  });

  it.each([
    [{}, 3],
    [{ status: 'active' }, 2],
    [{ status: 'pending_review' }, 1],
    [{ status: 'payment_required' }, 0],
  ])('lists accounts of all statuses for the public protocol: %j', async (request, count) => {
    const agent = seller({ vocabulary: 'adcp' });
    await sync(agent, [FERRIES, KAYAKS, { ...FERRIES, sandbox: false }]);
    expect((await agent.call('list_accounts', request)).accounts).toHaveLength(count);
  });

  it('refuses a status that there is not', async () => {
    expect(await seller().refusal('list_accounts', { status: 'happy' })).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/status',
    });
  });
});

describe('an account that a task names', () => {
  it.each([
    ['active', undefined],
    ['pending_review', 'ACCOUNT_SETUP_REQUIRED'],
    ['suspended', 'ACCOUNT_SUSPENDED'],
    ['closed', 'ACCOUNT_SUSPENDED'],
    ['rejected', 'ACCOUNT_SUSPENDED'],
  ] satisfies [ForcedAccountStatus, string | undefined][])('that is %s: %s', async (status, code) => {
    const agent = seller();
    await sync(agent, [FERRIES]);
    setAccountStatus(callOf(agent), FERRIES, status);
    agent.clock.pass(3_600);
    expect(whyNot(agent, FERRIES)).toBe(code);
  });

  it('that lacks information is not set up', async () => {
    const agent = seller();
    await sync(agent, [{ ...FERRIES, billing: 'brand' }]);
    expect(whyNot(agent, FERRIES)).toBe('ACCOUNT_SETUP_REQUIRED');
  });

  it('is found by its id too, which must be its own', async () => {
    const agent = seller();
    const id = (await sync(agent, [FERRIES])).accounts[0].account_id;
    expect(whyNot(agent, { ...FERRIES, account_id: id })).toBeUndefined();
    expect(whyNot(agent, { ...FERRIES, account_id: 'acc_other' })).toBe('ACCOUNT_NOT_FOUND');
  });

  it('without a word on sandbox is the sandbox account, or else the real one', async () => {
    const agent = seller();
    await sync(agent, [{ ...FERRIES, sandbox: false }]);
    agent.clock.pass(60);
    expect(findAccount(callOf(agent), FERRIES).sandbox).toBe(false);
    await sync(agent, [FERRIES]);
    expect(findAccount(callOf(agent), FERRIES).sandbox).toBe(true);
  });

  it('of another buyer does not exist, and another operator may not be named', async () => {
    const agent = seller();
    await sync(agent, [FERRIES]);
    expect(whyNot(agent, FERRIES, OTHER_BUYER)).toBe('PERMISSION_DENIED');
    expect(whyNot(agent, FERRIES, { ...OTHER_BUYER, operator: BUYER.operator! })).toBe('ACCOUNT_NOT_FOUND');
  });

  it('is refused without repeating what was sent', () => {
    const agent = seller();
    const hostile = { brand: { domain: '<script>' }, operator: '<script>' };
    expect(() => findAccount(callOf(agent), hostile)).toThrow(
      problem('ACCOUNT_NOT_FOUND', '/account: the caller has no such account').message,
    );
  });
});
