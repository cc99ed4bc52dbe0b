/**
 * The search with facets on a real OpenSearch, by the adapter alone, against its floor: a search of one agent by its URL.
 *
 *   npm run bench:engines -- search-opensearch [--quick]
 *   node bench/engines/search-opensearch.ts [--agents 1000000] [--heap-mb 2048] [--rounds 100]
 */
import { parseArgs } from 'node:util';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { withScratchStore } from '../support/scratch.ts';
import { printTable } from '../support/table.ts';
import { searchRows, timed, timeSearches, WARM_UP } from '../support/time-search.ts';
import { syntheticAgents } from '../synthetic-agents.ts';
import { loadIndex } from './support/load-index.ts';
import { printMachine } from './support/machine.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string', default: '1000000' },
    'heap-mb': { type: 'string', default: '2048' },
    rounds: { type: 'string', default: '100' },
  },
});
const agents = options.quick ? 2_000 : Number(options.agents);
const heapMb = options.quick ? 512 : Number(options['heap-mb']);
const rounds = options.quick ? 10 : Number(options.rounds);

const engine = await startOpenSearch({ heapMb });
try {
  await withScratchStore(async (store) => {
    printMachine({ 'OpenSearch heap': `${heapMb} MiB`, agents });
    await (await openSqliteRecords({ path: store })).close();
    // a slow answer is a figure here, and no failure
    const patience = { indexTimeoutMs: 60_000 };
    const config = { ...readConfig({}), ...patience, store: `sqlite:${store}`, index: engine.url };
    const { index, close } = await openStore(config, { create: false });
    const begun = performance.now();
    await loadIndex(index, syntheticAgents(agents), agents);
    console.log(`loaded in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    const none = new URL('https://nobody.example/').href;
    const floor = await timed(rounds, () => index.search({ filter: {}, after: none, limit: 1 }));
    await timeSearches(index, WARM_UP);
    const first = { ...floor, name: 'floor: one agent of the list', agents: 1 };
    const rows = await searchRows(index, rounds, first);
    printTable(`Search with facets on OpenSearch, ${agents} agents (target: p99 under 100 ms)`, rows);
    await close();
  });
} finally {
  await engine.stop();
}
