/**
 * The list operation over HTTP with the index in a real OpenSearch: how long each filter takes, and how many requests a
 * second there are beside a bare handler that makes the very same searches and relays the bytes.
 *
 *   npm run bench:engines -- list-opensearch [--quick]
 *   node bench/engines/list-opensearch.ts [--agents 1000000] [--heap-mb 2048] [--rounds 5] [--each 200]
 *     [--quiet 3 [--quiet-minutes 10]]: waits after loading until the mean load of a minute is below
 */
import { parseArgs } from 'node:util';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { indexNames } from '../../src/index/opensearch/catalogue.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { withScratchStore } from '../support/scratch.ts';
import { startSide } from '../support/side.ts';
import type { ListServerInput } from './sides/list-server.ts';
import { compareServers } from './support/compare-servers.ts';
import type { ListSetting, MeasuredServer } from './support/list-setting.ts';
import { loadIndex } from './support/load-index.ts';
import { loadRows, markedAgents } from './support/load-rows.ts';
import { load, printMachine, waitForQuiet } from './support/machine.ts';
import { timeFilters } from './support/time-filters.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    'heap-mb': { type: 'string', default: '2048' },
    rounds: { type: 'string' },
    each: { type: 'string' },
    quiet: { type: 'string' },
    'quiet-minutes': { type: 'string', default: '10' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 2_000 : 1_000_000));
const heapMb = options.quick ? 512 : Number(options['heap-mb']);
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
/** Requests of each filter for the latencies; a fifth of it in each round of the comparison. */
const each = Number(options.each ?? (options.quick ? 4 : 200));
const SEED = 20_261_121;
const config = readConfig({});
const ALL_SWITCHES = { health: 'true', capabilities: 'true', properties: 'true', compliance: 'true' };

const engine = await startOpenSearch({ heapMb });
try {
  await withScratchStore(async (store) => {
    printMachine({ 'OpenSearch heap': `${heapMb} MiB`, agents, seed: SEED });
    const { cursorSecret, recordsId } = await fill(store);
    const input: ListServerInput = { store, index: engine.url };
    const ours: MeasuredServer = await startSide('engines/list-server', input);
    const target = indexNames(config.indexPrefix, recordsId).reads;
    const setting: ListSetting = {
      ...{ agents, seed: SEED, ours, cursorSecret, timeoutMs: config.indexTimeoutMs },
      engine: { url: engine.url, pid: engine.nodes[0]?.pid ?? 0, target },
    };
    const common = { rounds, each: Math.max(2, Math.round(each / 5)) };
    if (options.quiet !== undefined)
      await waitForQuiet(Number(options.quiet), Number(options['quiet-minutes']) * 60_000);
    try {
      await timeFilters(setting, each);
      await compareServers(setting, { ...common, name: 'no switches', switches: {} });
      await compareServers(setting, { ...common, name: 'all four switches', switches: ALL_SWITCHES });
    } finally {
      await ours.stop();
    }
  });
} finally {
  await engine.stop();
}

/** The rows and the documents go straight to where they belong. */
async function fill(store: string) {
  const begun = performance.now();
  const records = await openSqliteRecords({ path: store });
  const cursorSecret = await cursorSecretOf(records);
  const recordsId = await records.id();
  loadRows(records.database, { agents, documents: false });
  await records.close();
  const rowsMs = performance.now() - begun;
  const opened = await openStore(
    { ...config, store: `sqlite:${store}`, index: engine.url },
    { create: false },
  );
  await loadIndex(opened.index, markedAgents(agents, 0), agents);
  const found = await opened.index.count({});
  await opened.close();
  if (found !== agents) throw new Error(`${found} of ${agents} agents are found`);
  const indexMs = performance.now() - begun - rowsMs;
  console.log(`loaded: rows in ${seconds(rowsMs)}, documents in ${seconds(indexMs)}; load ${load()}`);
  return { cursorSecret, recordsId };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
