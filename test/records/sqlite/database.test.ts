import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../../src/records/database.ts';
import type { SqliteDatabase } from '../../../src/records/sqlite/database.ts';
import { createSqliteStore, openDatabase } from '../../../src/records/sqlite/database.ts';

describe('a database', () => {
  let database: SqliteDatabase;
  beforeEach(() => {
    database = openDatabase(':memory:');
    database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB)');
  });
  afterEach(() => database.close());

  const insert = (name: string) => database.statement('INSERT INTO meta (name) VALUES (?)').run(name);
  const names = () =>
    database
      .statement('SELECT name FROM meta ORDER BY name')
      .all()
      .map((row) => row.name);

  it('is damaged when a table is gone that the program knows', () => {
    insert('one');
    database.exec('DROP TABLE meta');
    expect(() => database.transaction(() => insert('two'))).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });

  it('keeps all of a transaction or none', () => {
    const broken = () =>
      database.transaction(() => {
        insert('a');
        throw new Error('stop');
      });
    expect(broken).toThrow('stop');
    database.transaction(() => insert('b'));
    expect(names()).toEqual(['b']);
  });

  it('says plainly that no space is left, and keeps what was there', () => {
    insert('before');
    database.exec('PRAGMA max_page_count = 10');
    const fill = () =>
      database.transaction(() =>
        database.statement("INSERT INTO meta VALUES ('big', zeroblob(1000000))").run(),
      );
    expect(fill).toThrow(
      expect.objectContaining({ code: 'store_unwritable', hint: expect.stringContaining('disk space') }),
    );
    expect(names()).toEqual(['before']);
  });

  it('reads a column under its new name after another process has added and renamed columns', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'database-')), 'store.sqlite');
    onTestFinished(() => rmSync(dirname(path), { recursive: true }));
    const [ours, theirs] = [openDatabase(path), openDatabase(path)];
    ours.exec("CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('a', 'b')");
    const rows = () => createSqliteStore(ours).read((db) => db.selectFrom('meta').selectAll().execute());
    expect(await rows()).toEqual([{ name: 'a', value: 'b' }]);
    theirs.exec("ALTER TABLE meta RENAME value TO kept; ALTER TABLE meta ADD added TEXT DEFAULT 'c'");
    expect(await rows()).toEqual([{ name: 'a', kept: 'b', added: 'c' }]);
    theirs.close();
    ours.close();
  });

  it('joins a transaction that is open', () => {
    const outer = () =>
      database.transaction(() => {
        database.durably(() => insert('inner'));
        throw new Error('stop');
      });
    expect(outer).toThrow('stop');
    expect(names()).toEqual([]);
  });

  it('differs in its version after a commit, not after a transaction that was undone', () => {
    const before = database.version();
    expect(() => database.transaction(() => insert(Symbol('no text') as never))).toThrow();
    expect(database.version()).toBe(before);
    database.transaction(() => insert('a'));
    expect(database.version()).not.toBe(before);
  });

  it('prepares a text once', () => {
    expect(database.statement('SELECT 1')).toBe(database.statement('SELECT 1'));
  });
});

describe('a store on a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function open() {
    const database = openDatabase(join(folder, 'store.sqlite'));
    onTestFinished(() => database.close());
    database.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value BLOB)');
    return createSqliteStore(database);
  }
  const put = (name: string) => (db: Db) =>
    db.insertInto('meta').values({ name, value: new Uint8Array() }).execute();
  const names = async (db: Db) =>
    (await db.selectFrom('meta').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('takes texts as they are, but for NUL', async () => {
    const store = open();
    for (const name of ["o'clock", 'a\0b']) await store.transaction(put(name));
    expect(await store.read(names)).toEqual(['a\ufffdb', "o'clock"]);
  });

  it('keeps nothing of a transaction that fails, and goes on', async () => {
    const store = open();
    const failing = store.transaction(async (db) => {
      await put('a')(db);
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    await store.durably(put('b'));
    expect(await store.read(names)).toEqual(['b']);
  });

  it('waits for the transaction of another connection, which can finish meanwhile', async () => {
    const [one, other] = [open(), open()];
    let finish = () => {};
    const held = one.transaction(async (db) => {
      await put('first')(db);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const waiting = other.transaction(put('second'));
    setTimeout(() => finish(), 50);
    await Promise.all([held, waiting]);
    expect(await one.read(names)).toEqual(['first', 'second']);
  });
});

describe('the file of a database', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'database-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const modes = () =>
    readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));

  it('is for its owner alone from the beginning, with those that stand beside it', () => {
    const database = openDatabase(join(folder, 'store.sqlite'));
    database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY)');
    expect(modes()).toEqual(['600', '600', '600']);
    database.close();
  });

  it('keeps the mode that somebody gave it', () => {
    const path = join(folder, 'store.sqlite');
    openDatabase(path).close();
    chmodSync(path, 0o640);
    const database = openDatabase(path);
    database.exec('CREATE TABLE meta (name TEXT PRIMARY KEY)');
    expect(new Set(modes())).toEqual(new Set(['640']));
    database.close();
  });
});
