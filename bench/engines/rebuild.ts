/**
 * A full rebuild of the index with its switch, beside a program that reads the same records and loads documents, and beside
 * a bare load of prepared requests. A reader queries the API throughout, and each response must come from one generation.
 *
 *   npm run bench:engines -- rebuild [--quick]
 *   node bench/engines/rebuild.ts [--agents 300000] [--heap-mb 1024] [--rounds 3] [--alone: without its peers]
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { withScratchStore } from '../support/scratch.ts';
import { type Cost, runSide, startSide } from '../support/side.ts';
import type { ListServerInput } from './sides/list-server.ts';
import type { ReadCounts, ReaderInput } from './sides/reader.ts';
import type { BareInput } from './sides/rebuild-bare.ts';
import type { LoaderInput } from './sides/rebuild-loader.ts';
import type { RebuildInput, RebuildResult } from './sides/rebuild-ours.ts';
import { bareBulk } from './support/bare-bulk.ts';
import { loadIndex } from './support/load-index.ts';
import { loadRows, markedAgents } from './support/load-rows.ts';
import { printMachine } from './support/machine.ts';
import { cpuMsOf } from './support/process-cpu.ts';
import { readyLines } from './support/ready-lines.ts';
import {
  type Loaded,
  type RebuildSide,
  reportRates,
  reportReads,
  reportSteps,
} from './support/rebuild-reports.ts';
import { isMissing, nextSet } from './support/sets.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    'heap-mb': { type: 'string', default: '1024' },
    rounds: { type: 'string' },
    alone: { type: 'boolean', default: false },
  },
});
const agents = Number(options.agents ?? (options.quick ? 4_000 : 300_000));
const heapMb = options.quick ? 512 : Number(options['heap-mb']);
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const SEED = 20_261_121;
const engine = await startOpenSearch({ heapMb });
try {
  await withScratchStore(async (store) => {
    printMachine({ 'OpenSearch heap': `${heapMb} MiB`, agents, seed: SEED });
    const cursorSecret = await fill(store);
    const input: ListServerInput = { store, index: engine.url };
    const server = await startSide<{ port: number }, number>('engines/list-server', input);
    try {
      await compare(store, server.ready.port, cursorSecret);
    } finally {
      await server.stop();
    }
  });
} finally {
  await engine.stop();
}

/** The live generation holds the first set, and so do the records. */
async function fill(store: string): Promise<Uint8Array> {
  const records = await openSqliteRecords({ path: store });
  const secret = await cursorSecretOf(records);
  loadRows(records.database, { agents, documents: true });
  await records.close();
  const config = { ...readConfig({}), store: `sqlite:${store}`, index: engine.url };
  const opened = await openStore(config, { create: false });
  const first = markedAgents(agents, 0).filter(({ version }) => !isMissing(version - 1, 0));
  await loadIndex(opened.index, first, agents);
  await opened.close();
  return secret;
}

async function compare(store: string, port: number, cursorSecret: Uint8Array): Promise<void> {
  const measured: Record<RebuildSide, Loaded[]> = { ours: [], loader: [], bare: [] };
  const reads: ReadCounts[] = [];
  const rebuilds: RebuildResult[] = [];
  for (let set = 0; set < rounds; set += 1) {
    const ready = await prepare(store, set);
    const reader: ReaderInput = { port, cursorSecret, agents, set, seed: SEED + set };
    const reading = await startSide<object, ReadCounts>('engines/reader', reader);
    const documents = agents - Math.ceil((agents - ((set + 1) % 20)) / 20);
    const name = `bench-${set}`;
    const common = { index: engine.url, name };
    const loader: LoaderInput = { ...common, store };
    const bare: BareInput = { ...common, ...ready };
    const ours: RebuildInput = { store, index: engine.url };
    if (!options.alone) {
      measured.loader.push(await measure('rebuild-loader', loader, () => dropped(name, documents)));
      measured.bare.push(await measure('rebuild-bare', bare, () => dropped(name, documents)));
    }
    measured.ours.push(
      await measure('rebuild-ours', ours, (cost: Cost<RebuildResult>) => {
        rebuilds.push(cost.result);
        return cost.result.documents;
      }),
    );
    reads.push(await reading.ask('counts'));
    await reading.stop();
  }
  reportRates(measured);
  reportReads(reads);
  reportSteps(rebuilds);
}

/** The next set in the records, and the requests that load it, in a file. */
async function prepare(store: string, set: number): Promise<Pick<BareInput, 'file' | 'sizes'>> {
  const records = await openSqliteRecords({ path: store, create: false });
  nextSet(records.database, set);
  const file = `${store}-lines`;
  const lines = openSync(file, 'w');
  const sizes: number[] = [];
  for await (const chunk of options.alone ? [] : readyLines(records)) {
    writeSync(lines, chunk);
    sizes.push(chunk.length);
  }
  closeSync(lines);
  await records.close();
  return { file, sizes };
}

async function dropped(name: string, documents: number): Promise<number> {
  const found = await bareBulk(engine.url, name).countAndDrop();
  if (found !== documents) throw new Error(`${found} of ${documents} documents are found in ${name}`);
  return found;
}

async function measure<Result>(
  side: string,
  input: object,
  count: (cost: Cost<Result>) => number | Promise<number>,
): Promise<Loaded> {
  const pid = engine.nodes[0]?.pid ?? 0;
  const before = cpuMsOf(pid);
  const cost = await runSide<Result>(`engines/${side}`, input);
  const engineCpuMs = cpuMsOf(pid) - before;
  return { documents: await count(cost), wallMs: cost.wallMs, cpuMs: cost.cpuMs, engineCpuMs };
}
