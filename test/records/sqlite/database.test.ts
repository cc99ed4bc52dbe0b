import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RegistryError } from '../../../src/errors.ts';
import { openDatabase } from '../../../src/records/sqlite/database.ts';
import { createSqliteStore } from '../../../src/records/sqlite/dialect.ts';
import type { SqliteDatabase } from '../../../src/records/sqlite/sqlite-database.ts';

import { type Param, prepare, sql } from '../../../src/records/statements.ts';
import { createGroupCommit } from '../../../src/records/visits/group-commit.ts';

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

  it('binds the places of a prepared query and writes its constants into the text', async () => {
    for (const name of ["o'clock", 'noon']) insert(name);
    const store = createSqliteStore(database);
    const find = prepare(store, (param: Param<{ name: string }>) =>
      sql.selectFrom('meta').select('name').where('name', '=', param('name')).where('name', '<>', "o'clock"),
    );
    expect(await store.read(() => find.all({ name: 'noon' }))).toMatchObject([{ name: 'noon' }]);
    expect(await store.read(() => find.first({ name: "o'clock" }))).toBeUndefined();
  });
});

describe('a group commit', () => {
  const options = { quietMs: 1, longestMs: 5, maxJobs: 3 };

  it('writes what arrives together at once, and a full group without waiting', async () => {
    const groups: (readonly number[])[] = [];
    const commits = createGroupCommit(async (jobs: readonly number[]) => {
      groups.push(jobs);
      return jobs.map((job) => job * 10);
    }, options);
    expect(await Promise.all([1, 2, 3, 4].map(commits.add))).toEqual([10, 20, 30, 40]);
    expect(groups).toEqual([[1, 2, 3], [4]]);
  });

  it('waits for more while more comes, up to a bound', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const groups: (readonly number[])[] = [];
    const commits = createGroupCommit(
      async (jobs: readonly number[]) => {
        groups.push(jobs);
        return jobs;
      },
      { quietMs: 10, longestMs: 25, maxJobs: 9 },
    );
    const groupsAfter = async (ms: number, ...jobs: readonly number[]) => {
      for (const job of jobs) void commits.add(job);
      await vi.advanceTimersByTimeAsync(ms);
      await new Promise(setImmediate);
      return [...groups];
    };
    expect([await groupsAfter(9, 1), await groupsAfter(1)]).toEqual([[], [[1]]]);
    groups.length = 0;
    expect(await groupsAfter(9, 2)).toEqual([]);
    expect(await groupsAfter(9, 3)).toEqual([]);
    expect([await groupsAfter(6, 4), await groupsAfter(1)]).toEqual([[], [[2, 3, 4]]]);
  });

  it('writes one group at a time; what comes meanwhile makes the next, and flush waits for all of it', async () => {
    let underWay = 0;
    let most = 0;
    const groups: number[] = [];
    const commits = createGroupCommit(async (jobs: readonly number[]) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      groups.push(jobs.length);
      underWay -= 1;
      return jobs;
    }, options);
    const added = [1, 2, 3].map(commits.add);
    added.push(...[4, 5].map(commits.add));
    await commits.flush();
    expect(await Promise.all(added)).toEqual([1, 2, 3, 4, 5]);
    expect([groups, most]).toEqual([[3, 2], 1]);
  });

  it('tries the jobs of a failed group alone', async () => {
    const commits = createGroupCommit(async (jobs: readonly number[]) => {
      if (jobs.includes(2)) throw new TypeError('two');
      return jobs;
    }, options);
    const results = await Promise.allSettled([1, 2, 3].map(commits.add));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('asks a store that cannot be written only once', async () => {
    let calls = 0;
    const commits = createGroupCommit(async (_jobs: readonly number[]): Promise<number[]> => {
      calls += 1;
      throw new RegistryError('store_locked', 'locked', { retryable: true });
    }, options);
    const results = await Promise.allSettled([1, 2, 3].map(commits.add));
    expect([calls, results.filter((result) => result.status === 'rejected').length]).toEqual([1, 3]);
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
