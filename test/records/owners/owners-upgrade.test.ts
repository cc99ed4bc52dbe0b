import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../../src/records/migrations/migrations.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

const AGENT = 'https://a.example/mcp';

it('a store of the schema before keeps its keys, its owners and its audit log; what is owned is due', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store.sqlite');
  const before = new DatabaseSync(path);
  before.exec(`${MIGRATIONS.slice(0, 2).join('')}; PRAGMA user_version = 2;
    INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0);
    INSERT INTO registration (agent, url, member, added_at) VALUES ('${AGENT}', '${AGENT}', 'acme', 1);
    INSERT INTO ownership (agent, member, proven_at) VALUES ('${AGENT}', 'acme', 2);
    INSERT INTO source (kind, key, visit, registrable_domain, url, found_via, first_seen_at, next_visit_at)
      VALUES ('agent', '${AGENT}', 'agent', 'a.example', '${AGENT}', 'member acme', 1, 9);
    INSERT INTO api_key (id, hash, member, created_at) VALUES ('k', 'h', 'acme', 3);
    INSERT INTO audit (at, actor, action, subject, details) VALUES (4, 'operator', 'agent.register', '${AGENT}', '{}');`);
  before.close();
  const { owners, keys, runs, close } = await openSqliteRecords({ path });
  expect(await owners.owner(AGENT)).toEqual({ member: 'acme', provenAt: 2 });
  expect(await keys.find('k')).toEqual({ id: 'k', member: 'acme', createdAt: 3, hash: 'h' });
  expect(await owners.auditLog({ subject: AGENT, limit: 1 })).toMatchObject([{ at: 4, details: {} }]);
  expect(await runs.due(9, 5)).toEqual([{ key: AGENT, registrableDomain: 'a.example', dueAt: 2 }]);
  expect(await runs.toReconsider(9, 5)).toEqual([AGENT]);
  await close();
});

it('a store of before finds the makers of its keys in the audit log, those of successors too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store.sqlite');
  const before = new DatabaseSync(path);
  before.exec(`${MIGRATIONS.slice(0, 12).join('')}; PRAGMA user_version = 12;
    INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0);
    INSERT INTO api_key (id, hash, member, created_at, renewed_by) VALUES
      ('ark_1', '1', 'acme', 1, NULL), ('ark_2', '2', 'acme', 2, 'ark_3'), ('ark_3', '3', 'acme', 3, 'ark_4'),
      ('ark_4', '4', 'acme', 4, NULL);
    INSERT INTO audit (at, actor, action, subject, details) VALUES (1, 'operator', 'key.create', 'ark_1', '{}'),
      (2, 'ark_1', 'key.create', 'ark_2', '{}'), (3, 'operator', 'key.renew', 'ark_3', '{}'),
      (4, 'operator', 'key.renew', 'ark_4', '{}');`);
  before.close();
  const { keys, close } = await openSqliteRecords({ path });
  expect((await keys.list('acme')).map(({ id, madeBy }) => [id, madeBy])).toEqual([
    ['ark_1', undefined],
    ['ark_2', 'ark_1'],
    ['ark_3', 'ark_1'],
    ['ark_4', 'ark_1'],
  ]);
  await close();
});

it('a store of before gives an id to each member that used an invitation for a new member, and was not removed since', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'records-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store.sqlite');
  const before = new DatabaseSync(path);
  before.exec(`${MIGRATIONS.slice(0, 12).join('')}; PRAGMA user_version = 12;
    INSERT INTO member (slug, display_name, founding_member) VALUES ('acme', 'Acme', 0), ('bolt', 'Bolt', 0), ('crow', 'Crow', 0), ('dove', 'Dove', 0);
    INSERT INTO invitation (hash, member, created_at, expires_at, used_at, used_by) VALUES
      ('${'0123456789abcdef'.repeat(4)}', NULL, 1, 9, 2, 'acme'), ('${'f'.repeat(64)}', 'bolt', 1, 9, 2, 'bolt'),
      ('${'d'.repeat(64)}', NULL, 1, 9, 2, 'dove');
    INSERT INTO audit (at, actor, action, subject, details) VALUES (1, 'operator', 'member.remove', 'acme', '{}'),
      (3, 'operator', 'member.remove', 'dove', '{}');`);
  before.close();
  const { members, close } = await openSqliteRecords({ path });
  expect((await members.list()).map(({ slug, id }) => [slug, id])).toEqual([
    ['acme', 'mem_0123456789abcdef'],
    ['bolt', undefined],
    ['crow', undefined],
    ['dove', undefined],
  ]);
  await close();
});
