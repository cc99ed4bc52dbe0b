import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run, start, tempFolder, tempStore } from './support/cli.ts';

const READERS = [
  'search',
  'show Nova',
  'explain news.example',
  'index status',
  'prune',
  'members list',
  'doctor',
];

const pathOf = (store: string) => store.replace(/^sqlite:/, '');

/** A store of this version, with nothing in it. */
async function emptyStore(): Promise<string> {
  const store = tempStore();
  const members = join(tempFolder(), 'members.json');
  writeFileSync(members, '[]');
  expect((await run('members', 'import', members, '--store', store)).code).toBe(0);
  return store;
}

describe('a store that cannot be used exits with 3 and says what to do', () => {
  it.each(READERS)('missing: %s', async (command) => {
    const { code, stdout, stderr } = await run(...command.split(' '), '--store', tempStore());
    expect(code).toBe(3);
    expect(stdout + stderr).toMatch(/no store at [\s\S]*hint: check --store/);
  });

  it.each([...READERS, 'crawl news.example', 'serve --port 0'])('not a store: %s', async (command) => {
    const file = join(tempFolder(), 'notes.sqlite');
    writeFileSync(file, 'my notes, which nobody may overwrite\n'.repeat(100));
    const { code, stdout, stderr } = await run(...command.split(' '), '--store', `sqlite:${file}`);
    expect(code).toBe(3);
    expect(stdout + stderr).toMatch(/is not a registry store, or it is damaged[\s\S]*hint: restore it/);
    expect(readFileSync(file, 'utf8')).toContain('my notes');
  });

  it('damaged inside', async () => {
    const store = await emptyStore();
    const database = new DatabaseSync(pathOf(store));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = readFileSync(pathOf(store));
    bytes.fill(0xa5, 4_096);
    writeFileSync(pathOf(store), bytes);
    const { code, stderr } = await run('search', '--store', store);
    expect(code).toBe(3);
    expect(stderr).toContain('damaged');
  });

  it('somebody else’s database', async () => {
    const path = join(tempFolder(), 'other.sqlite');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE customers (id INTEGER)');
    database.close();
    const { code, stderr } = await run('search', '--store', `sqlite:${path}`);
    expect(code).toBe(3);
    expect(stderr).toContain('hint: ');
  });

  it('written by a newer registry', async () => {
    const store = await emptyStore();
    const database = new DatabaseSync(pathOf(store));
    database.exec("INSERT INTO kysely_migration VALUES ('9999-later', '2099-01-01')");
    database.close();
    for (const args of [['search'], ['crawl', 'news.example']]) {
      const { code, stderr } = await run(...args, '--store', store);
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /has schema \d+, but this version supports up to \d+\n[\s\S]*hint: use the version of agent-registry that wrote/,
      );
    }
  });

  it('a folder', async () => {
    const { code, stderr } = await run('search', '--store', `sqlite:${tempFolder()}`);
    expect(code).toBe(3);
    expect(stderr).toContain('hint: ');
  });

  it('locked by another process', async () => {
    const store = await emptyStore();
    const holder = new DatabaseSync(pathOf(store));
    onTestFinished(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const { code, stdout, stderr } = await start(['prune', '--store', store]).ended;
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/is locked by another process[\s\S]*hint: wait until/);
    holder.exec('ROLLBACK');
    expect((await run('prune', '--store', store)).code).toBe(0);
  });

  it('but one that somebody writes to can be searched', async () => {
    const store = await emptyStore();
    expect((await run('search', '--store', store)).code).toBe(0); // makes the secret of the cursors
    const holder = new DatabaseSync(pathOf(store));
    onTestFinished(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    expect((await run('search', '--store', store)).code).toBe(0);
  });
});

describe('something that is not known', () => {
  it.each([
    ['news.example', /is not in the registry[\s\S]*hint: /],
    [
      'https://a.example/mcp',
      /no agent 'https:\/\/a\.example\/mcp' in the registry\n {2}hint: "agent-registry explain a\.example" shows/,
    ],
  ])('exits with 1: %s', async (subject, told) => {
    const { code, stdout, stderr } = await run('explain', subject, '--store', await emptyStore());
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(told);
  });

  it.each([
    ['promote', /no new generation of the index[\s\S]*index rebuild --yes/],
    ['rollback', /no previous generation/],
  ])('index %s without a generation for it', async (step, message) => {
    const store = await emptyStore();
    for (const flags of [[], ['--yes']]) {
      const { code, stderr } = await run('index', step, ...flags, '--store', store);
      expect(code).toBe(1);
      expect(stderr).toMatch(message);
    }
  });
});
