import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, SCHEMA_VERSION } from '../../../src/adapters/sql/migrate.ts';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import { openSqliteRecords } from '../../../src/adapters/sql/sqlite-records.ts';
import type { SourceKey } from '../../../src/domain/source.ts';
import { run, start, tempFolder } from '../../cli/support/cli.ts';
import { follows } from '../../cli/support/schemas.ts';
import { agentAt, domain, NOW } from '../../contract/records-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';
import { answersOf, ask, copyOf, crawledStore } from './support.ts';

const SCHEMA = 'cli/migrate.json';
const DAY_MS = 86_400_000;

let folder: string;
let crawled: { readonly path: string; readonly sources: readonly SourceKey[] };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  crawled = await crawledStore(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const migrate = (path: string, url: string, ...flags: string[]) =>
  run('migrate', '--from', `sqlite:${path}`, '--to', url, ...flags);
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** A SQLite file of an empty store, filled by hand. */
function madeStore(fill: (database: DatabaseSync) => void, schema = SCHEMA_VERSION): string {
  const path = join(tempFolder(), 'made.sqlite');
  const database = new DatabaseSync(path);
  for (const migration of MIGRATIONS.slice(0, schema)) database.exec(migration);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = ${schema}`);
  fill(database);
  database.close();
  return path;
}

describe('the records of a crawl, moved', () => {
  it('answer as before to everything that can be asked, and go on with the next number', async () => {
    const url = await freshDatabase();
    vi.stubEnv('MOVE_TO', url);
    const moved = await run('migrate', '--from', `sqlite:${crawled.path}`, '--to-env', 'MOVE_TO', '--yes');
    expect(moved.code, moved.stderr).toBe(0);
    expect(moved.stdout).toMatch(
      /\d+ rows of \d+ tables are in 127\.0\.0\.1:\d+\/\w+, counted on both sides/,
    );
    expect(moved.stdout).toContain('registry index rebuild --yes');
    const [before, after] = [
      await openSqliteRecords({ path: crawled.path, readOnly: true }),
      await openPostgresRecords({ url, create: false }),
    ];
    const now = Date.now() + 2 * DAY_MS;
    const answers = await answersOf(after, crawled.sources, now);
    for (const [question, answer] of Object.entries(await answersOf(before, crawled.sources, now)))
      expect.soft(answers[question as keyof typeof answers], question).toEqual(answer);
    expect(answers.listed.length).toBeGreaterThan(30);
    expect(await after.sources.add([domain('new.example')], now)).toBe(1);
    const { agent } = answers.listed[0]!;
    await after.members.register({ agent, url: agent, member: 'orbit', name: 'Orbit' }, now);
    const dirty = await after.agents.takeDirty(10, now);
    await after.agents.saveStitched(
      dirty.map((one) => ({ ...one, stitched: {} })),
      now,
    );
    expect(await after.agents.lastSeq()).toBeGreaterThan(answers.lastSeq);
    await before.close();
    await after.close();
  });

  it('are planned before, and neither side is changed by that', async () => {
    const url = await freshDatabase();
    const before = sha256(crawled.path);
    const planned = await migrate(crawled.path, url, '--json');
    const plan = follows<{ tables: { name: string; rows: number }[] }>(planned.stdout, SCHEMA);
    expect([planned.code, plan]).toMatchObject([0, { done: false, target: { schema: 0 } }]);
    expect(plan.tables.find(({ name }) => name === 'source')?.rows).toBeGreaterThan(50);
    expect((await migrate(crawled.path, url)).stdout).toMatch(/would copy \d+ rows[\s\S]*say --yes to do it/);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect(sha256(crawled.path)).toBe(before);
  });

  it('are refused by a database that holds records, and left alone there', async () => {
    const url = await freshDatabase();
    const other = await openPostgresRecords({ url });
    await other.sources.add([domain('mine.example')], NOW);
    await other.close();
    const planned = await migrate(crawled.path, url, '--json');
    expect(planned.code).toBe(1);
    expect(follows(planned.stdout, SCHEMA)).toMatchObject({
      refusal: expect.stringContaining('already holds'),
    });
    const refused = await migrate(crawled.path, url, '--yes');
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(/already holds records[\s\S]*hint: give the address of an empty database/);
    expect(await ask(url, 'SELECT key FROM source ORDER BY kind')).toMatchObject([
      { key: 'mine.example' },
      { key: 'mine.example' },
    ]);
  });

  it('take the place of an empty store that another program has opened, once that has stopped', async () => {
    const url = await freshDatabase();
    const empty = await openPostgresRecords({ url });
    await empty.id();
    const refused = await migrate(crawled.path, url, '--yes');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/hint: stop whatever runs/)]);
    await empty.close();
    const moved = await migrate(crawled.path, url, '--yes', '--json');
    expect(moved.code, moved.stderr).toBe(0);
    expect(follows(moved.stdout, SCHEMA)).toMatchObject({ done: true });
  });

  it('are read from a store of the first schema, which keeps it', async () => {
    const url = await freshDatabase();
    const path = madeStore((database) => {
      database.exec("INSERT INTO change_log (agent, kind, at) VALUES ('a', 'listed', 1), ('b', 'listed', 2)");
      database.exec('DELETE FROM change_log WHERE seq = 2');
    }, 1);
    const before = sha256(path);
    const moved = await migrate(path, url, '--yes');
    expect(moved.code, moved.stderr).toBe(0);
    expect(sha256(path)).toBe(before);
    expect(await ask(url, 'SELECT version::int FROM registry_schema')).toEqual([{ version: SCHEMA_VERSION }]);
    const next =
      "INSERT INTO change_log (agent, kind, at) VALUES ('c', 'listed', 3) RETURNING seq::int, trace";
    expect(await ask(url, next)).toEqual([{ seq: 3, trace: null }]); // 2 was given, and is never given again
    const fresh = await freshDatabase();
    await (await openPostgresRecords({ url: fresh })).close();
    const shape = `SELECT table_name, column_name, data_type, column_default, is_nullable, is_identity, collation_name
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, column_name`;
    const indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname";
    for (const question of [shape, indexes])
      expect(await ask(url, question)).toEqual(await ask(fresh, question));
  });
});

describe('single values, moved', () => {
  const NASTY = [
    'plain',
    'a\0b',
    'lone \ud800 surrogate',
    '😀 ünïcode "quotes" \\ {braces,} \' \r\n\t',
    'NULL',
    '',
    `https://a.example/${createHash('sha512').update('x').digest('hex').repeat(16).slice(0, 1_980)}`,
  ];
  const BYTES = Buffer.from(Array.from({ length: 256 * 40 }, (_, n) => (n * 7) % 256));

  it('stay what they are: texts but for NUL, bytes, numbers, nothing at all', async () => {
    const url = await freshDatabase();
    const path = madeStore((database) => {
      const insert = database.prepare(
        "INSERT INTO crawl_run (fingerprint, started_at, progressed_at, worker) VALUES (?, 1.6, 2, 'w')",
      );
      for (const text of NASTY) insert.run(text);
      database.prepare("INSERT INTO body VALUES ('all', ?), ('none', ?)").run(BYTES, Buffer.alloc(0));
      const far = Number.MAX_SAFE_INTEGER;
      database.prepare("INSERT INTO robots VALUES ('o', NULL, ?), ('p', '', -1)").run(far);
    });
    const moved = await migrate(path, url, '--yes');
    expect(moved.code, moved.stderr).toBe(0);
    const rows = await ask(url, 'SELECT fingerprint, started_at::int FROM crawl_run ORDER BY id');
    const wanted = NASTY.map((text) => text.replace('\0', '\ufffd').replace('\ud800', '\ufffd'));
    expect(rows).toEqual(wanted.map((fingerprint) => ({ fingerprint, started_at: 2 })));
    const bodies = await ask(url, 'SELECT hash, bytes FROM body ORDER BY hash');
    expect(bodies).toEqual([
      { hash: 'all', bytes: BYTES },
      { hash: 'none', bytes: Buffer.alloc(0) },
    ]);
    expect(await ask(url, 'SELECT * FROM robots ORDER BY origin')).toEqual([
      { origin: 'o', rules: null, expires_at: String(Number.MAX_SAFE_INTEGER) },
      { origin: 'p', rules: '', expires_at: '-1' },
    ]);
  });

  it('of leases and turns end with the old store; fences stay', async () => {
    const path = join(tempFolder(), 'store.sqlite');
    const url = await freshDatabase();
    const records = await openSqliteRecords({ path });
    const agent = `https://long.example/${createHash('sha512').update('y').digest('hex').repeat(16).slice(0, 1_978)}`;
    await records.sources.add([domain('a.example'), agentAt(agent)], NOW);
    await records.sources.takeDue('domain', 1, NOW, DAY_MS);
    await records.leases.take('stitch', 'me', NOW, DAY_MS);
    records.database.exec(`INSERT INTO domain_turn VALUES ('a.example', 'me', ${NOW + DAY_MS})`);
    await records.close();
    expect((await migrate(path, url, '--yes')).code).toBe(0);
    expect(await ask(url, 'SELECT fence::int, lease_until::int FROM source WHERE fence > 0')).toEqual([
      { fence: 1, lease_until: 0 },
      { fence: 1, lease_until: 0 },
    ]);
    expect(await ask(url, 'SELECT fence::int, until::int FROM named_lease')).toEqual([
      { fence: 1, until: 0 },
    ]);
    expect(await ask(url, 'SELECT * FROM domain_turn')).toEqual([]);
    const after = await openPostgresRecords({ url });
    expect(await after.sources.get({ kind: 'agent', key: agent })).toBeDefined();
    expect(await after.sources.takeDue('domain', 1, NOW, DAY_MS)).toHaveLength(1);
    await after.close();
  });
});

