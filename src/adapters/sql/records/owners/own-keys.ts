import type { KeyActor } from '../../../../ports/actor.ts';
import type { ApiKey, ApiKeyStore, OwnKeyOutcome, WantedOwnKey } from '../../../../ports/members.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, sql } from '../../statements.ts';
import { apiKeyOf, createActingKey, type KeyRows, scopesOf } from './key-rows.ts';

/** What a member does with its keys by one of them. A key makes none that may do more, or for longer, than itself. */
export function createOwnKeys(
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
      ...{ id, hash, member: actor.member },
      ...(label !== undefined && { label }),
      ...(scopes !== undefined && { scopes }),
      ...(end < Number.POSITIVE_INFINITY && { expiresAt: end }),
    };
    return { ok: true, key: yield* rows.create(key, actor, now) };
  }
  function* revoke(id: string, actor: KeyActor, now: number): SqlTask<ApiKey | 'key_revoked' | undefined> {
    const row = yield* rows.byId(id);
    const isOwn = row?.member === actor.member;
    if (isOwn && id === actor.keyId && row.revoked_at !== null) return apiKeyOf(row); // as in `create`
    if ((yield* actingKey(actor, now)) === undefined) return 'key_revoked';
    return isOwn ? yield* rows.revoke(id, actor, now) : undefined;
  }
  return {
    listOwn: (member, { over }, now) =>
      store.read(function* () {
        const alive = yield* all(store, aliveKeys(member, now).orderBy('created_at', 'desc').orderBy('id'));
        const others = overKeys(member, now).orderBy('created_at', 'desc').orderBy('id').limit(over);
        return [...alive, ...(yield* all(store, others))].map(apiKeyOf);
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
