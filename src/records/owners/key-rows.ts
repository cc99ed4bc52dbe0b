import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import type { Actor, KeyActor } from '../../ports/actor.ts';
import type { ApiKey, NewApiKey, RevokedKey } from '../../ports/members.ts';
import type { ApiKeyTable } from '../schema-agents.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { jsonOrNull, type Param, parsed, prepare, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';

export type ApiKeyRow = Selectable<ApiKeyTable>;

/** What the audit log says of a new key. */
interface KeyDeed {
  readonly actor: Actor;
  readonly action: string;
  readonly details: object;
}

/** Creates and revokes keys, inside the transaction of the caller. */
export interface KeyRows {
  byId(id: string): SqlTask<ApiKeyRow | undefined>;
  add(key: MadeKey, deed: KeyDeed, now: number): SqlTask<ApiKey>;
  create(key: MadeKey, actor: Actor, now: number): SqlTask<ApiKey>;
  /** A key with all keys that it manages, oldest first. */
  managedBy(id: string): SqlTask<readonly ApiKeyRow[]>;
  revoke(id: string, actor: Actor, now: number): SqlTask<RevokedKey | undefined>;
}

type MadeKey = NewApiKey & Pick<ApiKey, 'madeBy'>;

/**
 * Keeps others from making, renewing and revoking keys of a member until the transaction ends: so no two count the same
 * rows, and no key is made by one that is being revoked.
 */
export function createMemberLock(store: SqlStore): (member: string) => SqlTask<void> {
  const select = prepare(store, (param: Param<{ member: string }>) =>
    sql.selectFrom('member').select('slug').where('slug', '=', param('member')).forUpdate(),
  );
  return function* (member) {
    yield* select.first({ member });
  };
}

/** The key of the caller, locked against revocation until the transaction ends. Undefined if it cannot be used. */
export function createActingKey(store: SqlStore) {
  const lockMember = createMemberLock(store);
  const select = prepare(store, keyById);
  return function* ({ keyId, member }: KeyActor, now: number): SqlTask<ApiKeyRow | undefined> {
    yield* lockMember(member);
    const row = yield* select.first({ id: keyId });
    return row?.member === member && isAlive(row, now) ? row : undefined;
  };
}

function keyById(param: Param<{ id: string }>) {
  return sql.selectFrom('api_key').selectAll().where('id', '=', param('id'));
}

export function createKeyRows(store: SqlStore): KeyRows {
  const selectKey = prepare(store, keyById);
  const selectManaged = prepare(store, managedKeys);
  const lockMember = createMemberLock(store);
  const end = prepare(store, (param: Param<{ ids: readonly string[]; now: number }>) =>
    sql
      .updateTable('api_key')
      .set({ revoked_at: param('now') })
      .where('id', 'in', param.list('ids')),
  );

  function* add(key: MadeKey, deed: KeyDeed, now: number): SqlTask<ApiKey> {
    const { id, hash, member, label, scopes, expiresAt, madeBy } = key;
    const named = { id, hash, member, label: label ?? null, created_at: now, made_by: madeBy ?? null };
    const row = { ...named, scopes: jsonOrNull(scopes), expires_at: expiresAt ?? null };
    const insert = sql.insertInto('api_key').values(row);
    const added = yield* run(
      store,
      insert.onConflict((same) => same.column('id').doNothing()),
    );
    const kept = (yield* selectKey.first({ id })) as ApiKeyRow;
    if (kept.hash !== hash) throw new Error(`another key already has the id ${id}`);
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
    managedBy: (id) => selectManaged.all({ id }),
    *revoke(id, actor, now) {
      const { member = '' } = (yield* selectKey.first({ id })) ?? {};
      yield* lockMember(member);
      const managed = yield* selectManaged.all({ id });
      const root = managed.find((row) => row.id === id);
      if (root === undefined) return undefined;
      const open = managed.filter(({ revoked_at }) => revoked_at === null);
      if (open.length > 0) yield* end.run({ ids: open.map((row) => row.id), now });
      for (const { id: subject } of open) {
        const details = { member, ...(subject !== id && { caused_by: id }) };
        yield* auditDeed(store, { at: now, actor, action: 'key.revoke', subject, details });
      }
      // also when the answer to the first commit was lost
      const revokedAt = root.revoked_at ?? now;
      const others = managed.filter((row) => row !== root && (row.revoked_at ?? now) === revokedAt);
      return { ...apiKeyOf(root), revokedAt, alsoRevoked: others.map((row) => row.id) };
    },
  };
}

/** A key with all keys that it manages: those that it or one of its predecessors made, directly or not. */
function managedKeys(param: Param<{ id: string }>) {
  return sql
    .withRecursive('line(id)', (db) =>
      db
        .selectFrom('api_key')
        .select('id')
        .where('id', '=', param('id'))
        .union(
          db.selectFrom('api_key').innerJoin('line', 'line.id', 'api_key.renewed_by').select('api_key.id'),
        ),
    )
    .withRecursive('managed(id)', (db) =>
      db
        .selectFrom('api_key')
        .select('id')
        .where('id', '=', param('id'))
        .union(db.selectFrom('api_key').innerJoin('line', 'line.id', 'api_key.made_by').select('api_key.id'))
        .union(
          db.selectFrom('api_key').innerJoin('managed', 'managed.id', 'api_key.made_by').select('api_key.id'),
        ),
    )
    .selectFrom('managed')
    .innerJoin('api_key', 'api_key.id', 'managed.id')
    .selectAll('api_key')
    .orderBy('created_at')
    .orderBy('api_key.id');
}

export function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    member: row.member,
    createdAt: row.created_at,
    ...present({ label: row.label, lastUsedAt: row.last_used_at, revokedAt: row.revoked_at }),
    ...present({ scopes: scopesOf(row), expiresAt: row.expires_at }),
    ...present({ renewedBy: row.renewed_by, madeBy: row.made_by }),
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
