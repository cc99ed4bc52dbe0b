import { beforeEach, describe, expect, it } from 'vitest';
import { WRITTEN_APPROVALS } from './approvals-support.ts';
import { aCreative, aLine, anOrder, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, freshKey } from './support.ts';

const HOOK = { url: 'https://buyer-1.agents.example/webhooks' };

let seller: AgentUnderTest;
let buy: Answer;

beforeEach(async () => {
  seller = await startSeller({ parts: { approvals: WRITTEN_APPROVALS } });
});

/** Two packages of 1,000 and 500 euros, under a plan unless `parts` say otherwise. */
async function order(parts: object = { plan_id: 'spring', governance_approval: 'spring 1500' }) {
  const packages = [aLine(), aLine({ budget: 500 })];
  buy = await seller.call(
    'create_media_buy',
    anOrder({ packages, push_notification_config: HOOK, ...parts }),
  );
}

function request(parts: object): object {
  return { idempotency_key: freshKey(), media_buy_id: buy.media_buy_id, ...parts };
}

const part = (index: number, change: object) => ({ package_id: buy.packages[index].package_id, ...change });

describe('an update under a plan', () => {
  beforeEach(() => order());

  it.each<[string, () => object]>([
    ['a later end', () => ({ end_time: '2026-03-21T00:00:00Z' })],
    ['an earlier start', () => ({ start_time: '2026-03-09T00:00:00Z' })],
    ['a flight that moves', () => ({ start_time: '2026-03-12T00:00:00Z', end_time: '2026-03-22T00:00:00Z' })],
    [
      'money that moves from one package to another',
      () => ({ packages: [part(0, { budget: 400 }), part(1, { budget: 1_100 })] }),
    ],
    [
      'a package in the place of another',
      () => ({ packages: [part(0, { canceled: true })], new_packages: [aLine()] }),
    ],
    ['creatives that come along', () => ({ packages: [part(0, { creatives: [aCreative('banner-2')] })] })],
    ['another address for webhooks', () => ({ push_notification_config: { url: 'https://x.example/' } })],
  ])('needs an approval for %s, of no amount', async (_what, change) => {
    const asked = request(change());
    expect(await seller.refusal('update_media_buy', asked)).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      pointer: '/governance_approval',
    });
    const changed = await seller.call('update_media_buy', { ...asked, governance_approval: 'spring 0' });
    expect(changed.revision).toBe(2);
  });

  it('needs an approval for more money, of what it is more', async () => {
    const more = (token: string) =>
      request({ packages: [part(0, { budget: 1_200 })], governance_approval: token });
    for (const token of ['spring', 'spring 199.99', 'spring 200 GBP', 'summer 200'])
      expect((await seller.refusal('update_media_buy', more(token))).code).toBe('APPROVAL_INVALID');
    expect((await seller.call('update_media_buy', more('spring 200'))).total_budget.amount).toBe(1_700);
  });

  it('needs an approval for a package that runs longer than it did, within the same flight', async () => {
    const dates = { start_time: '2026-03-12T00:00:00Z', end_time: '2026-03-14T00:00:00Z' };
    await seller.call('update_media_buy', request({ packages: [part(0, dates)] }));
    for (const longer of [{ start_time: '2026-03-11T00:00:00Z' }, { end_time: '2026-03-15T00:00:00Z' }])
      expect((await seller.refusal('update_media_buy', request({ packages: [part(0, longer)] }))).code).toBe(
        'APPROVAL_REQUIRED',
      );
  });

  it('needs none for what only takes away', async () => {
    const changes = [
      { packages: [part(0, { budget: 800 })] },
      { paused: true, push_notification_config: HOOK },
      { paused: false },
      { start_time: '2026-03-11T00:00:00Z', end_time: '2026-03-19T00:00:00Z' },
      {
        packages: [part(0, { paused: true, creative_assignments: [{ creative_id: 'banner-1', weight: 2 }] })],
      },
      { packages: [part(1, { canceled: true })] },
      { canceled: true },
    ];
    for (const change of changes) await seller.call('update_media_buy', request(change));
  });
});

describe('a media buy without a plan', () => {
  const raise = (budget: number, more: object = {}) => request({ packages: [part(0, { budget })], ...more });

  it('changes without asking anybody', async () => {
    await order({});
    expect((await seller.call('update_media_buy', raise(2_000))).total_budget.amount).toBe(2_500);
  });

  it('joins the plan of the approval that it is brought, which has to be for all of its money', async () => {
    await order({});
    const joins = (token: string) => raise(1_200, { governance_approval: token });
    expect((await seller.refusal('update_media_buy', joins('spring 200'))).code).toBe('APPROVAL_INVALID');
    await seller.call('update_media_buy', joins('spring 1700'));
    expect((await seller.refusal('update_media_buy', raise(1_300))).code).toBe('APPROVAL_REQUIRED');
    const other = raise(1_300, { plan_id: 'summer', governance_approval: 'summer 100' });
    expect(await seller.refusal('update_media_buy', other)).toMatchObject({ pointer: '/plan_id' });
  });
});
