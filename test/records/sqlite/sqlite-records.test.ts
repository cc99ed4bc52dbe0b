import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordsDatabase } from '../../../src/records/database.ts';
import { createRecords } from '../../../src/records/records.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { describeRecords } from '../../contract/records.ts';
import { publish, stitchAll } from '../../contract/records-documents.ts';
import { documentOf, domain, NOW } from '../../contract/records-fixtures.ts';

// To copy a new store takes a tenth of making one.
let model: string;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  model = join(folder, 'model.sqlite');
  await (await openSqliteRecords({ path: model })).close();
  return () => rmSync(folder, { recursive: true });
});

describeRecords('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  const path = join(folder, 'store.sqlite');
  copyFileSync(model, path);
  return {
    open: (bodies) => openSqliteRecords({ path, ...(bodies && { bodies }) }),
    crashWriter: [join(import.meta.dirname, 'crash-writer.ts'), path],
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

describe('a SQLite store that cannot be used', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'records-'));
    path = join(folder, 'deep', 'store.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('says that nothing can be kept any more when its place is taken away', async () => {
    const records = await openSqliteRecords({ path });
    await records.checkRoom();
    rmSync(folder, { recursive: true });
    await expect(records.checkRoom()).rejects.toMatchObject({ code: 'store_unwritable' });
    await records.close();
  });

  it('is missing when none is there and none is to be made', async () => {
    await expect(openSqliteRecords({ path, create: false })).rejects.toMatchObject({
      code: 'store_missing',
      hint: expect.any(String),
    });
    await expect(openSqliteRecords({ path, readOnly: true })).rejects.toMatchObject({
      code: 'store_missing',
    });
  });

  it('is corrupt when the file is no database', async () => {
    path = join(folder, 'text');
    writeFileSync(path, 'this is a letter and not a database. '.repeat(200));
    await expect(openSqliteRecords({ path })).rejects.toMatchObject({
      code: 'store_corrupt',
      hint: expect.any(String),
    });
  });

  it("is refused when it is somebody else's database", async () => {
    path = join(folder, 'other.sqlite');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE invoices (id INTEGER)');
    other.close();
    await expect(openSqliteRecords({ path })).rejects.toMatchObject({ code: 'store_corrupt' });
  });

  it('is refused when a newer program wrote it', async () => {
    const records = await openSqliteRecords({ path });
    records.database.exec("INSERT INTO kysely_migration VALUES ('9999-later', '2099-01-01')");
    await records.close();
    await expect(openSqliteRecords({ path })).rejects.toMatchObject({
      code: 'store_newer',
      retryable: false,
    });
  });

  it('is refused when a program from before the first release wrote it', async () => {
    path = join(folder, 'old.sqlite');
    const old = new DatabaseSync(path);
    old.exec('CREATE TABLE source (id INTEGER PRIMARY KEY); PRAGMA user_version = 14');
    old.close();
    await expect(openSqliteRecords({ path })).rejects.toMatchObject({
      code: 'store_older',
      hint: expect.stringContaining('export its data'),
    });
  });

  it('is locked, for now, while another process writes', async () => {
    const records = await openSqliteRecords({ path, busyTimeoutMs: 20 });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(records.sources.add([domain('a.example')], NOW)).rejects.toMatchObject({
      code: 'store_locked',
      retryable: true,
    });
    await records.check(); // a reader is not kept out
    expect(await records.sources.get({ kind: 'brand', key: 'a.example' })).toBeUndefined();
    other.exec('ROLLBACK');
    other.close();
    expect(await records.sources.add([domain('a.example')], NOW)).toBe(1);
    await records.close();
  });
});

describe('a SQLite store', () => {
  it('is made once when several processes start together', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'records-'));
    const path = join(folder, 'store.sqlite');
    const starts = Array.from({ length: 4 }, () =>
      fork(join(import.meta.dirname, 'open-once.ts'), [path], { execArgv: [] }),
    );
    const codes = await Promise.all(starts.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([true, false])(
    'has a change log that survives a loss of power when it is to be: %s',
    async (durableLog) => {
      const { database, ...records } = await openSqliteRecords({ path: ':memory:' });
      const store = createSqliteStore(database);
      let durable = 0;
      const counting: RecordsDatabase = {
        ...store,
        durably: (work) => {
          durable += 1;
          return store.durably(work);
        },
      };
      const written = createRecords(counting, { ...records, close: async () => {} }, { durableLog });
      await publish(written, 'news.example', 'https://a.example/');
      expect(await stitchAll(written, documentOf('https://a.example/'))).toHaveLength(1);
      expect(durable).toBe(durableLog ? 1 : 0);
      await records.close();
    },
  );

  it('is checked without a trace', async () => {
    const records = await openSqliteRecords({ path: ':memory:' });
    const before = await records.version();
    await records.check();
    expect(await records.version()).toBe(before);
    await records.close();
  });

  it('can be read while it is never written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'records-'));
    const path = join(folder, 'store.sqlite');
    const writer = await openSqliteRecords({ path });
    const reader = await openSqliteRecords({ path, readOnly: true });
    await writer.sources.add([domain('a.example')], NOW);
    expect(await reader.sources.get({ kind: 'brand', key: 'a.example' })).toBeDefined();
    await expect(reader.sources.add([domain('b.example')], NOW)).rejects.toThrow();
    await reader.check();
    expect(await reader.secret('cursor', 16)).toEqual(await reader.secret('cursor', 16));
    await reader.close();
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
