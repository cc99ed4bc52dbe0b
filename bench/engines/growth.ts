/**
 * Growth of PostgreSQL with agents that are probed every hour, and the time to delete a day of them.
 *
 *   npm run bench:engines -- growth [--quick]
 *   node bench/engines/growth.ts [--agents 100000]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresRecords } from '../../src/records/postgres/postgres-records.ts';
import { startPostgres } from '../../test/engines/start/postgres.ts';
import { growProbes } from '../support/grow-probes.ts';
import { printTable } from '../support/table.ts';
import { printMachine } from './support/machine.ts';

const { values: options } = parseArgs({
  options: { agents: { type: 'string', default: '100000' }, quick: { type: 'boolean', default: false } },
});
const agents = options.quick ? 1_000 : Number(options.agents);
const postgres = await startPostgres();
try {
  printMachine({ agents });
  const url = await postgres.createDatabase();
  const records = await openPostgresRecords({ url });
  const client = new pg.Client(url);
  await client.connect();
  const row = await growProbes(records, agents, async (table) => {
    const { rows } = await client.query('SELECT pg_total_relation_size($1)::float8 AS bytes', [table]);
    return rows[0].bytes;
  });
  await client.end();
  await records.close();
  printTable('Agents probed every hour, PostgreSQL', [row]);
} finally {
  await postgres.stop();
}
