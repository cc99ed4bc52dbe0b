import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedKeys } from '../../../src/signing/key-source.ts';
import { createApprovalCheck } from '../../src/reference/governance/approval-check.ts';
import { answerCheck, releaseCheck } from '../../src/reference/governance/escalations.ts';
import { bought, buy, check, claimsOf, GOVERNANCE, planned, SELLER } from './governance-support.ts';
import { BUYER, freshKey, OTHER_BUYER } from './support.ts';

const key = () => buy(5_000, { idempotency_key: freshKey() });

describe('an approval of check_governance', () => {
  it('lets exactly this caller buy exactly this from exactly this seller, once', async () => {
    const { governance, seller, otherSeller } = await planned();
    const { governance_approval: token, expires_at: until } = await governance.call(
      'check_governance',
      check(),
    );
    expect(until).toBe('2026-03-02T09:15:00.000Z');
    const order = bought(token, { plan_id: undefined, context: { note: 1 } });
    const code = async (at = seller, payload: object = order, caller = BUYER) => {
      const { code: problem, pointer, message } = await at.refusal('create_media_buy', payload, caller);
      return `${problem} ${pointer} ${/\((\w+)\)/.exec(message)?.[1]}`;
    };
    const at = 'APPROVAL_INVALID /governance_approval';
    expect(await code(otherSeller)).toBe(`${at} approval_audience_mismatch`);
    expect(await code(seller, order, OTHER_BUYER)).toBe(`${at} approval_caller_mismatch`);
    expect(await code(seller, bought(token, buy(5_001)))).toBe(`${at} approval_payload_mismatch`);
    expect(await code(seller, bought(token, { idempotency_key: freshKey() }))).toBe(
      `${at} approval_payload_mismatch`,
    );
    expect(await code(seller, bought('x.y.z'))).toBe(`${at} approval_malformed`);
    const first = await seller.call('create_media_buy', order);
    const again = await seller.call('create_media_buy', order);
    expect(again).toMatchObject({ media_buy_id: first.media_buy_id, replayed: true });
  });

  it.each<readonly [string, object, string | undefined]>([
    ['a member of its own', { seller_agent_url: SELLER }, SELLER],
    [
      'another spelling of it',
      { seller_agent: { agent_url: 'https://SALES-1.agents.example/mcp/' } },
      SELLER,
    ],
    ['a package', { packages: [{ ...buy().packages[0], seller: { url: SELLER } }] }, SELLER],
    [
      'the formats that are ordered',
      { packages: [{ ...buy().packages[0], format_ids: [{ agent_url: SELLER, id: 'f' }] }] },
      SELLER,
    ],
    [
      'its own member before its formats',
      { seller_agent_url: SELLER, format_ids: [{ agent_url: GOVERNANCE, id: 'f' }] },
      SELLER,
    ],
    ['two sellers, so none', { seller_agent_url: SELLER, agent_url: GOVERNANCE }, undefined],
    [
      'destinations, which are other agents',
      { destinations: [{ type: 'agent', agent_url: SELLER }] },
      undefined,
    ],
    ['what is no address', { seller: 'nobody', agent_url: 7, seller_agent: null }, undefined],
  ])('is without an audience for the seller that the payload names: by %s', async (_how, more, audience) => {
    const { governance } = await planned();
    const request = check({ audience: undefined, payload: buy(5_000, more) });
    const { governance_approval: token } = await governance.call('check_governance', request);
    expect(claimsOf(token)).toMatchObject({ phase: audience === undefined ? 'intent' : 'execution' });
    expect(claimsOf(token).aud).toBe(audience);
  });

  it('is spent even at a seller that has forgotten the idempotency key', async () => {
    const { governance, seller } = await planned();
    const { governance_approval: token } = await governance.call('check_governance', check());
    await seller.call('create_media_buy', bought(token));
    // The seller forgets its keys, and still knows the approval.
    const keys = seller.agent.state.collection('idempotency_keys', BUYER.id);
    for (const { key: place } of keys.list()) keys.delete(place);
    const { message } = await seller.refusal('create_media_buy', bought(token));
    expect(message).toContain('approval_replayed');
  });

  it('is not called wrong while the keys of its issuer are away', async () => {
    const { governance } = await planned();
    const { governance_approval: token } = await governance.call('check_governance', check());
    const away = { keysOf: () => fixedKeys(undefined) };
    const trusted = [{ url: GOVERNANCE, brandJsonUrl: 'https://agents.example/.well-known/brand.json' }];
    const approvals = createApprovalCheck({ agentUrls: [SELLER], trusted, keys: away });
    const now = governance.clock.now();
    const read = await approvals.read(token, {
      tool: 'create_media_buy',
      payload: buy(),
      caller: BUYER.id,
      now,
    });
    expect(read).toMatchObject({ code: 'GOVERNANCE_UNAVAILABLE', recovery: 'transient' });
  });

  it('runs out', async () => {
    const { governance, seller, clock } = await planned();
    const { governance_approval: token } = await governance.call('check_governance', check());
    clock.pass(15 * 60 + 60);
    expect((await seller.refusal('create_media_buy', bought(token))).message).toContain('approval_expired');
  });

  it('says what it is for, and where the log stood', async () => {
    const { governance } = await planned({ channels: ['audio'] });
    const answer = await governance.call('check_governance', check({ caller: `${BUYER.id}/` }));
    expect(claimsOf(answer.governance_approval)).toMatchObject({
      iss: GOVERNANCE,
      sub: 'spring',
      aud: SELLER,
      phase: 'execution',
      caller: BUYER.id,
      tool: 'create_media_buy',
      check_id: answer.check_id,
      conditions: ['run only on these channels: audio'],
      budget: { amount: 5_000, currency: 'EUR' },
      audit: { sequence: 2 },
    });
  });

  it('without an audience is an opinion, which commits nothing and buys nothing', async () => {
    const { governance, seller } = await planned();
    const answer = await governance.call(
      'check_governance',
      check({ audience: undefined, payload: buy(50_000) }),
    );
    expect(answer.decision).toBe('approved');
    expect(answer.findings[0].message).toContain('audience');
    expect(claimsOf(answer.governance_approval).phase).toBe('intent');
    const order = bought(answer.governance_approval, buy(50_000));
    expect((await seller.refusal('create_media_buy', order)).message).toContain('audience_mismatch');
    const real = await governance.call('check_governance', check({ payload: buy(50_000) }));
    expect(real.decision).toBe('approved');
  });

  it('commits its cost once, however often the same is asked, and again after an hour', async () => {
    const { governance, clock } = await planned({ budget: { total: 12_000, currency: 'EUR' } });
    const first = await governance.call('check_governance', check());
    clock.pass(50 * 60);
    const again = await governance.call('check_governance', check());
    expect(again.check_id).toBe(first.check_id);
    expect(again.governance_approval).not.toBe(first.governance_approval);
    expect(again.expires_at).toBe('2026-03-02T10:00:00.000Z');
    const other = await governance.call('check_governance', check({ payload: key() }));
    expect(other.check_id).not.toBe(first.check_id);
    expect((await governance.call('check_governance', check({ payload: key() }))).decision).toBe('denied');
    clock.pass(10 * 60);
    expect((await governance.call('check_governance', check())).decision).toBe('denied');
  });

  it('of a payload without a key is never given twice for one cost', async () => {
    const { governance } = await planned({ budget: { total: 9_999, currency: 'EUR' } });
    const payload = buy(5_000, { idempotency_key: undefined });
    expect((await governance.call('check_governance', check({ payload }))).decision).toBe('approved');
    expect((await governance.call('check_governance', check({ payload }))).decision).toBe('denied');
  });

  it('for two sellers commits twice', async () => {
    const { governance } = await planned({ budget: { total: 9_999, currency: 'EUR' } });
    await governance.call('check_governance', check());
    const other = check({ audience: 'https://sales-2.agents.example/mcp' });
    expect((await governance.call('check_governance', other)).decision).toBe('denied');
  });

  it('never commits more than the plan has, whatever is asked and whenever', async () => {
    const step = fc.record({
      budget: fc.integer({ min: 0, max: 700_000 }).map((cents) => cents / 100),
      key: fc.constantFrom('key-key-key-key-1', 'key-key-key-key-2', undefined),
      audience: fc.constantFrom(SELLER, 'https://sales-2.agents.example/mcp'),
      pass: fc.integer({ min: 0, max: 3_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { governance, clock } = await planned({ budget: { total: 10_000, currency: 'EUR' } });
        const spent = new Map<string, number>();
        for (const { budget, key: idempotencyKey, audience, pass } of steps) {
          const payload = buy(budget, { idempotency_key: idempotencyKey });
          const answer = await governance.call('check_governance', check({ payload, audience }));
          // What sellers let happen: once for each check, as its payload has one key.
          if (answer.governance_approval) spent.set(answer.check_id, budget);
          clock.pass(pass);
        }
        const total = [...spent.values()].reduce((sum, amount) => sum + Math.round(amount * 100), 0);
        expect(total).toBeLessThanOrEqual(1_000_000);
      }),
      { numRuns: 15 },
    );
  });

  it('fits in its token when everything in it is as long as it may be', async () => {
    const policies = [{ policy_id: 'p', enforcement: 'condition', description: 'ü'.repeat(1_300) }];
    const { governance } = await planned({ policies, authority: { max_amount: 1 } });
    const long = check({
      audience: `https://sales.example/${'s'.repeat(650)}`,
      caller: `https://b.example/${'b'.repeat(650)}`,
    });
    const asked = await governance.call('check_governance', long);
    answerCheck(
      governance.agent.state,
      asked.check_id,
      { approved: true, by: 'ada', conditions: ['x'.repeat(490)] },
      governance.clock.now(),
    );
    const { governance_approval: token } = await governance.call('check_governance', long);
    expect(token.length).toBeLessThanOrEqual(8_192);
    const longer = { ...long, audience: `${long.audience}${'s'.repeat(200)}` };
    expect((await governance.refusal('check_governance', longer)).code).toBe('VALIDATION_ERROR');
  });
});

describe('what an approval committed', () => {
  it('is given back by a human once it can no longer be used, and only once', async () => {
    const world = await planned({ budget: { total: 5_000, currency: 'EUR' } });
    const { state } = world.governance.agent;
    const release = (id: string) => releaseCheck(state, id, { by: 'ada' }, world.clock.now());
    const { check_id: id } = await world.governance.call('check_governance', check());
    expect(() => release(id)).toThrow('is still valid');
    world.clock.pass(16 * 60);
    release(id);
    expect(() => release(id)).toThrow('already released');
    const next = await world.governance.call('check_governance', check());
    expect([next.decision, next.check_id === id]).toEqual(['approved', false]);
    expect((await world.governance.call('check_governance', check({ payload: key() }))).decision).toBe(
      'denied',
    );
  });
});
