import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { Challenge } from '../../domain/ownership.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import type { Actor, KeyActor } from '../../ports/actor.ts';
import type { OwnerStore, Proof, ProvenSite } from '../../ports/owners.ts';
import { markOneDirty } from '../agents/stitched-documents.ts';
import { lockShared } from '../locks.ts';
import { beginClock } from '../runs/run-clock.ts';
import { createKnownSources } from '../sources/known-sources.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';
import { createAccessLog } from './access-log.ts';
import { agentSettingsOf, createAgentSettings } from './agent-settings.ts';
import { auditDeed, createAuditLog, OPERATOR } from './audit.ts';
import { requireMember } from './member-store.ts';
import { createOwnerStatements } from './owner-statements.ts';
import { endPending, pendingOf } from './pending.ts';
import {
  createAgentLock,
  createProofAges,
  endOwnership,
  endProofs,
  isKeyValid,
  ownerOf,
  registrationsWithProof,
} from './proven-owner.ts';
import { createRegisteredAgents } from './registered-agents.ts';
import { createRegisteredWriter } from './registrations.ts';
import { createCredentialSeals, createTestCredentials } from './test-credentials.ts';

/** Who owns an agent, proven by its domain, and what owners decide. */
export function createOwnerStore(store: SqlStore): OwnerStore {
  const lockAgent = createAgentLock(store);
  const writeRegistered = createRegisteredWriter(store);
  const known = createKnownSources(store);

  function* challenge(wanted: Challenge, now: number, actor?: KeyActor): SqlTask<Challenge> {
    const { agent, member, token, expiresAt } = wanted;
    yield* requireMember(store, member);
    yield* lockAgent(agent);
    const pending = yield* pendingOf(store, agent, member);
    if (pending === undefined && (yield* registeredTo(store, agent)) === undefined)
      throw notRegistered(agent, member);
    const open = yield* findChallenge(store, agent, member);
    if (open !== undefined && open.expiresAt > now) return open;
    const row = { token, expires_at: expiresAt };
    const put = sql.insertInto('ownership_challenge').values({ agent, member, ...row });
    const renewed = put.onConflict((same) =>
      same.columns(['agent', 'member']).doUpdateSet(row).where('ownership_challenge.expires_at', '<=', now),
    );
    // of an agent never heard of there is nothing to lock: another request of the member may have come first
    if ((yield* run(store, renewed)) === 0) return (yield* findChallenge(store, agent, member)) ?? wanted;
    yield* audited('agent.challenge', agent, actor ?? { ...OPERATOR, member }, now);
    return wanted;
  }
  function* prove({ agent, member, token, via, actor }: Proof, now: number): SqlTask<boolean> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    if (actor !== undefined && !(yield* isKeyValid(store, actor.keyId, now))) return false;
    const pending = yield* pendingOf(store, agent, member);
    if (pending !== undefined) yield* known.addAgents([{ agent, now, trace: null }]); // there is nothing to lock of one never heard of
    yield* lockAgent(agent);
    const previous = yield* ownerOf(store, agent);
    // done again, as the answer to the first commit was lost
    if (previous?.member === member && previous.provenAt === now && previous.via === via) return true;
    const open = yield* findChallenge(store, agent, member);
    if (open === undefined || open.token !== token || open.expiresAt <= now) return false;
    yield* endProofs(store, agent, member);
    yield* run(store, sql.insertInto('ownership').values({ agent, member, proven_at: now, via }));
    const registered = yield* registeredTo(store, agent);
    if (pending !== undefined) {
      yield* writeRegistered(pending, now);
      yield* endPending(store, agent, member);
    } else if (registered !== member) yield* handOver(store, agent, member);
    const isOtherOwner = previous?.member !== member;
    const settings = yield* agentSettingsOf(store, agent);
    yield* beginClock(store, agent, { settings, isOtherOwner, isByKey: actor !== undefined }, now);
    yield* markOneDirty(store, agent, now);
    const from = previous?.member === member ? {} : { previous_owner: previous?.member ?? null };
    const details = { via, registered_to: registered ?? null, ...from };
    yield* audited('agent.prove', agent, actor ?? { ...OPERATOR, member }, now, details);
    return true;
  }
  function* disown(agent: string, member: string, now: number): SqlTask<boolean> {
    yield* lockAgent(agent);
    if ((yield* ownerOf(store, agent))?.member !== member) return false;
    yield* endOwnership(store, agent, now);
    yield* audited('agent.disown', agent, { ...OPERATOR, member }, now);
    return true;
  }
  function* unregister(agent: string, member: string, now: number, actor?: KeyActor): SqlTask<boolean> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned before it has had its grace
    if (actor !== undefined && !(yield* isKeyValid(store, actor.keyId, now))) return false;
    yield* lockAgent(agent);
    const wasPending = yield* endPending(store, agent, member);
    const those = sql.deleteFrom('registration').where('agent', '=', agent).where('member', '=', member);
    const wasRegistered = (yield* run(store, those)) > 0;
    if (!wasRegistered && !wasPending) return false;
    if (wasRegistered) {
      yield* endOwnership(store, agent, now);
      yield* beginGrace(store, agent, now);
    } else yield* endChallenge(store, agent, member);
    yield* audited('agent.unregister', agent, actor ?? { ...OPERATOR, member }, now);
    return true;
  }
  const audited = (action: string, subject: string, actor: Actor, at: number, details = {}) =>
    auditDeed(store, { at, actor, action, subject, details });
  function* ownsSite(member: string, { site, joinHash }: ProvenSite): SqlTask<boolean> {
    const joined = sql
      .selectFrom('invitation')
      .select('hash')
      .where('hash', '=', joinHash)
      .where('used_by', '=', member);
    if ((yield* first(store, joined)) !== undefined) return true;
    const proven = registrationsWithProof()
      .select('registration.agent')
      .where('registration.member', '=', member)
      .where('ownership.proven_at', 'is not', null);
    return (yield* all(store, proven)).some(({ agent }) => registrableDomainOf(agent) === site);
  }
  return {
    challenge: (wanted, now, actor) => store.durably(() => challenge(wanted, now, actor)),
    challengeOf: (agent, member) => store.read(() => findChallenge(store, agent, member)),
    prove: (proof, now) => store.durably(() => prove(proof, now)),
    owner: (agent) => store.read(() => ownerOf(store, agent)),
    ownsSite: (member, site) => store.read(() => ownsSite(member, site)),
    disown: (agent, member, now) => store.durably(() => disown(agent, member, now)),
    unregister: (agent, member, now, actor) => store.durably(() => unregister(agent, member, now, actor)),
    ...createProofAges(store),
    ...createRegisteredAgents(store),
    ...createAgentSettings(store),
    ...createTestCredentials(store),
    ...createCredentialSeals(store),
    ...createOwnerStatements(store),
    ...createAccessLog(store),
    ...createAuditLog(store),
  };
}

