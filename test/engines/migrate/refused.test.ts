import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { run, tempFolder } from '../../cli/support/cli.ts';
import { freshDatabase } from '../support/engines.ts';
import { ask, emptyStore, madeStore, migrate } from './support.ts';

describe('a migration that is refused', () => {
  const SQLITE = 'sqlite:/nowhere/at/all.sqlite';
  const AWAY = 'postgres://me:secret@127.0.0.1:9/none';

  it.each([
    [['--from', AWAY, '--to', 'sqlite:x'], 2, /from SQLite to PostgreSQL only/],
    [['--from', AWAY, '--to', AWAY], 2, /--from and --to are both PostgreSQL addresses[\s\S]*pg_dump/],
    [['--from', SQLITE, '--to', SQLITE], 2, /--from and --to are both SQLite files/],
    [['--from', SQLITE, '--to', 'mysql://me:secret@x/y'], 2, /--to is not the address of a PostgreSQL/],
    [['--from', 'x.sqlite', '--to', AWAY], 2, /--from is not the address of an SQLite store/],
    [['--from', SQLITE], 2, /exactly one of --to and --to-env is required/],
    [['--from', SQLITE, '--to', AWAY, '--to-env', 'X'], 2, /exactly one of --to and --to-env/],
    [
      ['--from', SQLITE, '--to-env', 'NOT_SET_HERE'],
      2,
      /the environment variable NOT_SET_HERE \(--to-env\) is not set/,
    ],
    [['--from', SQLITE, '--to', '@/does/not/exist'], 2, /--to: cannot read/],
    [['--from', SQLITE, '--to', AWAY], 3, /no store at[\s\S]*--from/],
  ])('%j', async (args, code, message) => {
    for (const flags of [[], ['--yes']]) {
      const ran = await run('migrate', ...args, ...flags);
      expect([ran.code, ran.stdout]).toEqual([code, '']);
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toMatch(/secret|internal error, please report/);
    }
  });

  it('because the server is away', async () => {
    for (const flags of [[], ['--yes']]) {
      const { code, stderr } = await migrate(await emptyStore(), AWAY, ...flags);
      expect(code).toBe(3);
      expect(stderr).toMatch(/the database 127\.0\.0\.1:9\/none does not answer[\s\S]*hint: /);
      expect(stderr).not.toContain('secret');
    }
  });

  it('because the source was written by a newer registry, or is none', async () => {
    const file = join(tempFolder(), 'to');
    writeFileSync(file, `${await freshDatabase()}\n`);
    const newer = await madeStore((database) =>
      database.exec("INSERT INTO kysely_migration VALUES ('9999-later', '2099-01-01')"),
    );
    const empty = join(tempFolder(), 'empty.sqlite');
    new DatabaseSync(empty).exec('CREATE TABLE invoices (id INTEGER)');
    for (const flags of [[], ['--yes']]) {
      const from = (path: string) => run('migrate', '--from', `sqlite:${path}`, '--to', `@${file}`, ...flags);
      expect(await from(newer)).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/has schema \d+, but this version supports up to \d+$/m),
      });
      expect(await from(empty)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('not a registry store'),
      });
    }
  });

  it('because the database belongs to somebody else, or is used by nobody yet but missing', async () => {
    const url = await freshDatabase();
    await ask(url, 'CREATE TABLE agent (name text)');
    expect(await migrate(await emptyStore(), url, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('not a registry store'),
    });
    const missing = new URL(url);
    missing.pathname = '/not_made';
    expect(await migrate(await emptyStore(), missing.href)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/access denied to database .* \(3D000\)[\s\S]*hint: check/),
    });
  });
});
