import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { tempFolder } from '../../cli/support/cli.ts';
import { ownedAt } from '../../contract/compliance-fixtures.ts';
import { agentAt, domain, HOUR, NOW } from '../../contract/records-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';
import { ask, madeStore, migrate } from './support.ts';

const DAY_MS = 86_400_000;
const OWNED = 'https://owned.example/mcp';

describe('single values, moved', () => {
  const NASTY = [
    'plain',
    'a\0b',
    'lone \ud800 surrogate',
    '😀 ünïcode "quotes" \\ {braces,} \' \r\n\t',
    'NULL',
    '',
    `https://a.example/${hash('sha512', 'x').repeat(16).slice(0, 1_980)}`,
  ];
  const BYTES = Buffer.from(Array.from({ length: 256 * 40 }, (_, n) => (n * 7) % 256));

  it('stay what they are: texts but for NUL, bytes, numbers, nothing at all', async () => {
    const url = await freshDatabase();
    const path = await madeStore((database) => {
      const insert = database.prepare(
        "INSERT INTO crawl_run (fingerprint, started_at, progressed_at, worker) VALUES (?, 2, 2, 'w')",
      );
      for (const text of NASTY) insert.run(text);
      database
        .prepare("INSERT INTO body (hash, bytes) VALUES ('all', ?), ('none', ?)")
        .run(BYTES, Buffer.alloc(0));
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
    const agent = `https://long.example/${hash('sha512', 'y').repeat(16).slice(0, 1_978)}`;
    await records.sources.add([domain('a.example'), agentAt(agent)], NOW);
    await records.sources.takeDue('domain', 1, NOW, DAY_MS);
    await records.leases.take('stitch', 'me', NOW, DAY_MS);
    await ownedAt(records, { [OWNED]: NOW });
    await records.owners.keepCredential({ agent: OWNED, sealed: 's', actor: { kind: 'operator' } }, NOW);
    const wanted = { agent: OWNED, runId: 'r', trigger: 'manual', actor: { kind: 'operator' } } as const;
    await records.runs.request(wanted, () => 0, NOW);
    const [before] = await records.runs.takeDue(1, NOW, HOUR, 'somebody');
    records.database.exec(
      `INSERT INTO domain_turn (registrable_domain, holder, until) VALUES ('a.example', 'me', ${NOW + DAY_MS})`,
    );
    await records.close();
    expect((await migrate(path, url, '--yes')).code).toBe(0);
    expect(await ask(url, 'SELECT fence::int, lease_until::int FROM source WHERE fence > 0')).toEqual([
      { fence: 1, lease_until: 0 },
      { fence: 1, lease_until: 0 },
    ]);
    expect(await ask(url, 'SELECT fence::int, lease_until::int, lease_holder FROM run_schedule')).toEqual([
      { fence: 1, lease_until: 0, lease_holder: null },
    ]);
    expect(await ask(url, 'SELECT fence::int, until::int FROM named_lease')).toEqual([
      { fence: 1, until: 0 },
    ]);
    expect(await ask(url, 'SELECT * FROM domain_turn')).toEqual([]);
    const after = await openPostgresRecords({ url });
    expect(await after.sources.get({ kind: 'agent', key: agent })).toBeDefined();
    expect(await after.sources.takeDue('domain', 1, NOW, DAY_MS)).toHaveLength(1);
    expect(await after.owners.credential(OWNED)).toEqual({
      member: 'acme',
      sealed: 's',
      kind: 'bearer',
      setAt: NOW,
    });
    const [work] = await after.runs.takeDue(1, NOW, HOUR, 'somebody');
    expect(work).toMatchObject({ key: OWNED, asked: { runId: 'r', trigger: 'manual' } });
    expect(work?.lease.fence).toBeGreaterThan(before?.lease.fence ?? Number.POSITIVE_INFINITY);
    await after.close();
  });
});
