import type { Selectable } from 'kysely';
import { present } from '../../../../base/present.ts';
import type { ApiKey, ApiKeyStore, NewApiKey } from '../../../../ports/members.ts';
import type { ApiKeyTable } from '../../schema-agents.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, type Param, prepare, run, sql } from '../../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { requireMember } from './member-store.ts';

const DAY_MS = 86_400_000;

/** API keys of members; of a key itself only the hash is kept. */
export function createApiKeyStore(store: SqlStore): ApiKeyStore {
  const selectKey = prepare(store, keyById);
  const noteDay = prepare(store, dayOfUse);

  function* create({ id, hash, member, label }: NewApiKey, now: number): SqlTask<ApiKey> {
    yield* requireMember(store, member);
    const row = { id, hash, member, label: label ?? null, created_at: now };
    const insert = sql.insertInto('api_key').values(row);
    const added = yield* run(
      store,
      insert.onConflict((same) => same.column('id').doNothing()),
    );
    const kept = (yield* selectKey.first({ id })) as Selectable<ApiKeyTable>;
    if (kept.hash !== hash) throw new Error(`the id ${id} is that of another key`);
    if (added === 0) return apiKeyOf(kept); // done again, as the answer to the first commit was lost
    const details = { member, ...(label !== undefined && { label }) };
    yield* auditDeed(store, { at: now, actor: OPERATOR, action: 'key.create', subject: id, details });
    return apiKeyOf(kept);
  }
  function* revoke(id: string, now: number): SqlTask<ApiKey | undefined> {
    const open = sql.updateTable('api_key').set({ revoked_at: now }).where('revoked_at', 'is', null);
    const revoked = yield* run(store, open.where('id', '=', id));
    const row = yield* selectKey.first({ id });
    if (row === undefined) return undefined;
    const details = { member: row.member };
    if (revoked > 0)
      yield* auditDeed(store, { at: now, actor: OPERATOR, action: 'key.revoke', subject: id, details });
    return apiKeyOf(row);
  }
  return {
    create: (key, now) => store.durably(() => create(key, now)),
    async list(member) {
      const keys = sql.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id');
      const wanted = member === undefined ? keys : keys.where('member', '=', member);
      return (await store.read(() => all(store, wanted))).map(apiKeyOf);
    },
    revoke: (id, now) => store.durably(() => revoke(id, now)),
    async find(id) {
      const row = await store.read(() => selectKey.first({ id }));
      return row && { ...apiKeyOf(row), hash: row.hash };
    },
    async noteUse(id, now) {
      await store.transaction(() => noteDay.run({ id, now, yesterday: now - DAY_MS }));
    },
  };
}

function apiKeyOf(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    member: row.member,
    createdAt: row.created_at,
    ...present({ label: row.label, lastUsedAt: row.last_used_at, revokedAt: row.revoked_at }),
  };
}

function keyById(param: Param<{ id: string }>) {
  return sql.selectFrom('api_key').selectAll().where('id', '=', param('id'));
}

function dayOfUse(param: Param<{ id: string; now: number; yesterday: number }>) {
  return sql
    .updateTable('api_key')
    .set({ last_used_at: param('now') })
    .where('id', '=', param('id'))
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', param('yesterday'))]));
}
