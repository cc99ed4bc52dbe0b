/**
 * Stores of a large registry: bytes of a domain and of a day of probes, the time of `--due` to find its batch while visits
 * are written, and a day's prune. The rows are generated, not crawled; their numbers are printed.
 *
 *   npm run bench:engines -- sources [--quick]
 *   node bench/engines/sources.ts [--postgres 25000000] [--sqlite 2500000] [--agents 100000] [--batches 200]
 *     [--database postgres://…, kept, and filled when it is empty] [--file PATH, the same]
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Records } from '../../src/ports/records.ts';
import { openPostgresRecords } from '../../src/records/postgres/postgres-records.ts';
import type { Dialect } from '../../src/records/sql-tasks.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { startPostgres } from '../../test/engines/start/postgres.ts';
import { withScratchStore } from '../support/scratch.ts';
import { median, quantile } from '../support/statistics.ts';
import { printTable } from '../support/table.ts';
import { bytesOfTables, fillSources, type Run } from './support/fill-sources.ts';
import { load, printMachine } from './support/machine.ts';
import { BATCH, takeBatches } from './support/take-batches.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    postgres: { type: 'string', default: '25000000' },
    sqlite: { type: 'string', default: '2500000' },
    agents: { type: 'string', default: '100000' },
    batches: { type: 'string', default: '200' },
    database: { type: 'string' },
    file: { type: 'string' },
  },
});
const domains: Readonly<Record<Dialect, number>> = {
  postgres: options.quick ? 20_000 : Number(options.postgres),
  sqlite: options.quick ? 20_000 : Number(options.sqlite),
};
const batches = options.quick ? 20 : Number(options.batches);
const NOW = 1_800_000_000_000;
/** Between two visits of a domain that never published. */
const DAYS = 30;
/** With the default of 128 MiB the indexes would be read from the disk all the time. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '16GB', maintenance_work_mem: '1GB' };

printMachine({ batches, 'domains a batch': BATCH });
if (domains.sqlite > 0) {
  if (options.file === undefined) await withScratchStore(measureFile);
  else await measureFile(options.file);
}
if (domains.postgres > 0) {
  if (options.database === undefined) {
    const postgres = await startPostgres({ settings: options.quick ? {} : SETTINGS });
    try {
      await measureDatabase(await postgres.createDatabase());
    } finally {
      await postgres.stop();
    }
  } else await measureDatabase(options.database);
}

async function measureFile(path: string): Promise<void> {
  const isNew = !existsSync(path);
  const records = await openSqliteRecords({ path });
  const run: Run = async (text) => {
    if (/^\s*SELECT/.test(text)) return records.database.statement(text).all() as never;
    records.database.exec(text);
    return [];
  };
  if (isNew) {
    records.database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000',
    );
    await fill(run, 'sqlite');
    records.database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2000',
    );
  }
  await measure(records, run, 'sqlite').finally(() => records.close());
}

async function measureDatabase(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const run: Run = async (text) => (await client.query(text)).rows;
  const [found] = await run("SELECT to_regclass('source') IS NULL AS empty");
  const records = await openPostgresRecords({ url });
  if (found?.empty === true) await fill(run, 'postgres');
  await measure(records, run, 'postgres').finally(() => Promise.all([client.end(), records.close()]));
}

/** An agent for 250 domains, at most those that are wanted. */
function fill(run: Run, dialect: Dialect): Promise<void> {
  const agents = Math.min(Number(options.agents), Math.ceil(domains[dialect] / 250));
  return fillSources(run, dialect, { domains: domains[dialect], agents, now: NOW });
}

async function measure(records: Records, run: Run, dialect: Dialect): Promise<void> {
  const counted = await counts(run);
  const ofDomains = await bytesOfTables(run, dialect, ['source', 'visit_due', 'capture']);
  const ofProbes = await bytesOfTables(run, dialect, ['probe_day']);
  const logs = [await logged(run, dialect)];
  const { picks, takes, commitMs } = await takeBatches(records, NOW, batches);
  logs.push(await logged(run, dialect));
  // what cleans up behind the visits by itself would write into the log of the prune
  if (dialect === 'postgres') await run('VACUUM source, visit_due, capture, domain_turn');
  logs.push(await logged(run, dialect));
  const pruning = performance.now();
  const { captures, observations } = await records.prune(NOW);
  const prunedMs = performance.now() - pruning;
  logs.push(await logged(run, dialect));
  const [before = 0, visited = 0, cleaned = 0, pruned = 0] = logs;
  const { domains: known = 0, agents = 0, days = 0 } = counted;
  printTable(`${known} domains and ${agents} agents on ${dialect} (load ${load()})`, [
    ...Object.entries(counted).map(([what, figure]) => ({ what: `rows: ${what}`, figure, target: '' })),
    { what: 'bytes a domain, captures and indexes included', figure: ofDomains / known, target: '' },
    { what: 'MB of a day of probes', figure: ofProbes / days / 1e6, target: '100' },
    { what: `a batch is found, p50 ms of ${picks.length}`, figure: median(picks), target: '' },
    { what: 'the same, p99', figure: quantile(picks, 0.99), target: '20' },
    { what: 'a batch is found and leased, p50 ms', figure: median(takes), target: '' },
    { what: 'the same, p99', figure: quantile(takes, 0.99), target: '' },
    { what: 'a visit is written, ms', figure: commitMs / batches / BATCH, target: '' },
    ...(dialect === 'postgres'
      ? [
          { what: 'KB of log of a visit', figure: (visited - before) / batches / BATCH / 1e3, target: '' },
          { what: 'MB of log of a prune', figure: (pruned - cleaned) / 1e6, target: '' },
          {
            what: 'of the log of a day of visits, %',
            figure: (100 * (pruned - cleaned)) / (((visited - before) / batches / BATCH) * (known / DAYS)),
            target: '1',
          },
        ]
      : []),
    {
      what: `a day's prune, s (${captures} captures, ${observations} probes)`,
      figure: prunedMs / 1_000,
      target: '60',
    },
  ]);
}

/** Bytes of PostgreSQL's log up to now. Whoever comes next writes each page that it changes whole, once. */
async function logged(run: Run, dialect: Dialect): Promise<number> {
  if (dialect === 'sqlite') return 0;
  await run('CHECKPOINT');
  const [row] = await run("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes");
  return Number(row?.bytes);
}

async function counts(run: Run): Promise<Readonly<Record<string, number>>> {
  const texts = {
    domains: "SELECT count(*) AS n FROM source WHERE kind = 'adagents'",
    sources: 'SELECT count(*) AS n FROM source',
    captures: 'SELECT count(*) AS n FROM capture',
    edges: 'SELECT count(*) AS n FROM authorisation',
    agents: 'SELECT count(*) AS n FROM agent',
    'days of agents': 'SELECT count(*) AS n FROM probe_day',
    days: 'SELECT count(DISTINCT day) AS n FROM probe_day',
  };
  const found: Record<string, number> = {};
  for (const [name, text] of Object.entries(texts)) found[name] = Number((await run(text))[0]?.n);
  return found;
}