function* findChallenge(store: SqlStore, agent: string, member: string): SqlTask<Challenge | undefined> {
  const challenges = sql.selectFrom('ownership_challenge').selectAll().where('agent', '=', agent);
  const row = yield* first(store, challenges.where('member', '=', member));
  return row && { agent, member, token: row.token, expiresAt: row.expires_at };
}

function* endChallenge(store: SqlStore, agent: string, member: string): SqlTask<void> {
  const those = sql.deleteFrom('ownership_challenge').where('agent', '=', agent);
  yield* run(store, those.where('member', '=', member));
}

function* registeredTo(store: SqlStore, agent: string): SqlTask<string | undefined> {
  const registration = sql.selectFrom('registration').select('member').where('agent', '=', agent);
  return (yield* first(store, registration))?.member;
}

/** What the member before said of the agent goes with it: it would be shown as the new owner's words. */
function* handOver(store: SqlStore, agent: string, member: string): SqlTask<void> {
  const unsaid = { type: null, name: null, description: null, contact: null };
  yield* run(
    store,
    sql
      .updateTable('registration')
      .set({ member, ...unsaid })
      .where('agent', '=', agent),
  );
}

function* beginGrace(store: SqlStore, agent: string, now: number): SqlTask<void> {
  const undeclared = sql.updateTable('agent').set({ declaration_ended_at: now }).where('agent', '=', agent);
  yield* run(store, undeclared.where('authorisation_count', '=', 0).where('mention_count', '=', 0));
}

function notRegistered(agent: string, member: string): RegistryError {
  return new RegistryError('not_found', `${agent} is not registered`, {
    hint: `register it first: agent-registry agents register ${shellWord(agent)} --member ${member}`,
  });
}
