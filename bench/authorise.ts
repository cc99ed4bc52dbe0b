/**
 * "May this agent sell this?" on the embedded store, in process: each kind of question, beside the floor, the three point
 * reads that every answer needs. The rows are filled in bulk.
 *
 *   node bench/authorise.ts [--publishers 1000000] [--rounds 2000] [--store PATH to keep it] [--quick]
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { askAll, publisherOf, rowOf, start, type Time } from './support/ask-authorised.ts';
import { agentAt, EDGES, fillOnce, publisherAt } from './support/fill-edges.ts';
import { withStoreAt } from './support/scratch.ts';
import { printTable, type Row } from './support/table.ts';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '2000' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const publishers = options.quick ? 2_000 : Number(options.publishers);
const rounds = options.quick ? 100 : Number(options.rounds);
await withStoreAt(options.store, main);

async function main(path: string): Promise<void> {
  const records = await openSqliteRecords({ path });
  console.log(`filled in ${fillOnce(records.database, publishers).toFixed(0)} s`);
  const bytes = statSync(path).size;
  const edges = publishers * EDGES;
  console.log(
    `${edges} edges of ${publishers} publishers, ${Math.round(bytes / 2 ** 20)} MiB, ${Math.round(bytes / edges)} bytes an edge with all that belongs to it`,
  );
  const rows: Row[] = [rowOf('floor: three point reads', floor(records.database))];
  rows.push(...(await askAll(records.authorisations, { rounds, publishers })));
  printTable(`may this agent sell this, ${edges} edges, milliseconds (target: p99 15)`, rows);
  await records.close();
}

function floor(database: Awaited<ReturnType<typeof openSqliteRecords>>['database']): Time[] {
  const texts = [
    "SELECT declaration FROM source WHERE kind = 'adagents' AND key = ?",
    'SELECT property FROM property_name WHERE name = ?',
    'SELECT covers, limits FROM authorisation WHERE agent = ? AND publisher = ? AND seen_until IS NULL',
  ].map((text) => database.statement(text));
  return Array.from({ length: rounds }, (_, round) => {
    const n = publisherOf(round + rounds, publishers);
    const begun = start();
    texts[0]?.get(publisherAt(n));
    texts[1]?.get(`domain:${publisherAt(n)}`);
    texts[2]?.get(agentAt(n, 1), publisherAt(n));
    return begun();
  });
}
