import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalHash } from '../../../src/base/json-bytes.ts';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { tempFolder } from '../../../test/cli/support/cli.ts';
import { buy, GOVERNANCE, governedWorld, PLAN, SELLER } from './governance-support.ts';
import { BUYER, freshKey } from './support.ts';

const check = (budget: number) => ({
  plan_id: 'spring',
  caller: BUYER.id,
  tool: 'create_media_buy',
  audience: SELLER,
  purpose: 'the spring campaign',
  payload: buy(budget, { idempotency_key: freshKey() }),
});

/** A log of five entries, in a file that a test may change by hand. */
async function logged() {
  const file = join(tempFolder(), 'agents.sqlite');
  const states = openAgentStates(file);
  onTestFinished(() => states.close());
  const { governance } = await governedWorld(states);
  const plan = { ...PLAN, authority: { max_amount: 20_000 } };
  await governance.call('sync_plans', { idempotency_key: freshKey(), plans: [plan] });
  const approvals: string[] = [];
  for (const budget of [1_000, 2_000, 60_000, 30_000])
    approvals.push((await governance.call('check_governance', check(budget))).governance_approval);
  const read = (more: object = {}) => governance.call('get_plan_audit_logs', { plan_id: 'spring', ...more });
  return { file, governance, read, approvals };
}

/** What somebody with the file can do: the triggers are theirs to drop. */
function tamper(file: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(file);
  for (const trigger of ['agent_logs_unchanged', 'agent_logs_kept']) database.exec(`DROP TRIGGER ${trigger}`);
  for (const statement of statements)
    expect(database.prepare(statement).run().changes, statement).toBeGreaterThan(0);
  database.close();
}

