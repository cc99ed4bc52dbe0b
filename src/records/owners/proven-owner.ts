import { present } from '../../base/json.ts';
import { type Owner, PROOF_GRACE_MS, PROOF_MS } from '../../domain/ownership.ts';
import type { Actor } from '../../ports/actor.ts';
import type { OwnerStore } from '../../ports/owners.ts';
import { markOneDirty } from '../agents/documents.ts';
import { endClock } from '../runs/run-clock.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { first, type Param, prepare, run, sql } from '../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { isAlive } from './key-rows.ts';

/** Agents as they are registered, each with the proof of that very member where there is one: an older proof is nobody's. */
export function registrationsWithProof() {
  return sql
    .selectFrom('registration')
    .leftJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    );
}

/** The member that an agent is registered to, if it has proven control of the agent's domain. */
export function* ownerOf(store: SqlStore, agent: string): SqlTask<Owner | undefined> {
  const registered = registrationsWithProof()
    .select(['registration.member', 'ownership.proven_at', 'ownership.via', 'ownership.asked_again_at'])
    .where('registration.agent', '=', agent);
  const row = yield* first(store, registered);
  if (row === undefined || row.proven_at === null) return undefined;
  const more = present({ via: row.via, askedAgainAt: row.asked_again_at });
  return { member: row.member, provenAt: row.proven_at, ...more };
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
 * A text that is left over on the domain must not win an agent back: each claim needs a fresh one. What was stored to
 * test it with, or said of its tests, stays only when it is the next owner's own.
 */
export function* endProofs(store: SqlStore, agent: string, next?: string): SqlTask<void> {
  const others = sql.selectFrom('ownership').select('agent').where('agent', '=', agent);
  const setup = sql.updateTable('agent_settings').set({ test_setup: null });
  const ended = next === undefined ? others : others.where('member', '<>', next);
  yield* run(store, setup.where('agent', 'in', ended));
  yield* run(store, sql.deleteFrom('ownership').where('agent', '=', agent));
  yield* run(store, sql.deleteFrom('ownership_challenge').where('agent', '=', agent));
  for (const table of ['test_credential', 'owner_statement'] as const) {
    const stored = sql.deleteFrom(table).where('agent', '=', agent);
    yield* run(store, next === undefined ? stored : stored.where('member', '<>', next));
  }
}

/** Ends an ownership with all that it gave: runs, the test credential, reading and badges. */
export function* endOwnership(store: SqlStore, agent: string, now: number): SqlTask<void> {
  yield* endProofs(store, agent);
  yield* endClock(store, agent, now);
  yield* call((db) => markOneDirty(db, agent, now));
}

/**
 * What time does to a proof, inside the caller's transaction: an old one is asked for again, and one that was asked for
 * in vain ends the ownership. Asking that lies ahead is of a clock that was put back, and begins anew.
 */
function* ageProof(store: SqlStore, agent: string, now: number): SqlTask<void> {
  const owner = yield* ownerOf(store, agent);
  if (owner === undefined || owner.provenAt > now - PROOF_MS) return;
  const { member, provenAt, askedAgainAt } = owner;
  const deed = { at: now, actor: { ...OPERATOR, member }, subject: agent };
  const details = { proven_at: provenAt };
  if (askedAgainAt === undefined || askedAgainAt > now) {
    const asked = sql.updateTable('ownership').set({ asked_again_at: now }).where('agent', '=', agent);
    yield* run(store, asked.where('member', '=', member));
    yield* auditDeed(store, { ...deed, action: 'agent.proof_asked', details });
  } else if (askedAgainAt <= now - PROOF_GRACE_MS) {
    yield* endOwnership(store, agent, now);
    yield* auditDeed(store, { ...deed, action: 'agent.proof_ended', details });
  }
}

/** Of one transaction. */
const MAX_AGED = 200;

/** The same for all agents, some at a time and in one order. */
export function createProofAges(store: SqlStore): Pick<OwnerStore, 'ageProofs'> {
  const lockAgent = createAgentLock(store);
  const select = prepare(store, oldProofs);
  function* age(agents: readonly string[], now: number): SqlTask<void> {
    for (const agent of agents) {
      yield* lockAgent(agent);
      yield* ageProof(store, agent, now);
    }
  }
  return {
    async ageProofs(now) {
      const ages = { now, provenBy: now - PROOF_MS, askedBy: now - PROOF_GRACE_MS };
      const agents = (await store.read(() => select.all(ages))).map(({ agent }) => agent);
      if (agents.length > 0) await store.durably(() => age(agents, now));
      return agents.length;
    },
  };
}

function oldProofs(param: Param<{ now: number; provenBy: number; askedBy: number }>) {
  return registrationsWithProof()
    .select('registration.agent')
    .where('proven_at', '<=', param('provenBy'))
    .where((row) =>
      row.or([
        row('asked_again_at', 'is', null),
        row('asked_again_at', '>', param('now')),
        row('asked_again_at', '<=', param('askedBy')),
      ]),
    )
    .orderBy('registration.agent')
    .limit(MAX_AGED);
}

/**
 * Why an actor may not do what only owners and operators do: a key has to be valid, a member the proven owner. Whoever
 * merely signed a message is no owner here. Undefined when it may; inside the caller's transaction. A proof that is too
 * old by now ends here.
 */
export function* refusalToAct(
  store: SqlStore,
  agent: string,
  actor: Actor,
  now: number,
): SqlTask<'key_revoked' | 'not_owner' | undefined> {
  if (actor.kind === 'signature') return 'not_owner';
  if (actor.kind === 'key' && !(yield* isKeyValid(store, actor.keyId, now))) return 'key_revoked';
  if (actor.member === undefined) return undefined;
  yield* ageProof(store, agent, now);
  return (yield* ownerOf(store, agent))?.member === actor.member ? undefined : 'not_owner';
}

/** Whether a key may still be used. Reads within the transaction of the caller. */
export function* isKeyValid(store: SqlStore, id: string, now: number): SqlTask<boolean> {
  const row = yield* first(store, sql.selectFrom('api_key').selectAll().where('id', '=', id));
  return row !== undefined && isAlive(row, now);
}
