import type { Selectable } from 'kysely';
import { nearestName } from '../../base/near-names.ts';
import type { Actor, KeyActor } from '../../domain/actor.ts';
import { RegistryError } from '../../errors.ts';
import type { Db } from '../database.ts';
import { lockShared } from '../locks.ts';
import type { ApiKeyTable } from '../tables.ts';

/*
 * The locks and checks with which changes of members, keys and agents begin. A lock holds until the transaction ends, and
 * the checks are repeated in the transaction of the change, since a key may be revoked after the request was accepted.
 */

export type ApiKeyRow = Selectable<ApiKeyTable>;

/** A mistyped member is compared with so many others. */
const MOST_ALIKE = 500;

/**
 * Begins a change of an agent. Locks the agent and the member that acts, so that everything read afterwards stays true
 * until the transaction ends: the key is valid, the member exists, and no other transaction changes the agent. Every change
 * takes these locks in this order: `contents`, the member, the agent.
 *
 * Throws `not_found` for a member that an operator names and that does not exist.
 */
export async function beginChange(
  db: Db,
  agent: string,
  actor: Actor,
  now: number,
): Promise<'key_revoked' | undefined> {
  await lockShared(db, 'contents'); // or the agent may be pruned meanwhile
  if (actor.kind === 'key' && (await findActingKey(db, actor, now)) === undefined) return 'key_revoked';
  if (actor.kind === 'operator' && actor.member !== undefined) await requireMember(db, actor.member);
  await lockAgent(db, agent);
  return undefined;
}

/**
 * Locks an agent: other transactions cannot change its owner or its settings. Locks nothing for an agent without a row,
 * which is pending for some member; `addAgents` adds the row.
 */
export async function lockAgent(db: Db, agent: string): Promise<void> {
  await db.selectFrom('agent').select('agent').where('agent', '=', agent).forUpdate().execute();
}

/**
 * Locks a member: other transactions cannot create, renew or revoke its keys. So no two count the same rows, and a key
 * that is being revoked creates no other.
 */
export async function lockMember(db: Db, member: string): Promise<void> {
  await db.selectFrom('member').select('slug').where('slug', '=', member).forUpdate().execute();
}

/** Throws `not_found` for an unknown member. A known one cannot be removed until the transaction ends. */
export async function requireMember(db: Db, slug: string): Promise<void> {
  const known = await db
    .selectFrom('member')
    .select('slug')
    .where('slug', '=', slug)
    .forKeyShare()
    .executeTakeFirst();
  if (known !== undefined) return;
  // members that begin with the same character are enough to find a mistyped one
  const alike = await db
    .selectFrom('member')
    .select('slug')
    .where('slug', '>=', slug.slice(0, 1))
    .orderBy('slug')
    .limit(MOST_ALIKE)
    .execute();
  const near = nearestName(
    slug,
    alike.map((member) => member.slug),
  );
  throw new RegistryError('not_found', `no member ${slug}`, {
    hint:
      near === undefined
        ? 'import it first with agent-registry members import FILE'
        : `did you mean ${near}?`,
  });
}

export function findKey(db: Db, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether a key is neither revoked nor expired. */
export function isValid(key: ApiKeyRow, now: number): boolean {
  return key.revoked_at === null && (key.expires_at === null || key.expires_at > now);
}

/** The key of the caller, locked against revocation. Undefined if it is not valid. */
export async function findActingKey(
  db: Db,
  { keyId, member }: KeyActor,
  now: number,
): Promise<ApiKeyRow | undefined> {
  await lockMember(db, member);
  const key = await findKey(db, keyId);
  return key?.member === member && isValid(key, now) ? key : undefined;
}