describe('the audit log', () => {
  it('says who did what, when, why and under which conditions', async () => {
    const { read } = await logged();
    const { entries, intact, plans } = await read();
    expect(entries.map(({ sequence, actor, action }: never) => [sequence, actor, action])).toEqual([
      [1, BUYER.id, 'submit_plan'],
      [2, GOVERNANCE, 'approve'],
      [3, GOVERNANCE, 'approve'],
      [4, GOVERNANCE, 'deny'],
      [5, GOVERNANCE, 'escalate'],
    ]);
    expect(entries[1]).toMatchObject({
      timestamp: '2026-03-02T09:00:00.000Z',
      reason: 'within the budget, the policies and the authority of the plan',
      conditions: [],
      details: {
        caller: BUYER.id,
        tool: 'create_media_buy',
        cost: { amount: 1_000, currency: 'EUR' },
        purpose: 'the spring campaign',
      },
    });
    expect([intact, plans]).toEqual([
      true,
      [{ plan_id: 'spring', intact: true, length: 5, head: entries[4].hash }],
    ]);
  });

  it('is read by action, by time and in pages, and followed to its end all the same', async () => {
    const { read } = await logged();
    const of = async (more: object) => (await read(more)).entries.map(({ sequence }: never) => sequence);
    expect(await of({ action: 'approve' })).toEqual([2, 3]);
    expect(await of({ from: '2026-03-02T09:00:00.001Z' })).toEqual([]);
    expect(await of({ to: '2026-03-02T09:00:00Z' })).toEqual([]);
    expect(await of({ from: '2026-03-02T09:00:00Z' })).toEqual([1, 2, 3, 4, 5]);
    const first = await read({ pagination: { max_results: 2 } });
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 5 });
    expect(await of({ pagination: { max_results: 9, cursor: first.pagination.cursor } })).toEqual([3, 4, 5]);
    expect(first.plans[0].length).toBe(5);
  });

  it('cannot be edited through the engine', async () => {
    const { file } = await logged();
    const database = new DatabaseSync(file);
    expect(() => database.exec("UPDATE agent_logs SET body = '{}'")).toThrow('never changed');
    expect(() => database.exec('DELETE FROM agent_logs')).toThrow('never removed');
    database.close();
  });

  it.each<[string, number, readonly string[]]>([
    ['a changed amount', 2, ["UPDATE agent_logs SET body = replace(body, '1000', '1') WHERE sequence = 2"]],
    [
      'a changed reason',
      4,
      ["UPDATE agent_logs SET body = json_set(body, '$.reason', 'fine') WHERE sequence = 4"],
    ],
    ['an added member', 1, ["UPDATE agent_logs SET body = json_set(body, '$.more', 1) WHERE sequence = 1"]],
    ['a changed hash', 3, ["UPDATE agent_logs SET body = json_set(body, '$.hash', 'ab') WHERE sequence = 3"]],
    [
      'two entries in each other’s place',
      2,
      [
        'UPDATE agent_logs SET sequence = 99 WHERE sequence = 2',
        'UPDATE agent_logs SET sequence = 2 WHERE sequence = 3',
        'UPDATE agent_logs SET sequence = 3 WHERE sequence = 99',
      ],
    ],
    ['an entry that is gone', 3, ['DELETE FROM agent_logs WHERE sequence = 3']],
    [
      'a gap that was closed',
      3,
      [
        'DELETE FROM agent_logs WHERE sequence = 3',
        'UPDATE agent_logs SET sequence = sequence - 1 WHERE sequence = 4',
        'UPDATE agent_logs SET sequence = sequence - 1 WHERE sequence = 5',
      ],
    ],
    ['its end cut off', 5, ['DELETE FROM agent_logs WHERE sequence = 5']],
    ['nothing left of it', 1, ['DELETE FROM agent_logs']],
    [
      'an entry too many',
      6,
      ['INSERT INTO agent_logs SELECT agent, stream, 6, body FROM agent_logs WHERE sequence = 5'],
    ],
    ['no end kept beside it', 6, ["DELETE FROM agent_documents WHERE collection = 'audit_heads'"]],
    ['an entry that is no JSON', 4, ["UPDATE agent_logs SET body = 'nonsense' WHERE sequence = 4"]],
    ['an entry that is none', 2, ["UPDATE agent_logs SET body = '[1]' WHERE sequence = 2"]],
  ])('shows %s', async (_what, firstBroken, statements) => {
    const { file, read } = await logged();
    tamper(file, ...statements);
    const answer = await read();
    expect([answer.intact, answer.plans[0].intact]).toEqual([false, false]);
    if (firstBroken < 6) expect(answer.first_broken).toBe(firstBroken);
  });

  it('shows an end that was cut off even after more was written', async () => {
    const { file, governance, read } = await logged();
    tamper(file, 'DELETE FROM agent_logs WHERE sequence = 5');
    await governance.call('check_governance', check(3_000));
    expect(await read()).toMatchObject({ intact: false, first_broken: 5 });
  });

  it('shows a forged end even after more was written', async () => {
    const { file, governance, read } = await logged();
    tamper(file, 'INSERT INTO agent_logs SELECT agent, stream, 6, body FROM agent_logs WHERE sequence = 5');
    await governance.call('check_governance', check(3_000));
    expect(await read()).toMatchObject({ intact: false, first_broken: 6 });
  });

  it('that was written anew from end to end is betrayed by the approvals that others hold', async () => {
    const { file, read, approvals } = await logged();
    const claims = JSON.parse(Buffer.from(approvals[1]?.split('.')[1] ?? '', 'base64url').toString());
    const before = await read();
    expect(before.entries[claims.audit.sequence - 1].hash).toBe(claims.audit.hash);
    const database = new DatabaseSync(file);
    database.exec('DROP TRIGGER agent_logs_unchanged');
    let previous = '';
    for (const entry of before.entries) {
      const { hash: _old, ...rest } = { ...entry, reason: 'all is well', previous_hash: previous };
      previous = canonicalHash(rest, 'hex');
      database
        .prepare('UPDATE agent_logs SET body = ? WHERE sequence = ?')
        .run(JSON.stringify({ ...rest, hash: previous }), entry.sequence);
    }
    database
      .prepare("UPDATE agent_documents SET body = ? WHERE collection = 'audit_heads'")
      .run(JSON.stringify({ sequence: 5, hash: previous }));
    database.close();
    const after = await read();
    expect(after.intact).toBe(true);
    expect(after.entries[claims.audit.sequence - 1].hash).not.toBe(claims.audit.hash);
  });

  it('is read for several plans at once, each with its own chain', async () => {
    const { governance, file } = await logged();
    await governance.call('sync_plans', {
      idempotency_key: freshKey(),
      plans: [{ ...PLAN, plan_id: 'autumn' }],
    });
    tamper(file, "UPDATE agent_logs SET body = json_set(body, '$.reason', 'x') WHERE stream LIKE '%autumn'");
    const answer = await governance.call('get_plan_audit_logs', { plan_ids: ['spring', 'autumn', 'spring'] });
    expect(answer.plans.map(({ plan_id: id, intact }: never) => [id, intact])).toEqual([
      ['spring', true],
      ['autumn', false],
    ]);
    expect([answer.entries.length, answer.first_broken]).toEqual([6, 1]);
    const { code, pointer } = await governance.refusal('get_plan_audit_logs', {
      plan_ids: ['spring', 'winter'],
    });
    expect([code, pointer]).toEqual(['PLAN_NOT_FOUND', '/plan_ids/1']);
  });
});
