/**
 * Cost and savings of the codec of the index: the same documents in an index with `default` and one with
 * `best_compression`; size on the disk after a forced merge, and the time of loading and of pages.
 *
 *   npm run bench:engines -- codec [--quick]
 *   node bench/engines/codec.ts [--agents 300000] [--pages 2000]
 */
import { parseArgs } from 'node:util';
import { GENERATION_TEMPLATE } from '../../src/index/opensearch/catalogue.ts';
import { storedDocument } from '../../src/index/opensearch/document.ts';
import { listBody } from '../../src/index/opensearch/query.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { batches } from '../support/batches.ts';
import { median, quantile } from '../support/statistics.ts';
import { printTable, type Row } from '../support/table.ts';

import { FILTERS } from './support/filters.ts';
import { load, printMachine } from './support/machine.ts';
import { cpuMsOf } from './support/process-cpu.ts';
import { questions } from './support/questions.ts';
import { variedAgents } from './support/varied-agents.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    pages: { type: 'string' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 3_000 : 300_000));
const pages = Number(options.pages ?? (options.quick ? 54 : 2_700));
const CODECS = ['default', 'best_compression'];
const PAGE = 1_000;
const SEED = 20_261_121;
const engine = await startOpenSearch({ heapMb: options.quick ? 512 : 1_024 });
try {
  printMachine({ agents, pages, seed: SEED });
  for (const codec of CODECS) await fill(`${codec}-warm`, codec, Math.min(agents, 20_000));
  const loaded: Row[] = [];
  for (const codec of CODECS) loaded.push(await fill(codec, codec, agents));
  const asked = await askInTurns();
  printTable(
    `Codecs of the index (${agents} documents, one segment, ${pages} pages of 50; load ${load()})`,
    CODECS.map((codec, at) => ({ codec, ...loaded[at], ...asked.get(codec) })),
  );
} finally {
  await engine.stop();
}

async function fill(index: string, codec: string, count: number): Promise<Row> {
  const settings = { index: { ...GENERATION_TEMPLATE.settings.index, refresh_interval: '-1', codec } };
  await call('PUT', `/${index}`, JSON.stringify({ ...GENERATION_TEMPLATE, settings }));
  const [begun, before] = [performance.now(), engineCpuMs()];
  for (const batch of batches(variedAgents(count, SEED), PAGE)) {
    const lines = batch.map((saved) => `{"index":{}}\n${JSON.stringify(storedDocument(saved))}\n`).join('');
    await call('POST', `/${index}/_bulk?filter_path=errors`, lines);
  }
  await call('POST', `/${index}/_flush`);
  const loadedMs = performance.now() - begun;
  const cpuMs = engineCpuMs() - before;
  await call('POST', `/${index}/_forcemerge?max_num_segments=1&flush=true`);
  const stats = await call<Stats>('GET', `/${index}/_stats/store,docs`);
  const { store, docs } = stats._all.primaries;
  if (docs.count !== count) throw new Error(`${docs.count} of ${count} documents are there`);
  return {
    'MB on disk': store.size_in_bytes / 1e6,
    'bytes a document': store.size_in_bytes / count,
    'seconds to load': loadedMs / 1_000,
    'engine CPU µs a document': (cpuMs * 1_000) / count,
  };
}

/** The same pages of both, in turns of one. */
async function askInTurns(): Promise<ReadonlyMap<string, Row>> {
  const each = Math.ceil(pages / FILTERS.length);
  const all = [...questions(each, { agents, cursorSecret: new Uint8Array(32), seed: SEED })];
  const times = new Map(CODECS.map((codec) => [codec, [] as number[]]));
  const cpu = new Map(CODECS.map((codec) => [codec, 0]));
  for (const block of batches(all, 200))
    for (const codec of CODECS) {
      const before = engineCpuMs();
      for (const { query } of block) {
        const begun = performance.now();
        await call('POST', `/${codec}/_search`, JSON.stringify(listBody(query)));
        times.get(codec)?.push(performance.now() - begun);
      }
      cpu.set(codec, (cpu.get(codec) ?? 0) + engineCpuMs() - before);
    }
  return new Map(
    CODECS.map((codec) => {
      const taken = times.get(codec) ?? [];
      const cpuMs = (cpu.get(codec) ?? 0) / all.length;
      return [
        codec,
        { 'page p50 ms': median(taken), 'p99 ms': quantile(taken, 0.99), 'engine CPU ms a page': cpuMs },
      ];
    }),
  );
}

interface Stats {
  readonly _all: {
    readonly primaries: {
      readonly store: { readonly size_in_bytes: number };
      readonly docs: { readonly count: number };
    };
  };
}

async function call<T>(method: string, path: string, body?: string): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(engine.url + path, { method, headers, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

function engineCpuMs(): number {
  return cpuMsOf(engine.nodes[0]?.pid ?? 0);
}
