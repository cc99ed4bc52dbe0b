/**
 * The compliance operation over HTTP past one machine: records in a real PostgreSQL, the index in a real OpenSearch. The
 * operation reads the records only; the index is there and filled, as it shares the machine.
 *
 *   npm run bench:engines -- compliance [--quick]
 *   node bench/engines/compliance.ts [--agents 1000000] [--tested 10000] [--each 3000] [--heap-mb 2048]
 *     [--quiet 3 [--quiet-minutes 10]]: waits after loading until the mean load of a minute is below
 */
import { parseArgs } from 'node:util';
import { openStore } from '../../src/compose/engines.ts';
import { copyStore } from '../../src/compose/schema.ts';
import { readConfig } from '../../src/config.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { startPostgres } from '../../test/engines/start/postgres.ts';
import type { RegistryServerInput } from '../sides/registry-server.ts';
import { fillTested, type TestedAgents } from '../support/fill-tested.ts';
import { oneRun } from '../support/one-run.ts';
import { withScratchStore } from '../support/scratch.ts';
import { startSide } from '../support/side.ts';
import { timeCompliance } from '../support/time-compliance.ts';
import { loadIndex } from './support/load-index.ts';
import { markedAgents } from './support/load-rows.ts';
import { load, printMachine, waitForQuiet } from './support/machine.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    tested: { type: 'string' },
    each: { type: 'string' },
    'heap-mb': { type: 'string', default: '2048' },
    quiet: { type: 'string' },
    'quiet-minutes': { type: 'string', default: '10' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 2_000 : 1_000_000));
const tested = Number(options.tested ?? (options.quick ? 50 : 10_000));
const each = Number(options.each ?? (options.quick ? 100 : 3_000));
const heapMb = options.quick ? 512 : Number(options['heap-mb']);
const SEED = 20_261_121;

const [postgres, openSearch] = await Promise.all([
  startPostgres({ durable: true }),
  startOpenSearch({ heapMb }),
]);
try {
  printMachine({ 'OpenSearch heap': `${heapMb} MiB`, agents, tested, seed: SEED });
  const engines: RegistryServerInput = { store: postgres.url, index: openSearch.url };
  const filled = await fill(engines);
  if (options.quiet !== undefined)
    await waitForQuiet(Number(options.quiet), Number(options['quiet-minutes']) * 60_000);
  const ours = await startSide<{ port: number }, number>('registry-server', engines);
  try {
    const title = `Compliance operation, ${agents} agents, PostgreSQL and OpenSearch (load ${load()})`;
    await timeCompliance({ title, ours, agents: filled, each, targetMs: 50, seed: SEED });
  } finally {
    await ours.stop();
  }
} finally {
  await Promise.all([postgres.stop(), openSearch.stop()]);
}

/** Into SQLite first, and from there as `agent-registry migrate` does it; the documents go straight into the index. */
async function fill(engines: RegistryServerInput): Promise<TestedAgents> {
  const begun = performance.now();
  const filled = await withScratchStore(async (path) => {
    const made = await fillTested({ path, agents, tested, run: await oneRun() });
    const { signal } = new AbortController();
    await copyStore(`sqlite:${path}`, engines.store).run({
      now: Date.now(),
      live: false,
      onProgress: () => undefined,
      signal,
    });
    return made;
  });
  const rowsMs = performance.now() - begun;
  const store = await openStore({ ...readConfig({}), ...engines }, { create: false });
  await loadIndex(store.index, markedAgents(agents, 0), agents);
  await store.close();
  const indexMs = performance.now() - begun - rowsMs;
  console.log(`loaded: records in ${seconds(rowsMs)}, documents in ${seconds(indexMs)}; load ${load()}`);
  return filled;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
