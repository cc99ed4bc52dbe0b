import { describe, expect, it } from 'vitest';
import { answerCheck, waitingChecks } from '../../src/reference/governance/escalations.ts';
import { bought, buy, check, claimsOf, type GovernedWorld, PLAN, planned } from './governance-support.ts';
import { freshKey, OTHER_BUYER } from './support.ts';

describe('an escalation', () => {
  const strict = { authority: { max_amount: 1_000, approvers: ['ada', 'ben'] } };
  const answer = (world: GovernedWorld, checkId: string, more: object = {}) =>
    answerCheck(
      world.governance.agent.state,
      checkId,
      { approved: true, by: 'ada', conditions: [], ...more },
      world.clock.now(),
    );

  it('waits for a human, whose yes gives the approval with their conditions', async () => {
    const world = await planned(strict);
    const { governance, seller } = world;
    const asked = await governance.call('check_governance', check());
    expect(asked).toMatchObject({
      decision: 'escalated',
      reason: '5000.00 EUR is above the authority of 1000 EUR',
      escalation: { approvers: ['ada', 'ben'] },
    });
    const waiting = await governance.call('check_governance', check({ check_id: asked.check_id }));
    expect([waiting.decision, waiting.check_id]).toEqual(['escalated', asked.check_id]);
    expect(waitingChecks(governance.agent.state, world.clock.now())).toHaveLength(1);
    answer(world, asked.check_id, { conditions: ['not at night'] });
    expect(waitingChecks(governance.agent.state, world.clock.now())).toHaveLength(0);
    const given = await governance.call('check_governance', check({ check_id: asked.check_id }));
    expect(given).toMatchObject({ decision: 'approved_with_conditions', conditions: ['not at night'] });
    await seller.call('create_media_buy', bought(given.governance_approval));
  });

  it('that is denied stays denied, asked with its id or without', async () => {
    const world = await planned(strict);
    const { check_id: id } = await world.governance.call('check_governance', check());
    answer(world, id, { approved: false, reason: 'too loud' });
    for (const asked of [check({ check_id: id }), check()])
      expect(await world.governance.call('check_governance', asked)).toMatchObject({
        decision: 'denied',
        reason: 'too loud',
      });
  });

  it('that a human approves is still denied when the budget is gone by then', async () => {
    const world = await planned({ ...strict, budget: { total: 5_500, currency: 'EUR' } });
    const { check_id: id } = await world.governance.call('check_governance', check());
    await world.governance.call('check_governance', check({ payload: buy(600) }));
    answer(world, id);
    const { decision, reason } = await world.governance.call('check_governance', check({ check_id: id }));
    expect([decision, reason]).toEqual(['denied', '5000.00 EUR is more than the 4900.00 EUR left']);
  });

  it.each<[string, string, (world: GovernedWorld, id: string) => Promise<unknown> | unknown, object]>([
    ['an id that nobody knows', 'REFERENCE_NOT_FOUND /check_id', () => {}, { check_id: 'chk_x' }],
    ['another payload', 'VALIDATION_ERROR /payload', () => {}, { payload: buy(5_001) }],
    ['another caller', 'VALIDATION_ERROR /payload', () => {}, { caller: OTHER_BUYER.id }],
    ['another seller', 'VALIDATION_ERROR /payload', () => {}, { audience: undefined }],
    ['an id whose time is over', 'INVALID_STATE /check_id', ({ clock }) => clock.pass(72 * 3_600), {}],
    [
      'an id of before a change of the plan',
      'INVALID_STATE /check_id',
      ({ governance }) =>
        governance.call('sync_plans', {
          idempotency_key: freshKey(),
          plans: [{ ...PLAN, ...strict, objectives: 'x' }],
        }),
      {},
    ],
  ])('is not taken up with %s', async (_what, refusal, meanwhile, more) => {
    const world = await planned(strict);
    const { check_id: id } = await world.governance.call('check_governance', check());
    await meanwhile(world, id);
    const { code, pointer } = await world.governance.refusal(
      'check_governance',
      check({ check_id: id, ...more }),
    );
    expect(`${code} ${pointer}`).toBe(refusal);
  });

  it.each<[string, string, (world: GovernedWorld, id: string) => unknown, object]>([
    ['by somebody else', 'the plan names other approvers', () => {}, { by: 'eve' }],
    ['twice', 'already approved by ada', (world, id) => answer(world, id), { approved: false }],
    ['too late', 'the check has expired', ({ clock }) => clock.pass(72 * 3_600), {}],
    [
      'after a change of the plan',
      'the plan has changed since the check',
      ({ governance }) =>
        governance.call('sync_plans', {
          idempotency_key: freshKey(),
          plans: [{ ...PLAN, ...strict, objectives: 'x' }],
        }),
      {},
    ],
    ['with another cost', 'the cost is already known', () => {}, { upTo: 4 }],
    ['with an empty condition', 'empty condition', () => {}, { conditions: [''] }],
    ['with a reason beyond the log', 'is too long for the log', () => {}, { reason: 'x'.repeat(2_001) }],
    ['with conditions beyond an approval', '500 bytes of them', () => {}, { conditions: ['x'.repeat(500)] }],
  ])('cannot be answered %s', async (_what, message, meanwhile, more) => {
    const world = await planned(strict);
    const { check_id: id } = await world.governance.call('check_governance', check());
    await meanwhile(world, id);
    expect(() => answer(world, id, more)).toThrow(message);
  });

  it('of what nobody knows the cost of needs the most that it may cost', async () => {
    const world = await planned();
    const activation = check({
      tool: 'activate_signal',
      payload: { idempotency_key: freshKey(), signal_agent_segment_id: 's' },
    });
    const { check_id: id, decision } = await world.governance.call('check_governance', activation);
    expect(decision).toBe('escalated');
    expect(() => answer(world, id)).toThrow('the cost is unknown');
    answer(world, id, { upTo: 80.5 });
    const { governance_approval: token } = await world.governance.call('check_governance', activation);
    expect(claimsOf(token).budget).toEqual({ amount: 80.5, currency: 'EUR' });
  });

  it('that was approved is not renewed under a changed plan', async () => {
    const world = await planned(strict);
    const { check_id: id } = await world.governance.call('check_governance', check());
    answer(world, id);
    expect((await world.governance.call('check_governance', check())).decision).toBe('approved');
    expect((await world.governance.call('check_governance', check())).decision).toBe('approved');
    await world.governance.call('sync_plans', {
      idempotency_key: freshKey(),
      plans: [{ ...PLAN, ...strict, objectives: 'x' }],
    });
    expect((await world.governance.call('check_governance', check())).decision).toBe('escalated');
  });
});
