import { expect, it } from 'vitest';
import { createRunSchedule } from '../../../src/records/runs/run-schedule.ts';
import { countedStore } from '../support/plans.ts';

const NOW = 1_800_000_000_000;

/** Agents that are owned and due, `?` standing for their number. */
const OWNED = `
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
  SELECT 'https://a' || i || '.' || ?2 || '/mcp' AS agent FROM n`;
const TABLES = [
  `INSERT INTO registration (agent, url, member, added_at, proven_at, via)
   SELECT agent, agent, 'acme', 1, 1, 'dns' FROM (${OWNED})`,
  `INSERT INTO run_schedule (agent, registrable_domain, next_run_at, asked_run, asked_as, asked_at, fence, lease_until)
   SELECT agent, ?2, ${NOW}, CASE WHEN ?3 THEN 'r' END, CASE WHEN ?3 THEN 'manual' END, CASE WHEN ?3 THEN ${NOW} END, 0, 0 FROM (${OWNED})`,
];

it('runs are found past 5,000 agents of one domain without reading them all', async () => {
  const { records, counted, store } = await countedStore();
  const { database } = records;
  database.exec("INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0)");
  for (const [count, domain, isAsked] of [
    [5_000, 'big.example', 0],
    [5_000, 'asked.example', 1],
    [1, 'small.example', 0],
  ] as const)
    for (const [at, table] of TABLES.entries())
      database.statement(table).run(count, domain, ...(at === 1 ? [isAsked] : []));
  const runs = createRunSchedule(store);
  const found = await runs.due(100, NOW);
  const counts = Map.groupBy(found, ({ registrableDomain }) => registrableDomain);
  expect([...counts].map(([domain, of]) => [domain, of.length])).toEqual([
    ['asked.example', 10],
    ['big.example', 10],
    ['small.example', 1],
  ]);
  expect(counted.statements).toBeLessThan(10);
  expect(await runs.countDue(NOW)).toEqual({ due: 10_001, asked: 5_000, oldestAt: NOW });
});
