import type { Selectable } from 'kysely';
import { present } from '../../../../base/present.ts';
import type { ApiScope } from '../../../../domain/api-scope.ts';
import { RegistryError } from '../../../../errors.ts';
import type { ApiKey, ApiKeyStore, KeyRenewal, NewApiKey } from '../../../../ports/members.ts';
import type { ApiKeyTable } from '../../schema-agents.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, jsonOrNull, type Param, parsed, prepare, run, sql } from '../../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { requireMember } from './member-store.ts';

const DAY_MS = 86_400_000;

/** What the audit log says of a new key. */
interface KeyDeed {
  readonly action: string;
  readonly details: object;
}

/** API keys of members; of a key itself only the hash is kept. */
export function createApiKeyStore(store: SqlStore): ApiKeyStore {
  const selectKey = prepare(store, keyById);
  const noteDay = prepare(store, dayOfUse);

  function* create(key: NewApiKey, now: number): SqlTask<ApiKey> {
    yield* requireMember(store, key.member);
    const { member, label, scopes, expiresAt: expires_at } = key;
    const details = { member, ...present({ label, scopes, expires_at }) };
    return yield* add(key, { action: 'key.create', details }, now);
  }
  function* add(key: NewApiKey, deed: KeyDeed, now: number): SqlTask<ApiKey> {
    const { id, hash, member, label, scopes, expiresAt } = key;
    const named = { id, hash, member, label: label ?? null, created_at: now };
    const row = { ...named, scopes: jsonOrNull(scopes), expires_at: expiresAt ?? null };
    const insert = sql.insertInto('api_key').values(row);
    const added = yield* run(
      store,
      insert.onConflict((same) => same.column('id').doNothing()),
    );
    const kept = (yield* selectKey.first({ id })) as Selectable<ApiKeyTable>;
    if (kept.hash !== hash) throw new Error(`the id ${id} is that of another key`);
    if (added === 0) return apiKeyOf(kept); // done again, as the answer to the first commit was lost
    yield* auditDeed(store, { at: now, actor: OPERATOR, subject: id, ...deed });
    return apiKeyOf(kept);
  }
  function* renew({ from, overlapMs, ...key }: KeyRenewal, now: number): SqlTask<ApiKey> {
    const row = yield* selectKey.first({ id: from });
    if (row === undefined) throw noSuchKey();
    const known = yield* selectKey.first({ id: key.id });
    if (known !== undefined && row.renewed_by === key.id) return apiKeyOf(known); // the answer to the first commit was lost
    if (row.renewed_by !== null || !isAlive(row, now)) throw cannotRenew(row);
    const { member, label, scopes, createdAt, expiresAt } = apiKeyOf(row);
    const newEnd = expiresAt === undefined ? {} : { expiresAt: now + (expiresAt - createdAt) };
    const details = { member, renews: from, overlap_s: overlapMs / 1_000 };
    const next = { ...key, member, ...present({ label, scopes }), ...newEnd };
    const expires_at = Math.min(row.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs);
    const end = sql.updateTable('api_key').set({ expires_at, renewed_by: key.id });
    yield* run(store, end.where('id', '=', from));
    return yield* add(next, { action: 'key.renew', details }, now);
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
    renew: (renewal, now) => store.durably(() => renew(renewal, now)),
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
    ...present({ scopes: parsed<readonly ApiScope[]>(row.scopes), expiresAt: row.expires_at }),
    ...present({ renewedBy: row.renewed_by }),
  };
}

function isAlive(row: Selectable<ApiKeyTable>, now: number): boolean {
  return row.revoked_at === null && (row.expires_at === null || row.expires_at > now);
}

function noSuchKey(): RegistryError {
  return new RegistryError('not_found', 'there is no such API key', {
    hint: 'give the id, ark_ and 16 characters; agent-registry keys list shows it',
  });
}

function cannotRenew({ id, member, renewed_by }: Selectable<ApiKeyTable>): RegistryError {
  const why = renewed_by === null ? 'is revoked or has ended' : `has a successor, ${renewed_by}`;
  return new RegistryError('input_invalid', `the API key ${id} ${why}`, {
    hint: `renew the newest one, or make another: agent-registry keys create --member ${member}`,
  });
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
