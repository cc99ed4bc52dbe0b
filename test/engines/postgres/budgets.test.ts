import { expect, it, onTestFinished } from 'vitest';
import { BudgetExceeded, createBudgets, type Party } from '../../../src/budgets/budgets.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { addKey, addOwner } from '../../api/support/registry.ts';
import { later } from '../../budgets/later.ts';
import { freshDatabase } from '../support/engines.ts';

/** Two processes on one database. */
async function processes() {
  const url = await freshDatabase();
  const records = [await openPostgresRecords({ url }), await openPostgresRecords({ url })] as const;
  onTestFinished(async () => void (await Promise.all(records.map((one) => one.close()))));
  return { records: records[0], budgets: records.map(createBudgets) };
}

const address = (text: string): Party => ({
  id: `address:${text}`,
  network: `${text.split('.').slice(0, 2).join('.')}.0.0/16`,
});

it('callers have one budget, whichever process they ask, and however many ask at once', async () => {
  const { budgets } = await processes();
  const asked = Array.from({ length: 67 * 3 }, async (_, n) => {
    const party = address(`127.0.0.${1 + Math.floor(n / 3)}`);
    return budgets[n % 2]?.spend('newDomains', { party }).then(
      () => 'spent',
      (error: unknown) => (error instanceof BudgetExceeded ? 'refused' : error),
    );
  });
  const outcomes = await Promise.all(asked);
  expect(new Set(outcomes)).toEqual(new Set(['spent', 'refused']));
  expect(outcomes.filter((outcome) => outcome === 'spent').length).toBeLessThanOrEqual(50);
  await budgets[0]?.spend('newDomains', { party: address('198.51.100.1') });
});

it('what is taken back in one process can be spent in the other', async () => {
  const { budgets } = await processes();
  const use = { party: address('192.0.2.1'), site: 'a.example', amount: 225 };
  const takeBack = await budgets[0]?.spend('siteSeconds', use);
  await expect(budgets[1]?.spend('siteSeconds', use)).rejects.toThrow('225 seconds');
  await takeBack?.();
  await budgets[1]?.spend('siteSeconds', use);
});

it('an owner has the part that is kept for it, and nobody who reads the table learns who asked', async () => {
  const { records, budgets } = await processes();
  await addKey(records, 'nova');
  await addOwner(records, 'https://agents.a.example/mcp', 'nova');
  const site = 'a.example';
  const strangers: Promise<unknown>[] = [];
  for (let n = 0; n < 40; n += 1)
    strangers.push(
      budgets[n % 2]?.spend('crawlRequests', { party: address(`10.${n}.0.1`), site }) ?? Promise.resolve(),
    );
  await Promise.allSettled(strangers);
  await budgets[1]?.spend('crawlRequests', { party: { id: 'member:nova', member: 'nova' }, site });
  const { rows = [] } = ((await records.budgetStore?.query({ text: 'SELECT key FROM budget_use' })) ??
    {}) as {
    rows?: { key: string }[];
  };
  expect(rows.length).toBeGreaterThan(10);
  expect(JSON.stringify(rows)).not.toMatch(/nova|a\.example|10\.\d+\.0\.1/);
});

it('a refusal that comes when the window is over is no credit in the next one', async () => {
  const { records } = await processes();
  const party = { id: 'member:nova', member: 'nova' };
  const answers: (() => void)[] = [];
  const slow = {
    async query(query: object) {
      const answer = await records.budgetStore?.query(query);
      answers.shift()?.();
      return answer;
    },
  };
  const { spend } = createBudgets({ ...records, budgetStore: slow });
  for (let use = 0; use < 20; use += 1) await spend('signIns', { party });
  answers.push(() => later(60_000));
  await expect(spend('signIns', { party })).rejects.toThrow(BudgetExceeded);
  for (let use = 0; use < 20; use += 1) await spend('signIns', { party });
  await expect(spend('signIns', { party })).rejects.toThrow(BudgetExceeded);
});

it('what was counted before the database was lost is taken back', async () => {
  const { records } = await processes();
  const { budgetStore: store } = records;
  if (store === undefined) throw new Error('records in PostgreSQL have a store of budgets');
  const lost: boolean[] = [];
  const failing = {
    async query(query: object) {
      if (lost.shift()) throw new Error('the connection was lost');
      return store.query(query);
    },
  };
  const counted = () => store.query({ text: 'SELECT key, points FROM budget_use ORDER BY key' });
  const { spend } = createBudgets({ ...records, budgetStore: failing });
  const use = { party: address('192.0.2.1'), site: 'a.example' };
  await spend('exams', use);
  const before = await counted();
  lost.push(false, false, true);
  await expect(spend('exams', use)).rejects.toThrow('the connection was lost');
  expect(await counted()).toMatchObject({ rows: (before as { rows: unknown[] }).rows });
});
