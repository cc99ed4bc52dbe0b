import { expect, it, onTestFinished } from 'vitest';
import { createRunSchedule } from '../../../src/records/runs/run-schedule.ts';
import type { SqlTask } from '../../../src/records/sql-tasks.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

const NOW = 1_800_000_000_000;

/** Agents that are owned and due, `?` standing for their number. */
const OWNED = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
  SELECT 'https://a' || i || '.' || ?2 || '/mcp' AS agent FROM n`;
const TABLES = [
  `INSERT INTO registration (agent, url, member, added_at) SELECT agent, agent, 'acme', 1 FROM (${OWNED})`,
  `INSERT INTO ownership (agent, member, proven_at) SELECT agent, 'acme', 1 FROM (${OWNED})`,
  `INSERT INTO run_schedule (agent, registrable_domain, next_run_at, asked_run, asked_as, asked_at, fence, lease_until)
   SELECT agent, ?2, ${NOW}, CASE WHEN ?3 THEN 'r' END, CASE WHEN ?3 THEN 'manual' END, CASE WHEN ?3 THEN ${NOW} END, 0, 0 FROM (${OWNED})`,
];

it('runs are found past 5,000 agents of one domain without reading them all', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const { database } = records;
  database.exec("INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0)");
  for (const [count, domain, isAsked] of [
    [5_000, 'big.example', 0],
    [5_000, 'asked.example', 1],
    [1, 'small.example', 0],
  ] as const)
    for (const [at, table] of TABLES.entries())
      database.statement(table).run(count, domain, ...(at === 2 ? [isAsked] : []));
  let statements = 0;
  const store = createSqliteStore(database);
  function* counted<T>(work: () => SqlTask<T>): SqlTask<T> {
    const under = work();
    let step = under.next();
    for (; !step.done; statements += 1) step = under.next(yield step.value);
    return step.value;
  }
  const runs = createRunSchedule({ ...store, read: (work) => store.read(() => counted(work)) });
  const found = await runs.due(100, NOW);
  const counts = Map.groupBy(found, ({ registrableDomain }) => registrableDomain);
  expect([...counts].map(([domain, of]) => [domain, of.length])).toEqual([
    ['asked.example', 10],
    ['big.example', 10],
    ['small.example', 1],
  ]);
  expect(statements).toBeLessThan(10);
  expect(await runs.countDue(NOW)).toEqual({ due: 10_001, asked: 5_000, oldestAt: NOW });
});
