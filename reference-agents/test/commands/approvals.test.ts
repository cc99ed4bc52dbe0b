import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { run, tempFolder } from '../../../test/cli/support/cli.ts';
import { follows } from '../../../test/cli/support/schemas.ts';
import { buy, GOVERNANCE, governedWorld, PLAN, SELLER } from '../reference/governance-support.ts';
import { type AgentUnderTest, BUYER, freshKey } from '../reference/support.ts';

let governance: AgentUnderTest;
let state: readonly string[];

beforeEach(async () => {
  const file = join(tempFolder(), 'agents.sqlite');
  const states = openAgentStates(file);
  onTestFinished(() => states.close());
  state = ['--state', `sqlite:${file}`];
  const world = await governedWorld(states);
  governance = world.governance;
  world.clock.set(new Date().toISOString()); // the command has the time of the machine
  const plan = { ...PLAN, authority: { max_amount: 1_000, approvers: ['ada'] } };
  await governance.call('sync_plans', { idempotency_key: freshKey(), plans: [plan] });
});

const asked = (more: object = {}) =>
  governance.call('check_governance', {
    plan_id: 'spring',
    caller: BUYER.id,
    tool: 'create_media_buy',
    audience: SELLER,
    payload: buy(5_000, { brand: { domain: 'acme.example', brand_id: 'a\u001b[2Jb' } }),
    ...more,
  });
const approvals = (...args: readonly string[]) => run('approvals', ...args, ...state);

describe('agent-registry approvals', () => {
  it('lists what waits, lets a human approve it while the agent runs, and the agent goes on', async () => {
    const { check_id: id } = await asked();
    const { checks } = follows<{ checks: { state: string; agent: string; cost: object }[] }>(
      (await approvals('list', '--json')).stdout,
      'cli/approvals.json',
    );
    expect(checks).toMatchObject([
      { state: 'waiting', agent: GOVERNANCE, cost: { amount: 5_000, currency: 'EUR' } },
    ]);
    const { stdout: row } = await approvals('list');
    expect(row).toContain(`${id}  spring  create_media_buy  5000.00 EUR`);
    expect(row).toMatch(/ {2}by ada {2}until \d{4}-\d\d-\d\dT/);
    const ran = await approvals('approve', id, '--as', 'ada', '--condition', 'not at night', '--json');
    expect(follows(ran.stdout, 'cli/approvals-check.json')).toMatchObject({
      state: 'approved',
      decided_by: 'ada',
    });
    expect((await approvals('list')).stdout).toBe('no check is waiting for an answer\n');
    expect(await asked({ check_id: id })).toMatchObject({
      decision: 'approved_with_conditions',
      conditions: ['not at night'],
    });
    const { entries, intact } = await governance.call('get_plan_audit_logs', { plan_id: 'spring' });
    expect([intact, entries.map(({ action }: never) => action)]).toEqual([
      true,
      ['submit_plan', 'escalate', 'human_approve', 'approve_with_conditions'],
    ]);
    expect(entries[2]).toMatchObject({ actor: 'ada', details: { escalated_for: entries[1]?.reason } });
    expect(entries[2], 'nobody gave a reason').not.toHaveProperty('reason');
  });

  it('repeats the conditions of an approval', async () => {
    const { check_id: id } = await asked();
    const ran = await approvals(
      'approve',
      id,
      '--as',
      'ada',
      '--condition',
      'not at night',
      '--condition',
      'b',
    );
    expect(ran.stdout).toBe(`${id}: approved, under: not at night; b\n`);
  });

  it('denies with a reason', async () => {
    const { check_id: id } = await asked();
    expect((await approvals('deny', id, '--as', 'ada', '--reason', 'too loud')).stdout).toBe(
      `${id}: denied\n`,
    );
    expect(await asked()).toMatchObject({ decision: 'denied', reason: 'too loud' });
  });

  it('shows what plans and callers call themselves, and lets the terminal obey none of it', async () => {
    const plan = {
      ...PLAN,
      plan_id: 'spr\u202e\u001b[2Jing',
      authority: { max_amount: 1_000, approvers: ['ada'] },
    };
    await governance.call('sync_plans', { idempotency_key: freshKey(), plans: [plan] });
    await asked({ plan_id: plan.plan_id });
    const { stdout } = await approvals('list');
    expect(stdout).toContain('spr\\u202e\\u001b[2Jing');
    for (const obeyed of ['\u001b', '\u202e']) expect(stdout).not.toContain(obeyed);
  });

  it('says what stands in the way', async () => {
    const { check_id: id } = await asked();
    expect((await approvals('approve', id, '--as', 'eve')).stderr).toContain(
      'the plan names other approvers',
    );
    expect((await approvals('approve', 'chk_x')).stderr).toContain('no check chk_x');
    expect((await approvals('approve', id, '--up-to', '-5')).code).toBe(2);
    expect((await approvals('list', '--agent', 'https://x.example/')).stderr).toContain(GOVERNANCE);
    expect((await approvals('release', id, '--as', 'ada')).stderr).toContain(
      'the check has committed no money',
    );
    const missing = await run('approvals', 'list', '--state', `sqlite:${join(tempFolder(), 'no.sqlite')}`);
    expect(missing.code).toBe(3);
  });
});
