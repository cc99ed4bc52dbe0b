import { type ChildProcess, fork } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { domain, NOW } from '../contract/records-fixtures.ts';
import { type Ran, run, start, tempFolder, tempStore } from './support/cli.ts';
import type { BoundAnswer, BoundCommand } from './support/run-as-nobody.ts';

const MAPPED = '--connect-to *=http://127.0.0.1:9 --progress none';
/** With what they exit when the store can be read; nobody has set a contact, and nobody answers a crawl here. */
const READERS: readonly (readonly [string, number])[] = [
  ['search', 0],
  ['explain news.example', 0],
  ['index status', 0],
  ['index rebuild', 0],
  ['members list', 0],
  ['doctor', 1],
  [`crawl news.example --dry-run ${MAPPED}`, 1],
];
const WRITERS = ['prune', 'serve --port 0', `crawl news.example ${MAPPED}`, 'index rebuild --yes'];

let bound: ChildProcess;
let asked = 0;
beforeAll(async () => {
  bound = fork(fileURLToPath(new URL('support/run-as-nobody.ts', import.meta.url)));
  await runBound('search', '--store', 'sqlite:nowhere.sqlite'); // loads most of the program
}, 60_000);
afterAll(() => bound.disconnect());

/** Runs a command as a user whom permissions bind; root may write everywhere. */
function runBound(...args: readonly string[]): Promise<Ran> {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    const hear = (answer: BoundAnswer) => {
      if (answer.id !== id) return; // one that a test has not waited for
      bound.off('message', hear);
      resolve(answer.ran);
    };
    bound.on('message', hear);
    bound.send({ id, args } satisfies BoundCommand);
  });
}

/** A folder with a closed store in it, which knows of news.example; nobody but root can write to either. */
async function sealedStore(): Promise<{
  readonly folder: string;
  readonly store: string;
  readonly path: string;
}> {
  const folder = tempFolder();
  const path = join(folder, 'store.sqlite');
  const members = join(tempFolder(), 'members.json');
  writeFileSync(members, '[]');
  expect((await run('members', 'import', members, '--store', `sqlite:${path}`)).code).toBe(0);
  const records = await openSqliteRecords({ path });
  await records.sources.add([domain('news.example')], NOW);
  await records.close();
  seal(folder);
  return { folder, store: `sqlite:${path}`, path };
}

function seal(folder: string): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755)); // runs before the folder is removed
}

describe('commands that only read, on a file and in a folder that cannot be written', () => {
  it.each(READERS)('%s', async (command, code) => {
    const { folder, store, path } = await sealedStore();
    const before = readFileSync(path);
    const ran = await runBound(...command.split(' '), '--store', store);
    expect(ran.code, ran.stderr).toBe(code);
    expect(ran.stdout + ran.stderr).not.toContain('cannot be');
    expect(readdirSync(folder)).toEqual(['store.sqlite']);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each(WRITERS)('and one that writes says so: %s', async (command) => {
    const { store } = await sealedStore();
    const { code, stdout, stderr } = await runBound(...command.split(' '), '--store', store);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/is not writable[\s\S]*hint: check the permissions/);
    expect(stderr).not.toContain('internal error, please report');
  });

  it('read what the last writer left in the files beside it, and say when they cannot', async () => {
    const { path } = await sealedStore();
    const open = tempFolder();
    chmodSync(open, 0o755);
    const [whole, part] = [join(open, 'whole'), join(open, 'part')];
    const live = join(tempFolder(), 'live.sqlite');
    copyFileSync(path, live);
    chmodSync(live, 0o644);
    const writer = await openSqliteRecords({ path: live });
    await writer.sources.add([domain('late.example')], NOW);
    for (const [folder, suffixes] of [
      [whole, ['', '-wal', '-shm']],
      [part, ['', '-wal']],
    ] as const) {
      mkdirSync(folder);
      for (const suffix of suffixes) copyFileSync(live + suffix, join(folder, `store.sqlite${suffix}`));
      seal(folder);
    }
    await writer.close();
    const explain = (folder: string) =>
      runBound('explain', 'late.example', '--store', `sqlite:${folder}/store.sqlite`);
    expect((await explain(whole)).code).toBe(0);
    const refused = await explain(part);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(
      /has pending changes in \S+-wal that this user cannot read[\s\S]*hint: run the command as a user/,
    );
  });

  it('refuse the store of an earlier release, and say how its data are carried over', async () => {
    const folder = tempFolder();
    const path = join(folder, 'store.sqlite');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE source (id INTEGER PRIMARY KEY); PRAGMA user_version = 14');
    database.close();
    for (const command of ['members list', 'prune']) {
      const refused = await run(...command.split(' '), '--store', `sqlite:${path}`);
      expect(refused.code).toBe(3);
      expect(refused.stderr).toMatch(/was written by an earlier version[\s\S]*hint: export its data/);
    }
  });
});

describe('no store is made', () => {
  it.each([
    ...READERS.map(([command]) => command).filter((command) => !command.startsWith('crawl')),
    'prune',
    'crawl --due',
    'agents register https://a.example/mcp --member nova',
    'serve --port 0',
  ])('by %s', async (command) => {
    const [store, empty] = [tempStore(), join(tempFolder(), 'empty.sqlite')];
    writeFileSync(empty, '');
    for (const address of [store, `sqlite:${empty}`]) {
      const { code, stdout, stderr } = await run(...command.split(' '), '--store', address);
      expect(code).toBe(3);
      expect(stdout + stderr).toMatch(/no store at[\s\S]*hint: check --store/);
    }
    expect([existsSync(store.slice('sqlite:'.length)), readFileSync(empty).length]).toEqual([false, 0]);
  });
});

describe('a place where no store can be', () => {
  it('is a folder', async () => {
    const folder = tempFolder();
    for (const command of ['search', `crawl news.example ${MAPPED}`]) {
      const { code, stderr } = await run(...command.split(' '), '--store', `sqlite:${folder}`);
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/hint: the path is a folder; give a file in it/),
      ]);
    }
  });

  it('is below a file', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await run('crawl', 'news.example', '--store', `sqlite:${file}/store.sqlite`);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/cannot open the store at .* \((EEXIST|ENOTDIR)\)\n {2}hint: /),
    ]);
  });

  it.each(['store.sqlite', 'deeper/store.sqlite'])(
    'is in a folder that cannot be written: %s',
    async (name) => {
      const folder = tempFolder();
      seal(folder);
      const { code, stdout, stderr } = await runBound(
        'crawl',
        'news.example',
        '--store',
        `sqlite:${folder}/${name}`,
      );
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(
        /^agent-registry: cannot open the store at .*\n {2}hint: check the permissions of .*\n$/,
      );
    },
  );
});

describe('an output that cannot be written', () => {
  it('ends the command with a sentence', async () => {
    const { store } = await sealedStore();
    const { code, stderr } = await start(['search', '--json', '--store', store], { stdout: '/dev/full' })
      .ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^agent-registry: the output cannot be written \(ENOSPC\)\n {2}hint: .*\n$/);
  });
});
