/**
 * The graph in both directions on PostgreSQL: the questions of bench/graph.ts to the API in process, beside a constant answer.
 *
 *   npm run bench:engines -- graph [--quick]
 *   node bench/engines/graph.ts [--publishers 1000000] [--rounds 500] [--database postgres://…, kept] [--quick]
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/compose/clock.ts';
import { openRecords } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { askGraph, graphServer } from '../support/ask-graph.ts';
import { EDGES } from '../support/fill-edges.ts';
import { printTable } from '../support/table.ts';
import { EDGE_OPTIONS, withEdges } from './support/fill-postgres.ts';
import { printMachine } from './support/machine.ts';

const { values: options } = parseArgs({ options: EDGE_OPTIONS });
const publishers = options.quick ? 2_000 : Number(options.publishers);
const rounds = options.quick ? 50 : Number(options.rounds);
const { database } = options;
await withEdges({ publishers, database }, async (url) => {
  printMachine({ edges: publishers * EDGES });
  const { records } = await openRecords({ ...readConfig({}), store: url }, { create: true });
  // no question of the graph reads the index
  const beside = await openSqliteRecords({ path: ':memory:', create: true });
  const index = await openSqliteIndex(beside.store, { clock: systemClock });
  const server = graphServer({ records, index });
  const rows = await askGraph(server, { rounds, publishers });
  printTable(`the graph, ${publishers * EDGES} edges on PostgreSQL, milliseconds (target: p99 15)`, rows);
  await server.close();
  await records.close();
  await beside.close();
});
