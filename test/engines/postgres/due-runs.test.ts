import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { createPostgresStore } from '../../../src/records/postgres/postgres-store.ts';
import { createRunSchedule } from '../../../src/records/runs/run-schedule.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = 1_800_000_000_000;
const DUE = 20_000;
const AGENTS = `SELECT 'https://a' || n || '.example/mcp' AS agent, n FROM generate_series(1, ${DUE}) AS n`;
const TABLES = [
  `INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0)`,
  `INSERT INTO registration (agent, url, member, added_at, proven_at, via)
   SELECT agent, agent, 'acme', 1, 1, 'dns' FROM (${AGENTS}) AS a`,
  `INSERT INTO agent_settings
     (agent, opted_out, monitoring_paused, check_interval_hours, lifecycle_stage, created_at, updated_at)
   SELECT agent, 0, 0, 12, 'production', 1, 1 FROM (${AGENTS}) AS a WHERE n % 10 = 0`,
  `INSERT INTO run_schedule (agent, registrable_domain, next_run_at, fence, lease_until)
   SELECT agent, 'a' || n || '.example', ${NOW} - n, 0, 0 FROM (${AGENTS}) AS a`,
  'ANALYZE',
];

interface Plan {
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

/** The most rows that any step of a plan gave on. */
function mostRows({ 'Actual Rows': rows, Plans = [] }: Plan): number {
  return Math.max(rows, ...Plans.map(mostRows));
}

it('the first of 20,000 agents that are due are found without reading the others', async () => {
  const url = await freshDatabase();
  await (await openPostgresRecords({ url })).close();
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  for (const table of TABLES) await client.query(table);
  const read: number[] = [];
  const store = createPostgresStore({ url });
  onTestFinished(() => store.close());
  store.pool.on('acquire', (connection) => {
    const query = connection.query.bind(connection) as (text: string, values: unknown[]) => Promise<unknown>;
    connection.query = (async (text: string, values: unknown[]) => {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      read.push(mostRows(rows[0]['QUERY PLAN'][0].Plan));
      return query(text, values);
    }) as typeof connection.query;
  });
  const runs = createRunSchedule(store);
  const found = await runs.due(10, NOW);
  expect(found[0]?.key).toBe(`https://a${DUE}.example/mcp`);
  expect(found).toHaveLength(10);
  expect(Math.max(...read)).toBeLessThan(DUE / 10);
});
