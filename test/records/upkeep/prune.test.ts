import { expect, it, onTestFinished } from 'vitest';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { HOUR, NOW } from '../../contract/records-fixtures.ts';

const DAY = 24 * HOUR;

async function openStore() {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const { database } = records;
  const write = (sql: string, ...values: readonly (string | number)[]) =>
    database.statement(sql).run(...values);
  const read = (sql: string) => database.statement(sql).all() as Record<string, unknown>[];
  return { records, write, read };
}

it('deletes the expired claims, robots.txt rules and budgets of 25,000 sites, and no others', async () => {
  const { records, write, read } = await openStore();
  for (let site = 0; site < 25_000; site += 1) {
    const until = site % 5 === 0 ? NOW + HOUR : NOW - 2 * DAY;
    write('INSERT INTO domain_turn VALUES (?, ?, ?, 0, 0)', `site-${site}.example`, 'worker', until);
    write('INSERT INTO robots VALUES (?, NULL, ?)', `https://site-${site}.example`, until);
    for (const hour of [until, until - HOUR]) {
      const spent = 'INSERT INTO probe_budget VALUES (?, ?, 1)';
      write(spent, `site-${site}.example`, Math.floor(hour / HOUR));
    }
  }
  await records.prune(NOW);
  for (const [table, time] of [
    ['domain_turn', 'until'],
    ['robots', 'expires_at'],
  ])
    expect(read(`SELECT count(*) AS rows, min(${time}) AS earliest FROM ${table}`)).toEqual([
      { rows: 5_000, earliest: NOW + HOUR },
    ]);
  const hours = 'SELECT count(*) AS rows, min(hour) AS earliest FROM probe_budget';
  expect(read(hours)).toEqual([{ rows: 10_000, earliest: Math.floor(NOW / HOUR) }]);
});

it('deletes a named crawl with its frontier 30 days after its last progress', async () => {
  const { records, write, read } = await openStore();
  for (const [id, progressedAt] of [
    [1, NOW - 31 * DAY],
    [2, NOW - DAY],
  ] as const) {
    const run =
      'INSERT INTO crawl_run (id, fingerprint, started_at, progressed_at, worker) VALUES (?, ?, ?, ?, ?)';
    write(run, id, `crawl ${id}`, NOW - 40 * DAY, progressedAt, 'worker');
    const item = "INSERT INTO crawl_frontier (run, kind, key, depth) VALUES (?, 'domain', ?, 0)";
    for (let site = 0; site < 12_000; site += 1) write(item, id, `site-${site}.example`);
  }
  await records.prune(NOW);
  expect(read('SELECT id FROM crawl_run')).toEqual([{ id: 2 }]);
  const items = 'SELECT run, count(*) AS items FROM crawl_frontier GROUP BY run';
  expect(read(items)).toEqual([{ run: 2, items: 12_000 }]);
});

it('deletes the other kinds when one fails, and reports the error', async () => {
  const { records, write, read } = await openStore();
  write('INSERT INTO session VALUES (?, ?, ?, ?)', 'hash', 'key', NOW - DAY, NOW - HOUR);
  write('DROP TABLE robots');
  await expect(records.prune(NOW)).rejects.toThrow();
  expect(read('SELECT * FROM session')).toEqual([]);
});

it('deletes an old run with its evidence and marks its agent, but not the run that the agent shows', async () => {
  const { records, write, read } = await openStore();
  const agent = 'https://a.example/mcp';
  for (const [id, age] of [
    ['old', 95],
    ['shown', 91],
    ['new', 89],
  ] as const) {
    const at = NOW - age * DAY;
    write(
      'INSERT INTO compliance_run VALUES (?, ?, ?, ?, 0, 0, 0, ?, ?)',
      agent,
      id,
      at,
      at,
      '{}',
      'evidence',
    );
  }
  write('INSERT INTO compliance_standing VALUES (?, ?, ?, 0)', agent, '{}', 'shown');
  expect(await records.prune(NOW)).toMatchObject({ runs: 1, evidence: 0 });
  expect(read('SELECT id, evidence FROM compliance_run ORDER BY id')).toEqual([
    { id: 'new', evidence: 'evidence' },
    { id: 'shown', evidence: 'evidence' },
  ]);
  expect(read('SELECT history_pruned FROM compliance_standing')).toEqual([{ history_pruned: 1 }]);
});
