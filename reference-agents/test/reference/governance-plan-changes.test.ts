import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerCheck, releaseCheck } from '../../src/reference/governance/escalations.ts';
import type { StoredPlan } from '../../src/reference/governance/plan-store.ts';
import { buy, check, type GovernedWorld, PLAN, planned } from './governance-support.ts';
import { BUYER, freshKey } from './support.ts';

const ask = ({ governance }: GovernedWorld, more: object = {}) =>
  governance.call('check_governance', check(more));

const change = ({ governance }: GovernedWorld, plan: object) =>
  governance.call('sync_plans', { idempotency_key: freshKey(), plans: [{ ...PLAN, ...plan }] });

const answer = ({ governance: { agent }, clock }: GovernedWorld, checkId: string, approved = true) =>
  answerCheck(agent.state, checkId, { approved, by: 'ada', conditions: [] }, clock.now());

const release = ({ governance: { agent }, clock }: GovernedWorld, checkId: string) =>
  releaseCheck(agent.state, checkId, { by: 'ada' }, clock.now());

/** Euros that approvals have committed. */
function committed({ governance: { agent } }: GovernedWorld): number {
  return (agent.state.collection<StoredPlan>('plans', BUYER.id).get('spring')?.committed ?? 0) / 100;
}

const STRICT = { authority: { max_amount: 1_000 } };

describe('what was approved before the plan changed', () => {
  it('is paid for once when a human approves it again', async () => {
    const world = await planned();
    const first = await ask(world);
    await change(world, STRICT);
    world.clock.pass(60);
    const again = await ask(world);
    expect(again.decision).toBe('escalated');
    answer(world, again.check_id);
    const third = await ask(world);
    expect([third.decision, third.check_id === again.check_id]).toEqual(['approved', true]);
    expect(third.check_id).not.toBe(first.check_id);
    expect(committed(world)).toBe(5_000);
  });

  it('counts as its own when there is not enough left for a second one', async () => {
    const world = await planned({ budget: { total: 5_000, currency: 'EUR' } });
    await ask(world);
    await change(world, { ...STRICT, budget: { total: 5_001, currency: 'EUR' } });
    const again = await ask(world);
    answer(world, again.check_id);
    expect((await ask(world)).decision).toBe('approved');
  });

  it('stays paid for once over several changes, and when a human had approved it the first time too', async () => {
    const world = await planned(STRICT);
    const first = await ask(world);
    answer(world, first.check_id);
    await ask(world);
    await change(world, { authority: { max_amount: 900 } });
    await ask(world);
    await change(world, {});
    expect((await ask(world)).decision).toBe('approved');
    expect(committed(world)).toBe(5_000);
  });

  it('is given back once, by the check that holds it', async () => {
    const world = await planned();
    const first = await ask(world);
    await change(world, STRICT);
    const again = await ask(world);
    answer(world, again.check_id);
    await ask(world);
    world.clock.pass(17 * 60);
    expect(() => release(world, first.check_id)).toThrow('newer approval');
    release(world, again.check_id);
    expect(() => release(world, again.check_id)).toThrow('already released');
    expect(committed(world)).toBe(0);
  });

  it('is paid for anew once it was given back', async () => {
    const world = await planned();
    const first = await ask(world);
    await change(world, STRICT);
    const again = await ask(world);
    world.clock.pass(17 * 60);
    release(world, first.check_id);
    answer(world, again.check_id);
    await ask(world);
    expect(committed(world)).toBe(5_000);
  });

  it('never commits more than was approved of distinct questions, whatever changes in between', async () => {
    const questions = [500, 1_000].map((budget) => ({
      budget,
      payload: buy(budget, { idempotency_key: `question-key-${budget}-0001` }),
    }));
    const plans = [{}, { authority: { max_amount: 600 } }, { authority: { max_amount: 100 } }];
    const step = fc.oneof(fc.record({ does: fc.constant('change'), which: fc.nat(2) }), {
      weight: 2,
      arbitrary: fc.record({ does: fc.constantFrom('ask', 'approve', 'deny'), which: fc.nat(1) }),
    });
    const steps = fc.array(fc.tuple(step, fc.nat(90)), { minLength: 10, maxLength: 36 });
    await fc.assert(
      // In all less than the hour in which a question is still the same.
      fc.asyncProperty(steps, async (taken) => {
        const world = await planned();
        const approved = new Set<number>();
        const last = new Map<number, string>();
        for (const [{ does, which }, seconds] of taken) {
          world.clock.pass(seconds);
          if (does === 'change') {
            await change(world, plans[which] ?? {});
            continue;
          }
          if (does !== 'ask') answerIfOpen(world, last.get(which), does === 'approve');
          const given = await ask(world, { payload: questions[which]?.payload });
          last.set(which, given.check_id);
          if (given.governance_approval !== undefined) approved.add(which);
        }
        const sum = [...approved].reduce((total, which) => total + (questions[which]?.budget ?? 0), 0);
        expect(committed(world)).toBe(sum);
      }),
      { numRuns: 40 },
    );
  });
});

/** A check that was answered before, or by a plan that changed since, is not answered any more. */
function answerIfOpen(world: GovernedWorld, checkId: string | undefined, approved: boolean): void {
  if (checkId === undefined) return;
  try {
    answer(world, checkId, approved);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

describe('members that say how a payload is written', () => {
  const HOW = {
    $schema: '/schemas/3.0.0/media-buy/create-media-buy-request.json',
    proto_version: '3.0',
    proto_major_version: 3,
    adcp_version: '3.0',
    adcp_major_version: 3,
  };

  it('make no other question, and no other payload for an approval', async () => {
    const world = await planned({ policies: [blocked('schemas.example')] });
    const first = await ask(world);
    const how = { ...HOW, $schema: 'https://schemas.example/create-media-buy-request.json' };
    const again = await ask(world, { payload: buy(5_000, how) });
    expect([again.decision, again.check_id]).toEqual(['approved', first.check_id]);
    const order = { ...buy(), ...HOW, governance_approval: first.governance_approval };
    const bought = await world.seller.call('create_media_buy', order);
    const replayed = await world.seller.call('create_media_buy', { ...buy(), governance_approval: 'x.y.z' });
    expect(replayed).toMatchObject({ media_buy_id: bought.media_buy_id, replayed: true });
  });
});

function blocked(domain: string) {
  return {
    policy_id: 'nowhere',
    description: 'not there',
    rule: 'blocked_domains',
    values: [domain],
    enforcement: 'deny',
  };
}
