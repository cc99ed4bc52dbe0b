/**
 * Pages at many agents: server time of the directory, of a search with facets and of an agent, beside a constant page of the
 * same bytes; the API beside 400 pages a second; with `--paint`, first contentful paint in Chromium.
 *
 *   npm run bench -- pages [--quick]
 *   node bench/pages.ts [--agents 1000000] [--each 2000] [--seconds 30] [--paint] [--store PATH]
 *
 * `--store` keeps the filled store for the next run: filling a million agents takes longest.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSqliteIndex } from '../src/index/embedded/sqlite-index.ts';
import { openSqliteRecords } from '../src/records/sqlite/sqlite-records.ts';
import type { TimedLoad, TimedLoadInput } from './engines/sides/timed-load.ts';
import { loadIndex } from './engines/support/load-index.ts';
import type { ConstantInput } from './sides/constant-server.ts';
import type { RegistryServerInput } from './sides/registry-server.ts';
import { chooseAgents, fillTested } from './support/fill-tested.ts';
import { beginBulk, endBulk } from './support/in-bulk.ts';
import { oneRun } from './support/one-run.ts';
import { AS_BROWSER, PAGE_KINDS, pagePaths } from './support/page-paths.ts';
import { pagesBesideApi } from './support/pages-beside-api.ts';
import { withStoreAt } from './support/scratch.ts';
import { runSide, startSide } from './support/side.ts';
import { median, quantile } from './support/statistics.ts';
import { printTable } from './support/table.ts';
import { timePaint } from './support/time-paint.ts';
import { syntheticAgents } from './synthetic-agents.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    agents: { type: 'string' },
    each: { type: 'string' },
    seconds: { type: 'string' },
    paint: { type: 'boolean', default: false },
    store: { type: 'string' },
  },
});
const agents = Number(options.agents ?? (options.quick ? 2_000 : 1_000_000));
const each = Number(options.each ?? (options.quick ? 50 : 2_000));
const tested = Math.min(2_000, agents / 10);
const seconds = Number(options.seconds ?? (options.quick ? 3 : 30));
const CONSTANT_PATH = '/api/registry/agents';

await withStoreAt(options.store, async (path) => {
  if (!existsSync(path)) await fill(path);
  const paths = pagePaths(chooseAgents(agents, tested), each);
  const input: RegistryServerInput = { store: `sqlite:${path}` };
  const ours = await startSide<{ port: number }, number>('registry-server', input);
  try {
    const rows = [];
    for (const kind of PAGE_KINDS) rows.push(await timeKind(kind, paths[kind], ours.ready.port));
    printTable(`Pages, ${agents} agents, one client (n = ${each} a row)`, rows);
    if (options.paint) await timePaint(`http://127.0.0.1:${ours.ready.port}`, paths);
  } finally {
    await ours.stop();
  }
  await pagesBesideApi({ store: path, pages: inTurns(paths), seconds });
});

/** Rows straight in the tables and the index, as a million would take an hour on the way of a crawl; some with real runs. */
async function fill(path: string): Promise<void> {
  const begun = performance.now();
  await fillTested({ path, agents, tested, run: await oneRun() });
  const { database, store, clock, close } = await openSqliteRecords({ path });
  beginBulk(database);
  await loadIndex(await openSqliteIndex(store, { clock }), syntheticAgents(agents), agents);
  endBulk(database);
  await close();
  console.log(
    `${agents} agents, ${tested} of them tested, in ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
}

/** One of each kind after the other. */
function inTurns(paths: ReturnType<typeof pagePaths>): readonly string[] {
  return Array.from({ length: each }, (_, at) => PAGE_KINDS.map((kind) => paths[kind][at] ?? '/')).flat();
}

/** Each page in turns with bare fastify that sends as many bytes as the first of them has. */
async function timeKind(kind: string, paths: readonly string[], port: number) {
  const body = await (await fetch(`http://127.0.0.1:${port}${paths[0]}`, { headers: AS_BROWSER })).text();
  const input: ConstantInput = { body };
  const constant = await startSide<{ port: number }, number>('constant-server', input);
  try {
    const asked = paths.flatMap((path) => [
      { port, path, headers: AS_BROWSER },
      { port: constant.ready.port, path: CONSTANT_PATH },
    ]);
    await ask(asked.slice(0, Math.ceil(each / 10) * 2)); // warms up; the same again may be kept, so it is few
    const latencies = await ask(asked);
    const mine = latencies.filter((_, at) => at % 2 === 0);
    const bare = latencies.filter((_, at) => at % 2 === 1);
    return {
      page: kind,
      KiB: Math.round(Buffer.byteLength(body) / 1_024),
      'p50 ms': median(mine),
      'p99 ms': quantile(mine, 0.99),
      'constant p50': median(bare),
      'constant p99': quantile(bare, 0.99),
      'p50 of the constant': median(mine) / median(bare),
      'p99 of the constant': quantile(mine, 0.99) / quantile(bare, 0.99),
      'target p99': '< 20 ms',
    };
  } finally {
    await constant.stop();
  }
}

async function ask(requests: TimedLoadInput['requests']): Promise<readonly number[]> {
  const input: TimedLoadInput = { requests, connections: 1 };
  return (await runSide<TimedLoad>('engines/timed-load', input)).result.latenciesMs;
}
