import type { Actor } from '../../../../ports/owners.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';

import { isKeyValid } from './api-key-store.ts';
import { ownerOf } from './proven-owner.ts';

/**
 * Why an actor may not do what only owners and operators do: a key has to be valid, a member the proven owner. Whoever
 * merely signed a message is no owner here. Undefined when it may; inside the caller's transaction.
 */
export function* whyNot(
  store: SqlStore,
  agent: string,
  actor: Actor,
): SqlTask<'key_revoked' | 'not_owner' | undefined> {
  if (actor.kind === 'signature') return 'not_owner';
  if (actor.kind === 'key' && !(yield* isKeyValid(store, actor.keyId))) return 'key_revoked';
  if (actor.member === undefined) return undefined;
  return (yield* ownerOf(store, agent))?.member === actor.member ? undefined : 'not_owner';
}
