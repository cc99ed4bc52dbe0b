import { present } from '../../base/json.ts';
import { RegistryError } from '../../errors.ts';
import type { KeyActor } from '../../ports/actor.ts';
import type {
  ApiKey,
  ApiKeyStore,
  KeyRenewal,
  OwnKey,
  OwnKeyOutcome,
  RevokedKey,
  WantedOwnKey,
} from '../../ports/members.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, type Param, prepare, run, sql } from '../statements.ts';
import { OPERATOR } from './audit.ts';
import {
  type ApiKeyRow,
  apiKeyOf,
  createActingKey,
  createKeyRows,
  createMemberLock,
  isAlive,
  type KeyRows,
  scopesOf,
} from './key-rows.ts';
import { requireMember } from './member-store.ts';

const DAY_MS = 86_400_000;

/** API keys of members; of a key itself only the hash is kept. */
export function createApiKeyStore(store: SqlStore): ApiKeyStore {
  const rows = createKeyRows(store);
  const lockMember = createMemberLock(store);
  const noteDay = prepare(store, dayOfUse);

  function* renew({ from, overlapMs, ...key }: KeyRenewal, now: number): SqlTask<ApiKey> {
    yield* lockMember((yield* rows.byId(from))?.member ?? '');
    const row = yield* rows.byId(from);
    if (row === undefined) throw noSuchKey();
    const known = yield* rows.byId(key.id);
    if (known !== undefined && row.renewed_by === key.id) return apiKeyOf(known); // the answer to the first commit was lost
    if (row.renewed_by !== null || !isAlive(row, now)) throw cannotRenew(row);
    const { member, label, scopes, createdAt, expiresAt, madeBy } = apiKeyOf(row);
    const newEnd = expiresAt === undefined ? {} : { expiresAt: now + (expiresAt - createdAt) };
    const details = { member, renews: from, overlap_s: overlapMs / 1_000 };
    const next = { ...key, member, ...present({ label, scopes, madeBy }), ...newEnd };
    const expires_at = Math.min(row.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs);
    const end = sql.updateTable('api_key').set({ expires_at, renewed_by: key.id });
    yield* run(store, end.where('id', '=', from));
    return yield* rows.add(next, { actor: OPERATOR, action: 'key.renew', details }, now);
  }
  return {
    create: (key, now) =>
      store.durably(function* () {
        yield* requireMember(store, key.member);
        return yield* rows.create(key, OPERATOR, now);
      }),
    renew: (renewal, now) => store.durably(() => renew(renewal, now)),
    async list(member) {
      const keys = sql.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id');
      const wanted = member === undefined ? keys : keys.where('member', '=', member);
      return (await store.read(() => all(store, wanted))).map(apiKeyOf);
    },
    revoke: (id, now) => store.durably(() => rows.revoke(id, OPERATOR, now)),
    ...createOwnKeys(store, rows),
    async find(id) {
      const row = await store.read(() => rows.byId(id));
      return row && { ...apiKeyOf(row), hash: row.hash };
    },
    async noteUse(id, now) {
      await store.transaction(() => noteDay.run({ id, now, yesterday: now - DAY_MS }));
    },
  };
}

function noSuchKey(): RegistryError {
  return new RegistryError('not_found', 'unknown API key', {
    hint: 'give the id (ark_ and 16 characters) from agent-registry keys list',
  });
}

function cannotRenew({ id, member, renewed_by }: ApiKeyRow): RegistryError {
  const why = renewed_by === null ? 'is revoked or expired' : `was already renewed as ${renewed_by}`;
  return new RegistryError('input_invalid', `the API key ${id} ${why}`, {
    hint: `renew the newest key, or create another: agent-registry keys create --member ${member}`,
  });
}

function dayOfUse(param: Param<{ id: string; now: number; yesterday: number }>) {
  return sql
    .updateTable('api_key')
    .set({ last_used_at: param('now') })
    .where('id', '=', param('id'))
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', param('yesterday'))]));
}

/**
 * What a member does with its keys by one of them. A key makes none that may do more, or for longer, than itself, and
 * revokes those alone that it manages.
 */
function createOwnKeys(
  store: SqlStore,
  rows: KeyRows,
): Pick<ApiKeyStore, 'listOwn' | 'createOwn' | 'revokeOwn'> {
  const actingKey = createActingKey(store);
  function* create({ actor, most, ...wanted }: WantedOwnKey, now: number): SqlTask<OwnKeyOutcome> {
    const maker = yield* actingKey(actor, now);
    const known = yield* rows.byId(wanted.id);
    if (known?.hash === wanted.hash) return { ok: true, key: apiKeyOf(known) }; // the answer to the first commit was lost
    if (maker === undefined) return { ok: false, reason: 'key_revoked' };
    const its = scopesOf(maker);
    const scopes = wanted.scopes ?? its;
    if (its !== undefined && !scopes?.every((scope) => its.includes(scope)))
      return { ok: false, reason: 'more_scopes' };
    const alive = yield* all(store, aliveKeys(actor.member, now).limit(most));
    if (alive.length >= most) return { ok: false, reason: 'too_many' };
    const end = Math.min(...[wanted.expiresAt, maker.expires_at].map((at) => at ?? Number.POSITIVE_INFINITY));
    const { id, hash, label } = wanted;
    const key = {
      ...{ id, hash, member: actor.member, madeBy: actor.keyId },
      ...(label !== undefined && { label }),
      ...(scopes !== undefined && { scopes }),
      ...(end < Number.POSITIVE_INFINITY && { expiresAt: end }),
    };
    return { ok: true, key: yield* rows.create(key, actor, now) };
  }
  function* revoke(
    id: string,
    actor: KeyActor,
    now: number,
  ): SqlTask<RevokedKey | 'key_revoked' | 'not_key_maker' | undefined> {
    const row = yield* rows.byId(id);
    const isOwn = row?.member === actor.member;
    if (isOwn && id === actor.keyId && row.revoked_at !== null) return yield* rows.revoke(id, actor, now); // as in `create`
    if ((yield* actingKey(actor, now)) === undefined) return 'key_revoked';
    if (!isOwn) return undefined;
    const managed = yield* rows.managedBy(actor.keyId);
    if (!managed.some((one) => one.id === id)) return 'not_key_maker';
    return yield* rows.revoke(id, actor, now);
  }
  return {
    listOwn: ({ member, keyId }, { over }, now) =>
      store.read(function* () {
        const alive = yield* all(store, aliveKeys(member, now).orderBy('created_at', 'desc').orderBy('id'));
        const others = overKeys(member, now).orderBy('created_at', 'desc').orderBy('id').limit(over);
        const managed = new Set((yield* rows.managedBy(keyId)).map(({ id }) => id));
        const listed = [...alive, ...(yield* all(store, others))];
        return listed.map((row): OwnKey => ({ ...apiKeyOf(row), isManaged: managed.has(row.id) }));
      }),
    createOwn: (wanted, now) => store.durably(() => create(wanted, now)),
    revokeOwn: (id, actor, now) => store.durably(() => revoke(id, actor, now)),
  };
}

function aliveKeys(member: string, now: number) {
  return sql
    .selectFrom('api_key')
    .selectAll()
    .where('member', '=', member)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]));
}

function overKeys(member: string, now: number) {
  return sql
    .selectFrom('api_key')
    .selectAll()
    .where('member', '=', member)
    .where((row) => row.or([row('revoked_at', 'is not', null), row('expires_at', '<=', now)]));
}
