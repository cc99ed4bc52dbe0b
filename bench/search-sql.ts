/**
 * The search with facets on the embedded index, in process, against its floor: fetching 50 agents by URL with one bare
 * prepared statement.
 *
 *   node bench/search-sql.ts [--agents 100000] [--rounds 100] [--quick]
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSqliteIndex } from '../src/adapters/sql/index/sqlite-index.ts';
import { openDatabase } from '../src/adapters/sql/sqlite/database.ts';
import type { SavedDocument } from '../src/ports/agent-store.ts';
import { printTable } from './support/table.ts';
import { timed, timeSearches } from './support/time-search.ts';
import { syntheticAgents } from './synthetic-agents.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    quick: { type: 'boolean', default: false },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const rounds = options.quick ? 20 : Number(options.rounds);
const BATCH = 2_000;

const path = join(tmpdir(), `registry-bench-search-${process.pid}.sqlite`);
const database = openDatabase(path);
const index = createSqliteIndex(database, { clock: { now: () => 0 } });
await fill();
const statement = database.statement('SELECT head FROM index_agent_1 WHERE url = ?');
const urls = Array.from(syntheticAgents(50), ({ agent }) => agent);
const floor = await timed(rounds, async () => void urls.map((url) => statement.get(url)));
const rows = [
  {
    case: 'floor: 50 agents by URL',
    'p50 ms': floor.p50,
    'p99 ms': floor.p99,
    'of the floor': 1,
    agents: 50,
  },
];
for (const { name, p50, p99, agents: found } of await timeSearches(index, rounds))
  rows.push({
    case: name,
    'p50 ms': p50,
    'p99 ms': p99,
    'of the floor': p99 / floor.p99,
    agents: found,
  });
printTable(`Search with facets, ${agents} agents (target: p99 under 20 ms)`, rows);
database.close();
for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });

async function fill(): Promise<void> {
  const [live] = await index.generations.list();
  let batch: SavedDocument[] = [];
  for (const agent of syntheticAgents(agents)) {
    if (batch.push(agent) < BATCH) continue;
    await index.generations.write(live?.id ?? 0, batch);
    batch = [];
  }
  await index.generations.write(live?.id ?? 0, batch);
}
