import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openRecords } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { start, tempFolder } from '../../cli/support/cli.ts';
import { follows } from '../../cli/support/schemas.ts';
import { freshDatabase } from '../support/engines.ts';
import { ask, emptyStore, madeStore, migrate } from './support.ts';

const SOON = 600_000;

/** What processes have in hand, by what it is called. */
const AT_WORK: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  '2 leased sources': (path) =>
    withRecords(path, async ({ sources }) => {
      await sources.add([{ kind: 'domain', key: 'news.example', foundVia: 'operator' }], 1);
      const taken = await sources.takeDue('domain', 1, Date.now(), SOON);
      expect(taken).toHaveLength(1);
    }),
  '1 leased tests': async (path) => {
    const database = new DatabaseSync(path);
    database.exec(
      `INSERT INTO run_schedule (agent, registrable_domain, next_run_at, reconsider_at, fence, lease_until, lease_holder)
       VALUES ('https://a.example/mcp', 'a.example', 0, 0, 1, ${Date.now() + SOON}, 'h/1//')`,
    );
    database.close();
  },
  '1 leases on other work': (path) =>
    withRecords(path, ({ leases }) => leases.take('index', 'holder', Date.now(), SOON)),
  '1 rate-limit states of domains': async (path) => {
    const database = new DatabaseSync(path);
    const columns = `INSERT INTO domain_turn (registrable_domain, holder, until) SELECT 'a.example', 'h/1//', ${Date.now() + SOON}`;
    database.exec(columns);
    database.close();
  },
};

async function withRecords(
  path: string,
  work: (records: Awaited<ReturnType<typeof openRecords>>['records']) => Promise<unknown>,
): Promise<void> {
  const config = readConfig({ REGISTRY_STORE: `sqlite:${path}` });
  const { records } = await openRecords(config, { create: false });
  await work(records);
  await records.close();
}

describe('a store that processes work on', () => {
  it.each(Object.entries(AT_WORK))('is not moved: %s', async (what, take) => {
    const [path, url] = [await emptyStore(), await freshDatabase()];
    await take(path);
    const plan = await migrate(path, url, '--json');
    expect([plan.code, follows(plan.stdout, 'cli/migrate.json')]).toEqual([
      1,
      expect.objectContaining({ refusal: expect.stringContaining(what) }),
    ]);
    const refused = await migrate(path, url, '--yes');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(what)]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);

    expect((await migrate(path, url, '--live')).stdout).toContain('changes made after the copy starts');
    const copied = await migrate(path, url, '--live', '--yes', '--json');
    expect([copied.code, follows(copied.stdout, 'cli/migrate.json')]).toEqual([
      0,
      expect.objectContaining({ copy_of: expect.any(String) }),
    ]);
  });

  it('is not moved when somebody writes to it without a lease, as soon as the copy lets them', async () => {
    const url = await freshDatabase();
    const path = await madeStore((database) => {
      database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO capture (source, at, last_seen_at, requested_url, duration_ms, error_detail)
        SELECT i, i, i, 'https://a.example/' || i, 1, hex(randomblob(100)) FROM n`);
    });
    const writer = start(['-'], { script: writerOf(path) });
    await writer.until('stdout', /looks/);
    const { code, stderr } = await migrate(path, url, '--yes');
    expect([code, stderr]).toEqual([3, expect.stringContaining('was changed during the copy')]);
    expect(await ask(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    expect((await writer.ended).code).toBe(0);
  });
});

/** A program that waits until somebody keeps it from writing, and then writes one row as soon as it may. */
function writerOf(path: string): string {
  const script = join(tempFolder(), 'writer.mjs');
  writeFileSync(
    script,
    `import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
const database = new DatabaseSync(${JSON.stringify(path)});
const mayWrite = () => {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch {
    return false;
  }
};
console.log('looks');
while (mayWrite()) await pause(5);
database.exec('PRAGMA busy_timeout = 60000');
database.exec("INSERT INTO member (slug, display_name, founding_member) VALUES ('late', 'Late', 0)");
`,
  );
  return script;
}
