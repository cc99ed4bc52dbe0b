import type { Actor, KeyActor } from '../../domain/actor.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { Challenge, ProofWay } from '../../domain/ownership.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import { markOneDirty } from '../agents/documents.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { beginClock } from '../runs/run-clock.ts';
import { agentSettingsOf, createAgentSettings } from './agent-settings.ts';
import { audit, createAuditLog, OPERATOR, recordedDetails } from './audit.ts';
import { beginChange } from './checks.ts';
import { ageProofs, endOwnership, endProofs, ownerOf } from './proven-owner.ts';
import {
  addAndLockAgent,
  endPending,
  pendingOf,
  type RegisteredPage,
  readRegistered,
  writeRegistration,
} from './registrations.ts';

/* How a member becomes the owner of an agent, and how its ownership ends. */

interface Proof {
  readonly agent: string;
  readonly member: string;
  /** The token that was found. */
  readonly token: string;
  readonly via: ProofWay;
  /** Absent: the operator, for the member. */
  readonly actor?: KeyActor;
}

/** A site that a member may have proven to control. */
interface ProvenSite {
  /** A registrable domain. */
  readonly site: string;
  /** The hash of the invitation for this domain, after a member has joined with it. */
  readonly joinHash: string;
}

/**
 * Who owns an agent, and what owners decide. Each change is one durable transaction with its audit record, and marks an
 * agent dirty where its document may change.
 */
export function createOwnerStore(database: RecordsDatabase) {
  return {
    /**
     * The open challenge for an agent that is registered, or pending for the member, else this one. Rejects with
     * `not_found` for another agent.
     */
    challenge: (wanted: Challenge, now: number) =>
      database.durably(async (db) => {
        const operator = { ...OPERATOR, member: wanted.member };
        await beginChange(db, wanted.agent, operator, now);
        return openChallenge(db, wanted, operator, now);
      }),
    /** The same for a member, by one of its keys. */
    challengeByKey: (wanted: Challenge, actor: KeyActor, now: number) =>
      database.durably(
        async (db) =>
          (await beginChange(db, wanted.agent, actor, now)) ?? openChallenge(db, wanted, actor, now),
      ),
    /** The member's last challenge that was not used, expired or not. */
    challengeOf: (agent: string, member: string) => database.read((db) => findChallenge(db, agent, member)),
    /**
     * Makes the member the owner. A previous owner loses the agent, with its registration and the details that it gave,
     * and every challenge for the agent ends. Pending details count from now on. The agent is due for a test at once.
     * `no_challenge`: the text is not that of the member's open challenge.
     */
    prove: (proof: Proof, now: number) => database.durably((db) => prove(db, proof, now)),
    /** The proven owner; undefined for an agent that is not registered, or registered without proof. */
    owner: (agent: string) => database.read((db) => ownerOf(db, agent)),
    /** Whether a member has proven control of a registrable domain: by joining with it, or by an agent below it. */
    ownsSite: (member: string, site: ProvenSite) => database.read((db) => ownsSite(db, member, site)),
    /**
     * Ages proofs: requests a new proof after 180 days (`agent.proof_asked`), and ends the ownership if none arrives
     * within 30 days (`agent.proof_ended`). Handles some at a time; returns how many, 0 at the end.
     */
    ageProofs: (now: number) => ageProofs(database, now),
    /** Ends a member's ownership; the registration stays, unproven. False: the member was not the owner. */
    disown: (agent: string, member: string, now: number) =>
      database.durably((db) => disown(db, agent, member, now)),
    /**
     * Ends a registration, proven or pending; an agent without any declaration has its grace period.
     */
    unregister: (agent: string, member: string, now: number, actor?: KeyActor) =>
      database.durably((db) => unregister(db, agent, member, now, actor)),
    /** Registered agents by URL, or a member's with those that are pending for it; `limit` of them after one. */
    registered: (page: RegisteredPage) => database.read((db) => readRegistered(db, page)),
    ...createAgentSettings(database),
    ...createAuditLog(database),
  };
}

export type OwnerStore = ReturnType<typeof createOwnerStore>;

async function openChallenge(db: Db, wanted: Challenge, actor: Actor, now: number): Promise<Challenge> {
  const { agent, member, token, expiresAt: expires_at } = wanted;
  const pending = await pendingOf(db, agent, member);
  if (pending === undefined && (await registeredTo(db, agent)) === undefined)
    throw notRegistered(agent, member);
  const open = await findChallenge(db, agent, member);
  if (open !== undefined && open.expiresAt > now) return open;
  const added = await db
    .insertInto('ownership_challenge')
    .values({ agent, member, token, expires_at })
    .onConflict((same) =>
      same
        .columns(['agent', 'member'])
        .doUpdateSet({ token, expires_at })
        .where('ownership_challenge.expires_at', '<=', now),
    )
    .returning('token')
    .executeTakeFirst();
  // an unknown agent has no row to lock, so another command of an operator may have come first
  if (added === undefined) return (await findChallenge(db, agent, member)) ?? wanted;
  await audit(db, { at: now, actor, action: 'agent.challenge', subject: agent });
  return wanted;
}

