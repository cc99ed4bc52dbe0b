import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import { BudgetExceeded, createBudgets, type Party } from '../../../src/budgets/budgets.ts';
import { addKey, addOwner } from '../../api/support/registry.ts';
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
