import { present } from '../../../../base/present.ts';
import type { Owner } from '../../../../domain/ownership.ts';
import type { Actor } from '../../../../ports/owners.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { first, type Param, prepare, sql } from '../../statements.ts';

/** The member that an agent is registered to, if it has proven control of the agent's domain. */
export function* ownerOf(store: SqlStore, agent: string): SqlTask<Owner | undefined> {
  const proven = sql
    .selectFrom('registration')
    .innerJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    )
    .select(['ownership.member', 'ownership.proven_at', 'ownership.via'])
    .where('registration.agent', '=', agent);
  const row = yield* first(store, proven);
  return row && { member: row.member, provenAt: row.proven_at, ...present({ via: row.via }) };
}

/** Keeps others from changing whose an agent is, or its settings, until the transaction ends. */
export function createAgentLock(store: SqlStore): (agent: string) => SqlTask<void> {
  const select = prepare(store, (param: Param<{ agent: string }>) =>
    sql.selectFrom('agent').select('agent').where('agent', '=', param('agent')).forUpdate(),
  );
  return function* (agent) {
    yield* select.first({ agent });
  };
}

/**
 * Why an actor may not do what only owners and operators do: a key has to be valid, a member the proven owner. Whoever
 * merely signed a message is no owner here. Undefined when it may; inside the caller's transaction.
 */
export function* refusalToAct(
  store: SqlStore,
  agent: string,
  actor: Actor,
): SqlTask<'key_revoked' | 'not_owner' | undefined> {
  if (actor.kind === 'signature') return 'not_owner';
  if (actor.kind === 'key' && !(yield* isKeyValid(store, actor.keyId))) return 'key_revoked';
  if (actor.member === undefined) return undefined;
  return (yield* ownerOf(store, agent))?.member === actor.member ? undefined : 'not_owner';
}

/** Whether a key may still be used. Reads within the transaction of the caller. */
function* isKeyValid(store: SqlStore, id: string): SqlTask<boolean> {
  const valid = sql.selectFrom('api_key').select('id').where('id', '=', id).where('revoked_at', 'is', null);
  return (yield* first(store, valid)) !== undefined;
}
