import { describe, expect, it } from 'vitest';
import { check, governedWorld, PLAN } from './governance-support.ts';
import { BUYER, freshKey, OTHER_BUYER } from './support.ts';

const sync = (...plans: object[]) => ({ idempotency_key: freshKey(), plans });
const policy = (more: object) => ({ ...PLAN, policies: [{ policy_id: 'p', enforcement: 'deny', ...more }] });

describe('sync_plans', () => {
  it('keeps plans, with a version that grows with each change', async () => {
    const { governance } = await governedWorld();
    const item = async (plan: object) => (await governance.call('sync_plans', sync(plan))).plans[0];
    expect(await item(PLAN)).toEqual({ plan_id: 'spring', action: 'created', version: 1 });
    expect(await item({ ...PLAN, budget: { currency: 'EUR', total: 50_000 } })).toMatchObject({
      action: 'unchanged',
      version: 1,
    });
    expect(await item({ ...PLAN, objectives: 'warm rooms' })).toMatchObject({
      action: 'updated',
      version: 2,
    });
  });

  // biome-ignore format: one case a line
  it.each<[string, object, string, string]>([
    ['a flight that ends before it starts', { ...PLAN, flight: { start: '2026-05-01T00:00:00Z', end: '2026-04-01T00:00:00Z' } }, 'FLIGHT_INVALID', '/plans/0/flight/end'],
    ['a flight that is over', { ...PLAN, flight: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' } }, 'FLIGHT_IN_PAST', '/plans/0/flight/end'],
    ['a fraction of a hundredth', { ...PLAN, budget: { total: 1.005, currency: 'EUR' } }, 'VALIDATION_ERROR', '/plans/0/budget/total'],
    ['more than all money', { ...PLAN, budget: { total: 1e13, currency: 'EUR' } }, 'VALIDATION_ERROR', '/plans/0/budget/total'],
    ['an authority of fractions', { ...PLAN, authority: { max_amount: 0.001 } }, 'VALIDATION_ERROR', '/plans/0/authority/max_amount'],
    ['a country in words', { ...PLAN, countries: ['NL', 'Belgium'] }, 'VALIDATION_ERROR', '/plans/0/countries/1'],
    ['a caller that is no agent', { ...PLAN, authority: { callers: ['ftp://x.example/'] } }, 'VALIDATION_ERROR', '/plans/0/authority/callers/0'],
    ['a rule that nobody knows', policy({ rule: 'be_nice' }), 'VALIDATION_ERROR', '/plans/0/policies/0/rule'],
    ['a rule by a prototype name', policy({ rule: 'constructor' }), 'VALIDATION_ERROR', '/plans/0/policies/0/rule'],
    ['words that are to refuse', policy({ description: 'be nice' }), 'VALIDATION_ERROR', '/plans/0/policies/0/rule'],
    ['a rule without values', policy({ rule: 'allowed_tasks' }), 'VALIDATION_ERROR', '/plans/0/policies/0/values'],
    ['a rule without its limit', policy({ rule: 'max_cpm' }), 'VALIDATION_ERROR', '/plans/0/policies/0/limit'],
    ['a limit below zero', policy({ rule: 'max_cpm', limit: -1 }), 'VALIDATION_ERROR', '/plans/0/policies/0/limit'],
    ['a domain with a scheme', policy({ rule: 'blocked_domains', values: ['https://x.example'] }), 'VALIDATION_ERROR', '/plans/0/policies/0/values/0'],
    ['conditions beyond an approval', policy({ enforcement: 'condition', description: 'x'.repeat(2_900) }), 'VALIDATION_ERROR', ''],
    ['lists beyond an approval', { ...PLAN, channels: Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(64, 'x')) }, 'VALIDATION_ERROR', ''],
  ])('refuses a plan with %s, and keeps its neighbours', async (_what, plan, code, pointer) => {
    const { governance } = await governedWorld();
    const { plans } = await governance.call('sync_plans', sync(plan, { ...PLAN, plan_id: 'autumn' }));
    const found = plans[0].errors?.map((error: { code: string; pointer: string }) => [
      error.code,
      error.pointer,
    ]);
    if (pointer === '') expect([plans[0].action, found.length]).toEqual(['failed', 1]);
    else expect([plans[0].action, found]).toEqual(['failed', [[code, pointer]]]);
    expect(plans[1].action).toBe('created');
    expect((await governance.refusal('check_governance', check())).code).toBe('PLAN_NOT_FOUND');
  });

  it('refuses the second of two plans with one id, and two policies with one', async () => {
    const { governance } = await governedWorld();
    const { plans } = await governance.call('sync_plans', sync(PLAN, { ...PLAN, objectives: 'x' }));
    expect(plans.map((plan: { action: string }) => plan.action)).toEqual(['created', 'failed']);
    const twice = { ...policy({ rule: 'max_cpm', limit: 1 }) };
    const doubled = await governance.call(
      'sync_plans',
      sync({ ...twice, policies: [...twice.policies, ...twice.policies] }),
    );
    expect(doubled.plans[0].errors[0].pointer).toBe('/plans/0/policies/1/policy_id');
  });

  it('refuses more policies of one rule than a payload can be held against', async () => {
    const { governance } = await governedWorld();
    const policies = Array.from({ length: 11 }, (_, n) => ({
      policy_id: `p-${n}`,
      rule: 'max_package_budget',
      limit: 10_000,
      enforcement: 'deny',
    }));
    const tried = await governance.call('sync_plans', sync({ ...PLAN, policies }));
    expect(tried.plans[0].errors[0].pointer).toBe('/plans/0/policies');
  });

  it('refuses another currency once money is committed', async () => {
    const { governance } = await governedWorld();
    const dollars = { ...PLAN, budget: { total: 50_000, currency: 'USD' } };
    await governance.call('sync_plans', sync(PLAN));
    await governance.call('check_governance', check());
    const { plans } = await governance.call('sync_plans', sync(dollars));
    expect(plans[0].errors[0]).toMatchObject({ code: 'INVALID_STATE', pointer: '/plans/0/budget/currency' });
  });
});

describe('whose plan it is', () => {
  it('is the one of whoever synced it, whatever others call theirs', async () => {
    const { governance } = await governedWorld();
    await governance.call('sync_plans', sync(PLAN));
    expect((await governance.refusal('check_governance', check(), OTHER_BUYER)).code).toBe('PLAN_NOT_FOUND');
    expect((await governance.refusal('get_plan_audit_logs', { plan_id: 'spring' }, OTHER_BUYER)).code).toBe(
      'PLAN_NOT_FOUND',
    );
    await governance.call(
      'sync_plans',
      sync({ ...PLAN, budget: { total: 1, currency: 'EUR' } }),
      OTHER_BUYER,
    );
    expect((await governance.call('check_governance', check())).decision).toBe('approved');
    expect((await governance.call('check_governance', check(), OTHER_BUYER)).decision).toBe('denied');
  });

  it('lets those act under it whom its authority names, until it names them no more', async () => {
    const { governance } = await governedWorld();
    const shared = { ...PLAN, authority: { callers: [`${OTHER_BUYER.id}/`] } };
    await governance.call('sync_plans', sync(shared));
    const asked = check({ caller: OTHER_BUYER.id });
    expect((await governance.call('check_governance', asked, OTHER_BUYER)).decision).toBe('approved');
    await governance.call('sync_plans', sync(PLAN));
    expect((await governance.refusal('check_governance', asked, OTHER_BUYER)).code).toBe('PLAN_NOT_FOUND');
  });

  it('has to be said when several are possible', async () => {
    const { governance } = await governedWorld();
    const third = { ...BUYER, id: 'https://third.example/mcp' };
    const shared = { ...PLAN, authority: { callers: [third.id] } };
    await governance.call('sync_plans', sync(shared));
    await governance.call('sync_plans', sync(shared), OTHER_BUYER);
    const asked = check({ caller: third.id });
    expect(await governance.refusal('check_governance', asked, third)).toMatchObject({
      code: 'CONFLICT',
      pointer: '/plan_id',
    });
    const named = { ...asked, plan_owner: OTHER_BUYER.id };
    expect((await governance.call('check_governance', named, third)).decision).toBe('approved');
    const unknown = { ...asked, plan_owner: 'https://nobody.example/mcp' };
    expect((await governance.refusal('check_governance', unknown, third)).code).toBe('PLAN_NOT_FOUND');
  });
});
