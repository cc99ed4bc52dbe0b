/**
 * The search with facets on the embedded index, in process, against its floor: fetching 50 agents by URL with one bare
 * prepared statement.
 *
 *   node bench/search-sql.ts [--agents 100000] [--rounds 100] [--store PATH to keep it] [--quick]
 */
import { parseArgs } from 'node:util';
import { createSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import type { AgentIndex } from '../src/ports/agent-index.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import { batches } from './support/batches.ts';
import { withStoreAt } from './support/scratch.ts';
import { printTable } from './support/table.ts';
import { searchRows, timed, timeSearches, WARM_UP } from './support/time-search.ts';
import { syntheticAgents } from './synthetic-agents.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    store: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const rounds = options.quick ? 20 : Number(options.rounds);
const BATCH = 2_000;

await withStoreAt(options.store, async (path) => {
  const { database, close } = await openSqliteRecords({ path });
  const index = createSqliteIndex(database, { clock: { now: () => 0 } });
  await fillOnce(index, Number(database.statement('SELECT count(*) AS n FROM index_agent_1').get()?.n));
  await timeSearches(index, WARM_UP);
  const statement = database.statement(
    'SELECT head FROM index_record_1 WHERE id = (SELECT id FROM index_agent_1 WHERE url = ?)',
  );
  const urls = Array.from(syntheticAgents(50), ({ agent }) => agent);
  const floor = await timed(rounds, async () => void urls.map((url) => statement.get(url)));
  const rows = await searchRows(index, rounds, { ...floor, name: 'floor: 50 agents by URL', agents: 50 });
  printTable(`Search with facets, ${agents} agents (target: p99 under 20 ms)`, rows);
  await close();
});

/** A store that was filled before is taken as it is; one with other agents is refused. */
async function fillOnce(index: AgentIndex, there: number): Promise<void> {
  const begun = performance.now();
  const [live] = await index.generations.list();
  if (there !== 0 && there !== agents) throw new Error(`the store has ${there} agents and not ${agents}`);
  if (there === 0)
    for (const batch of batches(syntheticAgents(agents), BATCH))
      await index.generations.write(live?.id ?? 0, batch);
  console.log(`filled in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
}
