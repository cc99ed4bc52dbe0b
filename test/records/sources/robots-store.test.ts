import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

const ORIGIN = 'https://news.example';
const ENTRY = { rules: { rules: [{ allow: false, pattern: '/private' }] }, expiresAt: 9 };

describe('robots.txt rules, while another process holds the store', () => {
  let folder: string;
  let path: string;
  let records: SqliteRecords;
  let other: DatabaseSync;
  beforeEach(async () => {
    vi.useFakeTimers();
    folder = mkdtempSync(join(tmpdir(), 'robots-'));
    path = join(folder, 'store.sqlite');
    records = await openSqliteRecords({ path, busyTimeoutMs: 10 });
    other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await records.robots.keep(ORIGIN, ENTRY);
  });
  afterEach(async () => {
    vi.useRealTimers();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are written later, and can be found meanwhile', async () => {
    await vi.advanceTimersByTimeAsync(600);
    expect(await records.robots.find(ORIGIN)).toEqual(ENTRY);
    other.exec('ROLLBACK');
    await vi.advanceTimersByTimeAsync(10_000);
    const reader = await openSqliteRecords({ path, readOnly: true });
    expect(await reader.robots.find(ORIGIN)).toEqual(ENTRY);
    await reader.close();
    await records.close();
  });

  it('are dropped when the store is closed during an attempt to write them', async () => {
    vi.advanceTimersByTime(500);
    const closed = records.close();
    await vi.advanceTimersByTimeAsync(200);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
    other.exec('ROLLBACK');
  });

  it('are dropped when the store is closed and cannot be written', async () => {
    const closed = records.close();
    await vi.advanceTimersByTimeAsync(100);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
    other.exec('ROLLBACK');
  });
});
