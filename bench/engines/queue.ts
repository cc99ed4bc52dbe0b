/**
 * CPU time of a domain that is crawled through the queue, by a scheduler and two workers, beside one process that crawls the
 * same due domains on the same PostgreSQL and on SQLite. Counts all our processes.
 *
 *   npm run bench:engines -- queue [--quick]
 *   node bench/engines/queue.ts [--domains 10000] [--rounds 3] [--concurrency 100]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openRecords } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import type { Records } from '../../src/ports/records.ts';
import { startOpenSearch } from '../../test/engines/start/opensearch.ts';
import { startPostgres } from '../../test/engines/start/postgres.ts';
import { publisherNames } from '../support/publishers.ts';
import { withScratchStore } from '../support/scratch.ts';
import { runSide } from '../support/side.ts';
import { median } from '../support/statistics.ts';
import { printTable } from '../support/table.ts';
import { startWeb } from '../support/web.ts';
import type { DueCrawlInput } from './sides/due-crawl.ts';
import { load, printMachine } from './support/machine.ts';
import { cpuMsOf } from './support/process-cpu.ts';
import { type RegistryProcess, startRegistry } from './support/registry-process.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    domains: { type: 'string' },
    rounds: { type: 'string' },
    concurrency: { type: 'string', default: '100' },
  },
});
const domains = publisherNames(Number(options.domains ?? (options.quick ? 300 : 10_000)));
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
const concurrency = Number(options.concurrency);
const AGENTS = 40;
/** To ask whether all is done costs the database as much as a few visits. */
const ASKS_MS = 1_000;
const SIDES = {
  queue: 'scheduler and two workers, PostgreSQL',
  postgres: 'one process, PostgreSQL',
  sqlite: 'one process, SQLite',
};
type Side = keyof typeof SIDES;

interface Measured {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly databaseCpuMs: number;
  readonly requests: number;
  readonly probes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'registry-bench-queue-'));
const [web, postgres, openSearch] = await Promise.all([
  startWeb({ agents: AGENTS }),
  startPostgres({ durable: true }),
  startOpenSearch({ heapMb: 512 }),
]);
try {
  printMachine({ domains: domains.length, agents: AGENTS, 'visits at once': concurrency });
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, web.ca);
  const measured: Record<Side, Measured[]> = { queue: [], postgres: [], sqlite: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.postgres.push(await crawlAlone(await postgres.createDatabase(), `p${round}`));
    measured.queue.push(await crawlByQueue(await postgres.createDatabase(), `q${round}`, caFile));
    await withScratchStore(async (path) => {
      measured.sqlite.push(await crawlAlone(`sqlite:${path}`, 'records'));
    });
  }
  report(measured);
} finally {
  await Promise.all([web.stop(), postgres.stop(), openSearch.stop()]);
  rmSync(folder, { recursive: true });
}

/** What `agent-registry crawl --due` does, the loading of its modules not counted. */
async function crawlAlone(store: string, prefix: string): Promise<Measured> {
  await withRecords(store, (records) => addDomains(records));
  await web.seen();
  const before = cpuMsOf(postgres.pid);
  const input: DueCrawlInput = {
    ...{ store, port: web.port, ca: web.ca, concurrency },
    ...(prefix === 'records' ? { index: 'records', prefix: 'unused' } : { index: openSearch.url, prefix }),
  };
  const { cpuMs, wallMs } = await runSide<void>('engines/due-crawl', input);
  const databaseCpuMs = cpuMsOf(postgres.pid) - before;
  await withRecords(store, ensureVisited);
  return { cpuMs, wallMs, databaseCpuMs, ...(await web.seen()) };
}

/** The processes run and wait before the domains come; they are paid for until everything is done. */
async function crawlByQueue(store: string, prefix: string, caFile: string): Promise<Measured> {
  const settings = {
    ...{ REGISTRY_STORE: store, REGISTRY_INDEX: openSearch.url, REGISTRY_INDEX_PREFIX: prefix },
    ...{ REGISTRY_CONCURRENCY: String(concurrency), REGISTRY_LOG_LEVEL: 'info' },
  };
  const network = ['--connect-to', `*=https://127.0.0.1:${web.port}`, '--ca', caFile];
  const kinds = ['--kinds', 'crawl,probe,index'];
  const processes: RegistryProcess[] = [];
  try {
    processes.push(startRegistry(['schedule'], settings));
    await processes[0]?.says('putting on the queue');
    for (const _ of ['first', 'second'])
      processes.push(startRegistry(['work', ...kinds, ...network], settings));
    for (const worker of processes.slice(1)) await worker.says('working');
    return await withRecords(store, (records) => measureQueue(records, processes));
  } finally {
    await Promise.all(processes.map((one) => one.stop()));
  }
}

async function measureQueue(records: Records, processes: readonly RegistryProcess[]): Promise<Measured> {
  const pids = processes.map(({ pid }) => pid);
  await web.seen();
  const [before, databaseBefore, begun] = [cpuMsOf(...pids), cpuMsOf(postgres.pid), performance.now()];
  await addDomains(records);
  while (!(await isDone(records))) await pause(ASKS_MS);
  const wallMs = performance.now() - begun;
  const cpuMs = cpuMsOf(...pids) - before;
  const databaseCpuMs = cpuMsOf(postgres.pid) - databaseBefore;
  await ensureVisited(records);
  return { cpuMs, wallMs, databaseCpuMs, ...(await web.seen()) };
}

function addDomains(records: Records): Promise<unknown> {
  const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  return records.sources.add(visits, Date.now());
}

/** Nothing due, and every agent that was found is in a document. */
async function isDone({ sources, agents }: Records): Promise<boolean> {
  const due = await sources.countDue(Date.now());
  if (due.domains > 0 || due.agents > 0) return false;
  return (await agents.takeDirty(1, Date.now())).length === 0;
}

async function ensureVisited({ sources, agents }: Records): Promise<void> {
  const last = await sources.get({ kind: 'adagents', key: domains.at(-1) ?? '' });
  const listed = await agents.countListed();
  if (last?.lastOutcome !== 'indexed')
    throw new Error(`the last domain is ${last?.lastOutcome ?? 'not known'}`);
  if (listed !== AGENTS) throw new Error(`${listed} of ${AGENTS} agents are listed`);
}

async function withRecords<T>(store: string, work: (records: Records) => Promise<T>): Promise<T> {
  const { records } = await openRecords({ ...readConfig({}), store }, { create: true });
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}

function report(measured: Readonly<Record<Side, readonly Measured[]>>): void {
  const of = (side: Side, pick: (one: Measured) => number) => median(measured[side].map(pick));
  const ratio = (peer: Side) =>
    median(measured.queue.map((one, at) => one.cpuMs / (measured[peer][at]?.cpuMs ?? Number.NaN)));
  printTable(
    `Crawl by the queue (${domains.length} domains, first visit, medians of ${rounds}; load ${load()})`,
    (Object.keys(SIDES) as Side[]).map((side) => ({
      side: SIDES[side],
      'CPU ms a domain': of(side, (one) => one.cpuMs) / domains.length,
      'queue / it': side === 'queue' ? '' : ratio(side),
      target: side === 'postgres' ? '≤ 1.2' : '',
      'PostgreSQL CPU ms a domain':
        side === 'sqlite' ? '' : of(side, (one) => one.databaseCpuMs) / domains.length,
      'domains a second': (domains.length * 1_000) / of(side, (one) => one.wallMs),
      requests: measured[side].at(-1)?.requests ?? 0,
      probes: measured[side].at(-1)?.probes ?? 0,
    })),
  );
}
