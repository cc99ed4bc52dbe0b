/**
 * What many known domains cost: bytes of each, how long `--due` takes for its batch, and a day's prune. The rows are made,
 * not crawled; their numbers are printed.
 *
 *   npm run bench:engines -- sources [--quick]
 *   node bench/engines/sources.ts [--postgres 25000000] [--sqlite 2500000] [--batches 200]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openPostgresRecords } from '../../src/adapters/sql/postgres/postgres-records.ts';
import type { Dialect } from '../../src/adapters/sql/sql-tasks.ts';
import { openSqliteRecords } from '../../src/adapters/sql/sqlite/sqlite-records.ts';
import type { VisitWork } from '../../src/domain/source.ts';
import type { Records } from '../../src/ports/records.ts';
import type { DomainVisit, FileVisit } from '../../src/ports/visit-commits.ts';
import { startPostgres } from '../../test/engines/start/postgres.ts';
import { withScratchStore } from '../support/scratch.ts';
import { median, quantile } from '../support/statistics.ts';
import { printTable } from '../support/table.ts';
import { bytesOfSources, fillSources, type Run } from './support/fill-sources.ts';
import { load, printMachine } from './support/machine.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    postgres: { type: 'string', default: '25000000' },
    sqlite: { type: 'string', default: '2500000' },
    batches: { type: 'string', default: '200' },
  },
});
const domains: Readonly<Record<Dialect, number>> = {
  postgres: options.quick ? 20_000 : Number(options.postgres),
  sqlite: options.quick ? 20_000 : Number(options.sqlite),
};
const batches = options.quick ? 20 : Number(options.batches);
const BATCH = 100;
const LEASE_MS = 60_000;
const NOW = 1_800_000_000_000;
const MONTH = 30 * 86_400_000;
/** With the default of 128 MiB the indexes would be read from the disk all the time. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '16GB', maintenance_work_mem: '1GB' };

printMachine({ batches, 'domains a batch': BATCH });
if (domains.sqlite > 0)
  await withScratchStore(async (path) => {
    const records = await openSqliteRecords({ path });
    const run: Run = async (text) => {
      if (!/^\s*SELECT/.test(text)) records.database.exec(text);
      return /^\s*SELECT/.test(text) ? (records.database.statement(text).all() as never) : [];
    };
    await measure(records, run, 'sqlite').finally(() => records.close());
  });
if (domains.postgres > 0) {
  const postgres = await startPostgres({ settings: options.quick ? {} : SETTINGS });
  try {
    const url = await postgres.createDatabase();
    const client = new pg.Client(url);
    await client.connect();
    const records = await openPostgresRecords({ url });
    const run: Run = async (text) => (await client.query(text)).rows;
    await measure(records, run, 'postgres').finally(() => Promise.all([client.end(), records.close()]));
  } finally {
    await postgres.stop();
  }
}

async function measure(records: Records, run: Run, dialect: Dialect): Promise<void> {
  const filling = performance.now();
  await fillSources(run, dialect, { domains: domains[dialect], now: NOW });
  const [counted] = await run(
    'SELECT (SELECT count(*) FROM source) AS sources, (SELECT count(*) FROM capture) AS captures',
  );
  const filledMs = performance.now() - filling;
  const bytes = await bytesOfSources(run, dialect);
  const { picks, takes } = await takeBatches(records);
  const pruning = performance.now();
  const { captures } = await records.prune(NOW);
  const prunedMs = performance.now() - pruning;
  printTable(`${domains[dialect]} domains on ${dialect} (load ${load()})`, [
    { what: 'rows of sources, of captures', figure: `${counted?.sources}, ${counted?.captures}`, target: '' },
    { what: 'made in, s', figure: filledMs / 1_000, target: '' },
    { what: 'bytes a domain, indexes included', figure: bytes / domains[dialect], target: '' },
    { what: `a batch is found, p50 ms of ${picks.length}`, figure: median(picks), target: '' },
    { what: 'the same, p99', figure: quantile(picks, 0.99), target: '20' },
    { what: 'a batch is found and leased, p50 ms', figure: median(takes), target: '' },
    { what: 'the same, p99', figure: quantile(takes, 0.99), target: '' },
    { what: `a day's prune, s (${captures} captures)`, figure: prunedMs / 1_000, target: '60' },
  ]);
}

/** Finds what is due, takes it and writes the visits, batch after batch: what was visited lies behind them in the index. */
async function takeBatches(records: Records) {
  const [picks, takes]: [number[], number[]] = [[], []];
  // a tenth of the month's rows is due
  for (let at = NOW + MONTH / 10, batch = 0; batch < batches; batch += 1, at += 1_000) {
    const picking = performance.now();
    await records.sources.due('domain', BATCH, at);
    const taking = performance.now();
    const works = await records.sources.takeDue('domain', BATCH, at, LEASE_MS);
    takes.push(performance.now() - taking);
    picks.push(taking - picking);
    await Promise.all(works.map((work) => records.sources.commitDomainVisit(visitOf(work, at))));
  }
  return { picks, takes };
}

function visitOf({ key, sources }: VisitWork, at: number): DomainVisit {
  const files = sources.map(
    ({ lease }): FileVisit => ({
      ...{ lease, captures: [], nextVisitAt: at + MONTH, outcome: 'absent', failures: 13, validators: [] },
      ...{ error: { code: 'http_404', detail: 'answered 404' }, absentSince: NOW, absentVisits: 13 },
      ...{ memory: {}, findings: [] },
    }),
  );
  return { domain: key, at, files, found: [] };
}