describe('a move that is disturbed', () => {
  /** Large enough that a command can be met in the middle of it. */
  const large = () =>
    madeStore((database) => {
      database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
        INSERT INTO capture (source, at, requested_url, duration_ms, error_detail)
        SELECT i, i, 'https://a.example/' || i, 1, hex(randomblob(100)) FROM n`);
    });
  const NOBODY =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-registry'";

  it('by kill -9 leaves the target empty, and runs to its end the next time', async () => {
    const [path, url] = [large(), await freshDatabase()];
    const first = start(['migrate', '--from', `sqlite:${path}`, '--to', url, '--yes']);
    await first.until('stderr', /^[1-9]\d* of 200000 rows copied/m);
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBeNull();
    await vi.waitFor(async () => expect(await ask(url, NOBODY)).toEqual([]), { timeout: 30_000 });
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect((await migrate(path, url, '--yes')).code).toBe(0);
    expect(await ask(url, 'SELECT count(*)::int AS n FROM capture')).toEqual([{ n: 200_000 }]);
  });

  it('by an interrupt stops cleanly; meanwhile others can read the source and not write to it', async () => {
    const [path, url] = [large(), await freshDatabase()];
    const first = start(['migrate', '--from', `sqlite:${path}`, '--to', url, '--yes']);
    await first.until('stderr', /^[1-9]\d* of 200000 rows copied/m);
    first.child.kill('SIGSTOP'); // it holds its locks for as long as this test looks
    onTestFinished(() => void first.child.kill('SIGCONT'));
    const writing = await run('prune', '--store', `sqlite:${path}`);
    expect([writing.code, writing.stderr]).toEqual([
      3,
      expect.stringContaining('is locked by another process'),
    ]);
    expect((await migrate(path, await freshDatabase())).code).toBe(0); // a plan only reads
    const second = await migrate(copyOf(crawled.path, join(tempFolder(), 'copy.sqlite')), url, '--yes');
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('another process is filling')]);
    first.child.kill('SIGCONT');
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped; the target is as empty as before/)]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});

describe('a move that cannot be', () => {
  const SQLITE = 'sqlite:/nowhere/at/all.sqlite';
  const AWAY = 'postgres://me:secret@127.0.0.1:9/none';

  it.each([
    [['--from', AWAY, '--to', 'sqlite:x'], 2, /from SQLite to PostgreSQL, and not back/],
    [['--from', AWAY, '--to', AWAY], 2, /both addresses are in PostgreSQL[\s\S]*pg_dump/],
    [['--from', SQLITE, '--to', SQLITE], 2, /both addresses are SQLite files/],
    [['--from', SQLITE, '--to', 'mysql://me:secret@x/y'], 2, /--to is not the address of a PostgreSQL/],
    [['--from', 'x.sqlite', '--to', AWAY], 2, /--from is not the address of an SQLite store/],
    [['--from', SQLITE], 2, /one of --to and --to-env is needed/],
    [['--from', SQLITE, '--to', AWAY, '--to-env', 'X'], 2, /and not both/],
    [['--from', SQLITE, '--to-env', 'NOT_SET_HERE'], 2, /the variable NOT_SET_HERE is not set/],
    [['--from', SQLITE, '--to', '@/does/not/exist'], 2, /--to: cannot read/],
    [['--from', SQLITE, '--to', AWAY], 3, /there is no store at[\s\S]*--from/],
  ])('%j', async (args, code, message) => {
    for (const flags of [[], ['--yes']]) {
      const ran = await run('migrate', ...args, ...flags);
      expect([ran.code, ran.stdout]).toEqual([code, '']);
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr).not.toMatch(/secret|should not have happened/);
    }
  });

  it('because the server is away', async () => {
    for (const flags of [[], ['--yes']]) {
      const { code, stderr } = await migrate(crawled.path, AWAY, ...flags);
      expect(code).toBe(3);
      expect(stderr).toMatch(/the database 127\.0\.0\.1:9\/none does not answer[\s\S]*hint: /);
      expect(stderr).not.toContain('secret');
    }
  });

  it('because the source was written by a newer registry, or is none', async () => {
    const file = join(tempFolder(), 'to');
    writeFileSync(file, `${await freshDatabase()}\n`);
    const newer = madeStore((database) => database.exec('PRAGMA user_version = 999'));
    const empty = madeStore(() => {}, 0);
    for (const flags of [[], ['--yes']]) {
      const from = (path: string) => run('migrate', '--from', `sqlite:${path}`, '--to', `@${file}`, ...flags);
      expect(await from(newer)).toMatchObject({ code: 3, stderr: expect.stringContaining('has schema 999') });
      expect(await from(empty)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("not a registry's store"),
      });
    }
  });

  it('because the database belongs to somebody else, or is used by nobody yet but missing', async () => {
    const url = await freshDatabase();
    await ask(url, 'CREATE TABLE agent (name text)');
    expect(await migrate(crawled.path, url, '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("not a registry's store"),
    });
    const missing = new URL(url);
    missing.pathname = '/not_made';
    expect(await migrate(crawled.path, missing.href)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/refuses us \(3D000\)[\s\S]*hint: check/),
    });
  });
});

describe('a command that only reads', () => {
  it('makes no tables in an empty database', async () => {
    const url = await freshDatabase();
    const { code, stderr } = await run('members', 'list', '--store', url);
    expect([code, stderr]).toEqual([3, expect.stringContaining('there is no store at')]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});