function notRegistered(agent: string, member: string): RegistryError {
  return new RegistryError('not_found', `${agent} is not registered`, {
    hint: `register it first: agent-registry agents register ${shellWord(agent)} --member ${member}`,
  });
}

async function findChallenge(db: Db, agent: string, member: string): Promise<Challenge | undefined> {
  const row = await db
    .selectFrom('ownership_challenge')
    .selectAll()
    .where('agent', '=', agent)
    .where('member', '=', member)
    .executeTakeFirst();
  return row && { agent, member, token: row.token, expiresAt: row.expires_at };
}

async function registeredTo(db: Db, agent: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('registration')
    .select('member')
    .where('agent', '=', agent)
    .executeTakeFirst();
  return row?.member;
}

async function prove(
  db: Db,
  { agent, member, token, via, actor }: Proof,
  now: number,
): Promise<'proven' | 'no_challenge' | 'key_revoked'> {
  const by = actor ?? { ...OPERATOR, member };
  const refusal = await beginChange(db, agent, by, now);
  if (refusal !== undefined) return refusal;
  const pending = await pendingOf(db, agent, member);
  if (pending !== undefined) await addAndLockAgent(db, agent, now);
  const previous = await ownerOf(db, agent);
  // repeated, because the answer to the first commit was lost
  if (previous?.member === member && previous.provenAt === now && previous.via === via) return 'proven';
  const open = await findChallenge(db, agent, member);
  if (open === undefined || open.token !== token || open.expiresAt <= now) return 'no_challenge';

  await endProofs(db, agent, member);
  const registered = await registeredTo(db, agent);
  if (pending !== undefined) {
    await writeRegistration(db, pending, now);
    await endPending(db, agent, member);
  } else if (registered !== member) {
    await handOver(db, agent, member);
  }
  await db
    .updateTable('registration')
    .set({ proven_at: now, via })
    .where('agent', '=', agent)
    .where('member', '=', member)
    .execute();
  const isOtherOwner = previous?.member !== member;
  const settings = await agentSettingsOf(db, agent);
  await beginClock(db, agent, { settings, isOtherOwner, isByKey: actor !== undefined }, now);
  await markOneDirty(db, agent, now);
  await audit(db, {
    at: now,
    actor: by,
    action: 'agent.prove',
    subject: agent,
    details: {
      via,
      registered_to: registered ?? null,
      ...(isOtherOwner && { previous_owner: previous?.member ?? null }),
    },
  });
  return 'proven';
}

/** Deletes the details that the previous member gave of the agent, which would be shown as those of the new owner. */
async function handOver(db: Db, agent: string, member: string): Promise<void> {
  await db
    .updateTable('registration')
    .set({ member, type: null, name: null, description: null, contact: null })
    .where('agent', '=', agent)
    .execute();
}

/** Whether the member joined with this site, or owns an agent on it. */
async function ownsSite(db: Db, member: string, { site, joinHash }: ProvenSite): Promise<boolean> {
  const joined = await db
    .selectFrom('invitation')
    .select('hash')
    .where('hash', '=', joinHash)
    .where('used_by', '=', member)
    .executeTakeFirst();
  if (joined !== undefined) return true;
  const proven = await db
    .selectFrom('registration')
    .select('agent')
    .where('member', '=', member)
    .where('proven_at', 'is not', null)
    .execute();
  return proven.some(({ agent }) => registrableDomainOf(agent) === site);
}

async function disown(db: Db, agent: string, member: string, now: number): Promise<boolean> {
  const actor = { ...OPERATOR, member };
  await beginChange(db, agent, actor, now);
  const action = { at: now, actor, action: 'agent.disown', subject: agent };
  if ((await ownerOf(db, agent))?.member !== member)
    return (await recordedDetails(db, action))?.member === member;
  await endOwnership(db, agent, now);
  await audit(db, action);
  return true;
}

async function unregister(
  db: Db,
  agent: string,
  member: string,
  now: number,
  actor?: KeyActor,
): Promise<'unregistered' | 'not_registered' | 'key_revoked'> {
  const by = actor ?? { ...OPERATOR, member };
  const refusal = await beginChange(db, agent, by, now);
  if (refusal !== undefined) return refusal;
  const action = { at: now, actor: by, action: 'agent.unregister', subject: agent };
  const wasPending = await endPending(db, agent, member);
  const wasRegistered = (await registeredTo(db, agent)) === member;
  if (!wasRegistered && !wasPending) {
    const isRepeated = (await recordedDetails(db, action))?.member === member;
    return isRepeated ? 'unregistered' : 'not_registered';
  }
  if (wasRegistered) {
    await endOwnership(db, agent, now);
    await db.deleteFrom('registration').where('agent', '=', agent).execute();
    await beginGrace(db, agent, now);
  } else {
    await db
      .deleteFrom('ownership_challenge')
      .where('agent', '=', agent)
      .where('member', '=', member)
      .execute();
  }
  await audit(db, action);
  return 'unregistered';
}

/** An agent that no publisher declares stays listed for its grace period. */
async function beginGrace(db: Db, agent: string, now: number): Promise<void> {
  await db
    .updateTable('agent')
    .set({ declaration_ended_at: now })
    .where('agent', '=', agent)
    .where('authorisation_count', '=', 0)
    .where('mention_count', '=', 0)
    .execute();
}
