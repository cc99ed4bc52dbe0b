import { present } from '../../base/json.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import type { KeyActor } from '../../ports/actor.ts';
import type {
  AskedRegistration,
  MemberSaid,
  MemberStore,
  NewRegistration,
  OwnAgentOutcome,
  RegistrationChange,
} from '../../ports/members.ts';
import { markOneDirty } from '../agents/stitched-documents.ts';
import { lockShared } from '../locks.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { first, jsonOrNull, parsed, run, sql } from '../statements.ts';
import { auditDeed } from './audit.ts';
import { createAgentLock, isKeyValid, ownerOf } from './proven-owner.ts';

/**
 * What members do about their agents by their keys. An agent that a member has not proven to own is pending for it: that lists
 * nothing, changes no record and takes no agent from anybody, whatever the member says of it.
 */
export function createPendingRegistrations(
  store: SqlStore,
): Pick<MemberStore, 'askForAgent' | 'changeOwnAgent'> {
  const lockAgent = createAgentLock(store);

  function* ask({ registration, actor, most }: AskedRegistration, now: number): SqlTask<OwnAgentOutcome> {
    if (!(yield* isKeyValid(store, actor.keyId, now))) return 'key_revoked';
    const { agent, member } = registration;
    yield* lockAgent(agent);
    if ((yield* ownerOf(store, agent))?.member === member) return 'owned';
    const before = yield* pendingOf(store, agent, member);
    if (before === undefined && (yield* countOf(store, member)) >= most) return 'too_many';
    yield* keepPending(store, registration, now);
    yield* audited('agent.ask', actor, registration, now);
    return 'pending';
  }
  function* change(
    { agent, change: changed, actor }: RegistrationChange,
    now: number,
  ): SqlTask<OwnAgentOutcome> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    if (!(yield* isKeyValid(store, actor.keyId, now))) return 'key_revoked';
    const { member } = actor;
    yield* lockAgent(agent);
    const isOwned = (yield* ownerOf(store, agent))?.member === member;
    const before = isOwned
      ? yield* registrationOf(store, agent, member)
      : yield* pendingOf(store, agent, member);
    if (before === undefined) return 'unknown_agent';
    const registration = { ...before, ...changed };
    if (isOwned) {
      yield* changeRegistration(store, registration);
      yield* markOneDirty(store, agent, now);
    } else yield* keepPending(store, registration, now);
    yield* audited('agent.describe', actor, registration, now);
    return isOwned ? 'owned' : 'pending';
  }
  const audited = (
    action: string,
    actor: KeyActor,
    { agent, ...details }: AskedRegistration['registration'],
    at: number,
  ) => auditDeed(store, { at, actor, action, subject: agent, details });
  return {
    askForAgent: (asked, now) => store.durably(() => ask(asked, now)),
    changeOwnAgent: (asked, now) => store.durably(() => change(asked, now)),
  };
}

/** What a member says of an agent that is pending for it. */
export function* pendingOf(
  store: SqlStore,
  agent: string,
  member: string,
): SqlTask<NewRegistration | undefined> {
  return yield* readFrom(store, 'pending_registration', agent, member);
}

function registrationOf(
  store: SqlStore,
  agent: string,
  member: string,
): SqlTask<NewRegistration | undefined> {
  return readFrom(store, 'registration', agent, member);
}

function* readFrom(
  store: SqlStore,
  table: 'registration' | 'pending_registration',
  agent: string,
  member: string,
): SqlTask<NewRegistration | undefined> {
  const rows = sql.selectFrom(table).selectAll().where('agent', '=', agent).where('member', '=', member);
  const row = yield* first(store, rows);
  if (row === undefined) return undefined;
  const { url, type, name, description, contact } = row;
  return { agent, url, member, ...present({ type, name, description, contact: parsed<Contact>(contact) }) };
}

/** An agent is pending for a member no more. Returns whether it was. */
export function* endPending(store: SqlStore, agent: string, member: string): SqlTask<boolean> {
  const those = sql
    .deleteFrom('pending_registration')
    .where('agent', '=', agent)
    .where('member', '=', member);
  return (yield* run(store, those)) > 0;
}

function* countOf(store: SqlStore, member: string): SqlTask<number> {
  const those = sql.selectFrom('pending_registration').where('member', '=', member);
  return (
    (yield* first(
      store,
      those.select((row) => row.fn.countAll<number>().as('n')),
    ))?.n ?? 0
  );
}

/** What a registration says of its agent, as columns. */
export function saidColumns({ type, name, description, contact }: MemberSaid) {
  return {
    type: type ?? null,
    name: name ?? null,
    description: description ?? null,
    contact: jsonOrNull(contact),
  };
}

/** The moment at which it was asked for first stays. */
function* keepPending(
  store: SqlStore,
  registration: AskedRegistration['registration'],
  now: number,
): SqlTask<void> {
  const { agent, member, url } = registration;
  const changeable = { url, ...saidColumns(registration) };
  yield* run(
    store,
    sql
      .insertInto('pending_registration')
      .values({ agent, member, ...changeable, added_at: now })
      .onConflict((same) => same.columns(['member', 'agent']).doUpdateSet(changeable)),
  );
}

function* changeRegistration(
  store: SqlStore,
  registration: AskedRegistration['registration'],
): SqlTask<void> {
  const those = sql.updateTable('registration').set(saidColumns(registration));
  yield* run(store, those.where('agent', '=', registration.agent).where('member', '=', registration.member));
}
