import { present } from '../../base/json.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Owner, PROOF_GRACE_MS, PROOF_MS } from '../../domain/ownership.ts';
import { markOneDirty } from '../agents/documents.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { endClock } from '../runs/run-clock.ts';
import { audit, OPERATOR } from './audit.ts';
import { lockAgent } from './checks.ts';

/*
 * The owner of an agent is the member to whom it is registered, if that member has proven control of the agent's domain.
 * Proofs age: an old one is asked for again, and ends the ownership if it is not given.
 */

/** Old proofs handled in one call. */
const MAX_AGED = 200;

/** The columns of a registration without a proof. */
export const UNPROVEN = { proven_at: null, via: null, asked_again_at: null } as const;

/** The proven owner of an agent. */
export async function ownerOf(db: Db, agent: string): Promise<Owner | undefined> {
  const row = await db
    .selectFrom('registration')
    .select(['member', 'proven_at', 'via', 'asked_again_at'])
    .where('agent', '=', agent)
    .executeTakeFirst();
  if (row === undefined || row.proven_at === null || row.via === null) return undefined;
  const { member, proven_at: provenAt, via, asked_again_at: askedAgainAt } = row;
  return { member, provenAt, via, ...present({ askedAgainAt }) };
}

/**
 * Ends the proof and all challenges of an agent: a text that is left on the domain must not win the agent back. The test
 * setup, the credential and the statement are deleted too, except those of the next owner.
 */
export async function endProofs(db: Db, agent: string, next?: string): Promise<void> {
  const owner = await ownerOf(db, agent);
  if (owner !== undefined && owner.member !== next)
    await db.updateTable('agent_settings').set({ test_setup: null }).where('agent', '=', agent).execute();
  await db.updateTable('registration').set(UNPROVEN).where('agent', '=', agent).execute();
  await db.deleteFrom('ownership_challenge').where('agent', '=', agent).execute();
  for (const table of ['test_credential', 'owner_statement'] as const)
    await db
      .deleteFrom(table)
      .where('agent', '=', agent)
      .where('member', '<>', next ?? '') // no slug is empty
      .execute();
}

/** Ends an ownership with all that depends on it: runs, the test credential and badges. */
export async function endOwnership(db: Db, agent: string, now: number): Promise<void> {
  await endProofs(db, agent);
  await endClock(db, agent, now);
  await markOneDirty(db, agent, now);
}

/**
 * Whether an actor may do what only operators and the proven owner may, after `beginChange`. The signer of a message is no
 * owner. A new proof is requested for an old one here, or the ownership ends, as in `ageProofs`.
 */
export async function mayAct(db: Db, agent: string, actor: Actor, now: number): Promise<boolean> {
  if (actor.kind === 'signature') return false;
  if (actor.member === undefined) return true;
  await ageProof(db, agent, now);
  return (await ownerOf(db, agent))?.member === actor.member;
}

/**
 * Requests new proofs for old ones, and ends ownerships without one, each agent in a transaction of its own. Returns how
 * many agents it handled, 0 at the end.
 */
export async function ageProofs(database: RecordsDatabase, now: number): Promise<number> {
  const agents = await database.read((db) => agentsWithOldProof(db, now));
  for (const agent of agents)
    await database.durably(async (db) => {
      await lockAgent(db, agent);
      await ageProof(db, agent, now);
    });
  return agents.length;
}

async function agentsWithOldProof(db: Db, now: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('registration')
    .select('agent')
    .where('proven_at', '<=', now - PROOF_MS)
    .where((row) =>
      row.or([
        row('asked_again_at', 'is', null),
        row('asked_again_at', '>', now),
        row('asked_again_at', '<=', now - PROOF_GRACE_MS),
      ]),
    )
    .orderBy('agent')
    .limit(MAX_AGED)
    .execute();
  return rows.map(({ agent }) => agent);
}

async function ageProof(db: Db, agent: string, now: number): Promise<void> {
  const owner = await ownerOf(db, agent);
  if (owner === undefined || owner.provenAt > now - PROOF_MS) return;
  const { member, provenAt, askedAgainAt } = owner;
  const entry = {
    at: now,
    actor: { ...OPERATOR, member },
    subject: agent,
    details: { proven_at: provenAt },
  };
  // a time in the future was written before the clock was set back: the grace period begins anew
  if (askedAgainAt === undefined || askedAgainAt > now) {
    await db.updateTable('registration').set({ asked_again_at: now }).where('agent', '=', agent).execute();
    await audit(db, { ...entry, action: 'agent.proof_asked' });
  } else if (askedAgainAt <= now - PROOF_GRACE_MS) {
    await endOwnership(db, agent, now);
    await audit(db, { ...entry, action: 'agent.proof_ended' });
  }
}
