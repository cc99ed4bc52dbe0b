import { describe, expect, it } from 'vitest';
import { webhookFault } from '../../../src/protocol/read-request.ts';
import { subjectOf } from '../../../src/webhooks/delivery.ts';
import { findAccount } from '../../src/reference/accounts/find-account.ts';
import { setAccountStatus } from '../../src/reference/accounts/set-account-status.ts';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { advanceAccounts } from '../../src/upkeep.ts';
import { callOf, FERRIES, KAYAKS, seller, sync, whyNot } from './accounts-support.ts';
import { freshKey } from './support.ts';

describe('sync_accounts', () => {
  it('opens an account for a brand of the operator that calls', async () => {
    const agent = seller();
    const { accounts } = await sync(agent, [{ ...FERRIES, billing: 'operator', name: 'Ferries' }]);
    expect(accounts).toMatchObject([
      {
        ...FERRIES,
        name: 'Ferries',
        billing: 'operator',
        currency: 'EUR',
        status: 'active',
        action: 'created',
      },
    ]);
    expect(findAccount(callOf(agent), FERRIES).accountId).toBe(accounts[0].account_id);
  });

  it('updates the account of the same brand, operator and sandbox, and leaves one as it is that is the same', async () => {
    const agent = seller();
    const first = await sync(agent, [FERRIES]);
    const second = await sync(agent, [{ ...FERRIES, currency: 'GBP' }]);
    const third = await sync(agent, [{ ...FERRIES, brand: { domain: 'Tidewater-Ferries.example' } }]);
    expect([second.accounts[0].action, third.accounts[0].action]).toEqual(['updated', 'unchanged']);
    expect(third.accounts[0]).toMatchObject({ account_id: first.accounts[0].account_id, currency: 'GBP' });
  });

  it('keeps brands of one domain apart, and real from not real', async () => {
    const house = (more: object) => ({ ...FERRIES, ...more });
    const { accounts } = await sync(seller(), [
      house({}),
      house({ brand: { ...FERRIES.brand, brand_id: 'night-boats' } }),
      house({ sandbox: false }),
    ]);
    expect(new Set(accounts.map(({ account_id: id }: { account_id: string }) => id)).size).toBe(3);
  });

  it('asks for what it needs to bill a brand, until that is sent in the right form', async () => {
    const agent = seller();
    const wanted = { ...FERRIES, billing: 'brand' };
    const first = (await sync(agent, [wanted])).accounts[0];
    expect(first.status).toBe('information_needed');
    expect(first.missing_information.map(({ field }: { field: string }) => field)).toEqual([
      'tax_number',
      'invoice_email',
    ]);
    const information = { tax_number: '??', invoice_email: 'Bills@Tidewater-Ferries.example' };
    const second = (await sync(agent, [{ ...wanted, information }])).accounts[0];
    expect(second.missing_information).toEqual([
      { field: 'tax_number', description: expect.stringContaining('invalid format') },
    ]);
    const third = (await sync(agent, [{ ...wanted, information: { tax_number: 'NL 8512.34.567' } }]))
      .accounts[0];
    expect(third).toMatchObject({ status: 'active', action: 'updated' });
  });

  it.each([
    ['a real account', { ...FERRIES, sandbox: false }],
    ['a brand of a trade that is looked at', { ...FERRIES, brand: { domain: 'lucky-anchor.example' } }],
    ['a brand that is said to act for itself', { ...KAYAKS, operator: 'tidewater-kayaks.example' }],
  ])('reviews %s for a minute, then it is active with a spend limit', async (_what, wanted) => {
    const agent = seller();
    expect((await sync(agent, [wanted])).accounts[0].status).toBe('pending_review');
    agent.clock.pass(59);
    expect((await sync(agent, [wanted])).accounts[0]).toMatchObject({
      status: 'pending_review',
      action: 'unchanged',
    });
    agent.clock.pass(1);
    expect((await agent.call('list_accounts', {})).accounts).toMatchObject([
      { status: 'active', spend_limit: { amount: 50_000, currency: 'EUR' } },
    ]);
    expect((await sync(agent, [wanted])).accounts[0].status).toBe('active');
  });

  it('tells of the end of a review whoever asked for it, once', async () => {
    const agent = seller();
    const push = { push_notification_config: { url: 'https://buyer.example/hooks', token: 'mine' } };
    await sync(agent, [{ ...FERRIES, sandbox: false }], push);
    expect(advanceAccounts(agent.agent, agent.clock.now())).toBe(0);
    agent.clock.pass(3_600);
    expect(advanceAccounts(agent.agent, agent.clock.now())).toBe(1);
    expect(advanceAccounts(agent.agent, agent.clock.now())).toBe(0);
    expect(agent.webhooks).toMatchObject([
      {
        url: 'https://buyer.example/hooks',
        payload: {
          previous_status: 'pending_review',
          sequence: 1,
          occurred_at: '2026-03-02T09:01:00.000Z',
          account: { status: 'active' },
          token: 'mine',
        },
      },
    ]);
  });

  it('numbers what it tells about each account from 1, and its webhooks follow their schema', async () => {
    const agent = seller();
    const push = { push_notification_config: { url: 'https://buyer.example/hooks' } };
    await sync(agent, [FERRIES, KAYAKS], push);
    for (const [account, status] of [
      [FERRIES, 'suspended'],
      [FERRIES, 'active'],
      [KAYAKS, 'closed'],
    ] as const)
      setAccountStatus(callOf(agent), { ...account, sandbox: true }, status);
    const told = agent.webhooks.map(({ payload }) => payload);
    expect(told.map(({ sequence }) => sequence)).toEqual([1, 2, 1]);
    expect(told.map(webhookFault)).toEqual([undefined, undefined, undefined]);
    expect(new Set(told.map(subjectOf)).size).toBe(2);
  });

  const REFUSED: readonly (readonly [string, object, string, string])[] = [
    [
      'somebody else as operator',
      { ...FERRIES, operator: 'magpie.example' },
      'PERMISSION_DENIED',
      'operator',
    ],
    ['billing of the agent', { ...FERRIES, billing: 'agent' }, 'BILLING_NOT_SUPPORTED', 'billing'],
    ['a currency that is not kept', { ...FERRIES, currency: 'JPY' }, 'VALIDATION_ERROR', 'currency'],
    [
      'a brand that is no domain',
      { ...FERRIES, brand: { domain: 'tea' } },
      'VALIDATION_ERROR',
      'brand/domain',
    ],
    ['an operator that is no domain', { ...FERRIES, operator: 'us' }, 'VALIDATION_ERROR', 'operator'],
  ];
  it.each(REFUSED)('refuses %s, and takes its neighbours', async (_what, bad, code, field) => {
    const agent = seller();
    const { accounts } = await sync(agent, [KAYAKS, bad]);
    expect(accounts[0].action).toBe('created');
    expect(accounts[1]).toMatchObject({
      action: 'failed',
      status: 'rejected',
      errors: [{ code, pointer: `/accounts/1/${field}` }],
    });
    expect((await agent.call('list_accounts', {})).accounts).toHaveLength(1);
  });

  it('refuses the second mention of an account in one request', async () => {
    const { accounts } = await sync(seller(), [FERRIES, { ...FERRIES, name: 'again' }]);
    expect(accounts[1]).toMatchObject({
      action: 'failed',
      status: 'active',
      errors: [{ pointer: '/accounts/1' }],
    });
  });

  it('does not open again what the seller has stopped', async () => {
    const agent = seller();
    await sync(agent, [FERRIES]);
    setAccountStatus(callOf(agent), FERRIES, 'closed');
    expect((await sync(agent, [FERRIES])).accounts[0]).toMatchObject({
      action: 'failed',
      status: 'closed',
      errors: [{ code: 'ACCOUNT_SUSPENDED' }],
    });
  });

  it('changes nothing in a dry run, and says what would be', async () => {
    const agent = seller();
    const answer = await sync(agent, [FERRIES, { ...KAYAKS, sandbox: false }], { dry_run: true });
    expect(answer).toMatchObject({
      dry_run: true,
      accounts: [
        { status: 'active', action: 'created' },
        { status: 'pending_review', action: 'created' },
      ],
    });
    expect(answer.accounts[0].account_id).toBeUndefined();
    expect(whyNot(agent, FERRIES)).toBe('ACCOUNT_NOT_FOUND');
  });

  it('refuses to post webhooks to anything but https', async () => {
    const request = {
      idempotency_key: freshKey(),
      accounts: [FERRIES],
      push_notification_config: { url: 'http://buyer.example/hooks' },
    };
    expect(await seller().refusal('sync_accounts', request)).toMatchObject({
      code: 'VALIDATION_ERROR',
      pointer: '/push_notification_config/url',
    });
  });

  it('is not for callers that do not show who they are', async () => {
    const request = { idempotency_key: freshKey(), accounts: [FERRIES] };
    expect((await seller().refusal('sync_accounts', request, ANONYMOUS)).code).toBe('AUTH_REQUIRED');
  });

  it('survives names of members that every object has', async () => {
    const wanted = JSON.parse(
      `{"brand":{"domain":"__proto__.example"},"operator":"tidewater-group.example","billing":"brand","information":{"__proto__":{"tax_number":"x"},"constructor":1}}`,
    );
    expect((await sync(seller(), [wanted])).accounts[0].action).toBe('failed');
  });
});
