/**
 * "May this agent sell this?" on PostgreSQL, beside the round trip to the database: the rows and questions of
 * bench/authorise.ts.
 *
 *   npm run bench:engines -- authorise [--quick]
 *   node bench/engines/authorise.ts [--publishers 1000000] [--rounds 500] [--database postgres://…, kept] [--quick]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openRecords } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { askAll, publisherOf, rowOf, start, type Time } from '../support/ask-authorised.ts';
import { agentAt, EDGES, publisherAt } from '../support/fill-edges.ts';
import { printTable } from '../support/table.ts';
import { EDGE_OPTIONS, withEdges } from './support/fill-postgres.ts';
import { printMachine } from './support/machine.ts';

const { values: options } = parseArgs({ options: EDGE_OPTIONS });
const publishers = options.quick ? 2_000 : Number(options.publishers);
const rounds = options.quick ? 100 : Number(options.rounds);
const { database } = options;
await withEdges({ publishers, database }, async (url) => {
  printMachine({ edges: publishers * EDGES });
  const { records } = await openRecords({ ...readConfig({}), store: url }, { create: true });
  const rows = [rowOf('floor: three point reads', await floor(url))];
  rows.push(...(await askAll(records.authorisations, { rounds, publishers })));
  printTable(
    `may this agent sell this, ${publishers * EDGES} edges on PostgreSQL, milliseconds (target: p99 15)`,
    rows,
  );
  await records.close();
});

/** The reads that no answer can do without, one after the other over one connection. */
async function floor(url: string): Promise<Time[]> {
  const client = new pg.Client(url);
  await client.connect();
  const times: Time[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const n = publisherOf(round + rounds, publishers);
    const begun = start();
    for (const [name, text, values] of [
      ['s', "SELECT declaration FROM source WHERE kind = 'adagents' AND key = $1", [publisherAt(n)]],
      ['n', 'SELECT property FROM property_name WHERE name = $1', [`domain:${publisherAt(n)}`]],
      [
        'a',
        'SELECT covers, limits FROM authorisation WHERE agent = $1 AND publisher = $2 AND seen_until IS NULL',
        [agentAt(n, 1), publisherAt(n)],
      ],
    ] as const)
      await client.query({ name, text, values: [...values] });
    times.push(begun());
  }
  await client.end();
  return times;
}
