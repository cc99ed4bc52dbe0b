import type { Selectable } from 'kysely';
import { present } from '../../../../base/json.ts';
import type { ApiScope } from '../../../../domain/api-scope.ts';
import type { Actor, KeyActor } from '../../../../ports/actor.ts';
import type { ApiKey, NewApiKey } from '../../../../ports/members.ts';
import type { ApiKeyTable } from '../../schema-agents.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { jsonOrNull, type Param, parsed, prepare, run, sql } from '../../statements.ts';
import { auditDeed } from './audit.ts';

export type ApiKeyRow = Selectable<ApiKeyTable>;

/** What the audit log says of a new key. */
interface KeyDeed {
  readonly actor: Actor;
  readonly action: string;
  readonly details: object;
}

/** Making and revoking keys, whoever does it; each inside the caller's transaction. */
export interface KeyRows {
  byId(id: string): SqlTask<ApiKeyRow | undefined>;
  add(key: NewApiKey, deed: KeyDeed, now: number): SqlTask<ApiKey>;
  create(key: NewApiKey, actor: Actor, now: number): SqlTask<ApiKey>;
  revoke(id: string, actor: Actor, now: number): SqlTask<ApiKey | undefined>;
}

/** The key that somebody acts with; nobody revokes it until the transaction ends. Undefined: it cannot be used. */
export function createActingKey(store: SqlStore) {
  const lockMember = prepare(store, (param: Param<{ member: string }>) =>
    sql.selectFrom('member').select('slug').where('slug', '=', param('member')).forUpdate(),
  );
  const lockKey = prepare(store, (param: Param<{ id: string }>) =>
    sql.selectFrom('api_key').selectAll().where('id', '=', param('id')).forUpdate(),
  );
  return function* ({ keyId, member }: KeyActor, now: number): SqlTask<ApiKeyRow | undefined> {
    yield* lockMember.first({ member }); // one after the other in a member, so that no two count the same rows
    const row = yield* lockKey.first({ id: keyId });
    return row?.member === member && isAlive(row, now) ? row : undefined;
  };
}

export function createKeyRows(store: SqlStore): KeyRows {
  const selectKey = prepare(store, (param: Param<{ id: string }>) =>
    sql.selectFrom('api_key').selectAll().where('id', '=', param('id')),
  );

  function* add(key: NewApiKey, deed: KeyDeed, now: number): SqlTask<ApiKey> {
    const { id, hash, member, label, scopes, expiresAt } = key;
    const named = { id, hash, member, label: label ?? null, created_at: now };
    const row = { ...named, scopes: jsonOrNull(scopes), expires_at: expiresAt ?? null };
    const insert = sql.insertInto('api_key').values(row);
    const added = yield* run(
      store,
      insert.onConflict((same) => same.column('id').doNothing()),
    );
    const kept = (yield* selectKey.first({ id })) as ApiKeyRow;
    if (kept.hash !== hash) throw new Error(`the id ${id} is that of another key`);
    if (added === 0) return apiKeyOf(kept); // done again, as the answer to the first commit was lost
    yield* auditDeed(store, { at: now, subject: id, ...deed });
    return apiKeyOf(kept);
  }
  return {
    byId: (id) => selectKey.first({ id }),
    add,
    create(key, actor, now) {
      const { member, label, scopes, expiresAt: expires_at } = key;
      const details = { member, ...present({ label, scopes, expires_at }) };
      return add(key, { actor, action: 'key.create', details }, now);
    },
    *revoke(id, actor, now) {
      const open = sql.updateTable('api_key').set({ revoked_at: now }).where('revoked_at', 'is', null);
      const revoked = yield* run(store, open.where('id', '=', id));
      const row = yield* selectKey.first({ id });
      if (row === undefined) return undefined;
      const details = { member: row.member };
      if (revoked > 0)
        yield* auditDeed(store, { at: now, actor, action: 'key.revoke', subject: id, details });
      return apiKeyOf(row);
    },
  };
}

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    member: row.member,
    createdAt: row.created_at,
    ...present({ label: row.label, lastUsedAt: row.last_used_at, revokedAt: row.revoked_at }),
    ...present({ scopes: scopesOf(row), expiresAt: row.expires_at, renewedBy: row.renewed_by }),
  };
}

/** Undefined: every scope. */
export function scopesOf({ scopes }: ApiKeyRow): readonly ApiScope[] | undefined {
  return parsed<readonly ApiScope[]>(scopes);
}

/** Neither revoked nor over. */
export function isAlive(row: ApiKeyRow, now: number): boolean {
  return row.revoked_at === null && (row.expires_at === null || row.expires_at > now);
}
