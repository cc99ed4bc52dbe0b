import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { authorisation, facts, HOUR, NOW } from '../../contract/records-fixtures.ts';
import { declare } from '../../contract/records-steps.ts';
import { waitUntil } from '../start/processes.ts';
import { isWaiting } from '../support/during.ts';
import { freshDatabase } from '../support/engines.ts';

const AGENT = 'https://agent.example/mcp';

it('a file that declares an agent again waits for a visit of that agent before it locks the agent', async () => {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  onTestFinished(() => records.close());
  const visit = new pg.Client(url);
  await visit.connect();
  onTestFinished(() => visit.end());
  const declared = facts({ authorisations: [authorisation('a.example', AGENT)] });
  await declare(records, 'a.example', 'adagents', 'first', declared);
  await declare(records, 'a.example', 'adagents', 'empty', facts(), NOW + HOUR);
  await visit.query('BEGIN');
  await visit.query("SELECT id FROM source WHERE kind = 'agent' FOR UPDATE");
  const declaring = declare(records, 'a.example', 'adagents', 'again', declared, NOW + 2 * HOUR);
  expect(await waitUntil(() => isWaiting(visit), 60_000)).toBe(true);
  const locked = await visit.query('SELECT agent FROM agent FOR UPDATE NOWAIT');
  expect(locked.rows).toEqual([{ agent: AGENT }]);
  await visit.query('COMMIT');
  await declaring;
});
