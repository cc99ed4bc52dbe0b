import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { type Holder, holderName, holderOf, nameOfHolder } from '../../../src/this-process.ts';
import { domain, LEASE, NOW } from '../../contract/records-fixtures.ts';

const us = holderOf(holderName()) as Holder;

/** Opens a run again on which another process had begun to work. */
async function reopen(worker: string) {
  const { database, sources, close } = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(close);
  const open = () => sources.openRun({ fingerprint: 'run', seeds: [domain('a.example')], now: NOW });
  const { id } = await open();
  await sources.takeRun(id, 'domain', 1, NOW, LEASE);
  database.statement('UPDATE crawl_run SET worker = ?').run(worker);
  const { joined } = await open();
  return { joined, taken: (await sources.takeRun(id, 'domain', 1, NOW, LEASE)).length };
}

describe('a run that another process worked on', () => {
  it('is joined while that process works on another machine: its leases stay', async () => {
    expect(await reopen(nameOfHolder({ ...us, host: 'other-host' }))).toEqual({ joined: true, taken: 0 });
  });

  it('is resumed after a restart of our host or container, even if another process has the process number now', async () => {
    const before = nameOfHolder({ ...us, place: 'before', pid: process.ppid });
    expect(await reopen(before)).toEqual({ joined: false, taken: 1 });
    expect(await reopen(nameOfHolder({ ...us, started: '1' }))).toEqual({ joined: false, taken: 1 });
  });
});
