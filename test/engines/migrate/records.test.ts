import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SourceKey } from '../../../src/domain/source.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { run } from '../../cli/support/cli.ts';
import { follows } from '../../cli/support/schemas.ts';
import { domain, NOW } from '../../contract/records-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';
import { answersOf, ask, crawledStore, madeStore, migrate, sha256 } from './support.ts';

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

describe('the records of a crawl, moved', () => {
  it('answer as before to everything that can be asked, and go on with the next number', async () => {
    const url = await freshDatabase();
    vi.stubEnv('MOVE_TO', url);
    const moved = await run('migrate', '--from', `sqlite:${crawled.path}`, '--to-env', 'MOVE_TO', '--yes');
    expect(moved.code, moved.stderr).toBe(0);
    expect(moved.stdout).toMatch(/\d+ rows of \d+ tables copied to 127\.0\.0\.1:\d+\/\w+; the counts match/);
    expect(moved.stdout).toContain('agent-registry index rebuild --yes');
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
    expect((await migrate(crawled.path, url)).stdout).toMatch(
      /would copy \d+ rows[\s\S]*add --yes to execute it/,
    );
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
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/hint: stop all processes that use this database/),
    ]);
    await empty.close();
    const moved = await migrate(crawled.path, url, '--yes', '--json');
    expect(moved.code, moved.stderr).toBe(0);
    expect(follows(moved.stdout, SCHEMA)).toMatchObject({ done: true });
  });

  it('continue behind the last number that was given, whether its row is there or not', async () => {
    const url = await freshDatabase();
    const path = await madeStore((database) => {
      const columns = '(authorisation, agent, publisher, scope, at)';
      database.exec(
        `INSERT INTO edge_log ${columns} VALUES (1, 'a', 'p', 'all', 1), (2, 'b', 'p', 'all', 2)`,
      );
      database.exec('DELETE FROM edge_log WHERE seq = 2');
    });
    const moved = await migrate(path, url, '--yes');
    expect(moved.code, moved.stderr).toBe(0);
    const next =
      "INSERT INTO edge_log (authorisation, agent, publisher, scope, at) VALUES (3, 'c', 'p', 'all', 3) RETURNING seq::int";
    expect(await ask(url, next)).toEqual([{ seq: 3 }]);
  });

  it('are in the tables of a new database', async () => {
    const [url, fresh] = [await freshDatabase(), await freshDatabase()];
    expect((await migrate(crawled.path, url, '--yes')).code).toBe(0);
    await (await openPostgresRecords({ url: fresh })).close();
    const shape = `SELECT table_name, column_name, data_type, column_default, is_nullable, is_identity, collation_name
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, column_name`;
    const indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname";
    for (const question of [shape, indexes])
      expect(await ask(url, question)).toEqual(await ask(fresh, question));
  });
});
