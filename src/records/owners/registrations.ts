import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { Contact, MemberCard, Registration } from '../../domain/agent-facts.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { NewVisit } from '../../domain/source.ts';
import { RegistryError } from '../../errors.ts';
import type { MemberStore, NewRegistration } from '../../ports/members.ts';
import { markOneDirty } from '../agents/stitched-documents.ts';
import { lockShared } from '../locks.ts';
import type { MemberTable } from '../schema-agents.ts';
import { createKnownSources } from '../sources/known-sources.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, parsed, prepare, run, sql } from '../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { requireMember } from './member-store.ts';
import { saidColumns } from './pending.ts';
import { createAgentLock, ownerOf, registrationsWithProof } from './proven-owner.ts';

/** Registers agents to members. No crawl finds that again, so it is written durably. */
export function createRegistration(store: SqlStore): Pick<MemberStore, 'register'> {
  const writeRegistered = createRegisteredWriter(store);
  const readRegistration = createRegistrationReader(store);
  const lockAgent = createAgentLock(store);

  function* register(registration: NewRegistration, now: number): SqlTask<Registration> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent's source may be pruned meanwhile
    yield* requireMember(store, registration.member);
    const { agent } = registration;
    yield* lockAgent(agent);
    const owner = yield* ownerOf(store, agent);
    if (owner !== undefined && owner.member !== registration.member)
      throw ownedBy(owner.member, registration);
    yield* writeRegistered(registration, now);
    const deed = { action: 'agent.register', subject: agent, details: registration };
    yield* auditDeed(store, { at: now, actor: OPERATOR, ...deed });
    return (yield* readRegistration(agent)) as Registration;
  }
  return { register: (registration, now) => store.durably(() => register(registration, now)) };
}

/** Writes that an agent is registered to a member, inside the caller's transaction: its source is due at once. */
export function createRegisteredWriter(store: SqlStore) {
  const known = createKnownSources(store);
  return function* (registration: NewRegistration, now: number): SqlTask<void> {
    const { agent, url, member } = registration;
    yield* writeRegistration(store, registration, now);
    const visit = { kind: 'agent', key: agent, url, foundVia: `member ${member}` } as const;
    yield* known.add([{ visit, at: now }]);
    yield* known.addAgents([{ agent, now, trace: null }]);
    yield* dial(store, visit, now);
    yield* markOneDirty(store, agent, now);
  };
}

/** Later registrations keep the day on which the agent was added. */
function* writeRegistration(store: SqlStore, registration: NewRegistration, now: number): SqlTask<void> {
  const changeable = {
    url: registration.url,
    member: registration.member,
    ...saidColumns(registration),
  };
  const row = { ...changeable, agent: registration.agent, added_at: now };
  yield* run(
    store,
    sql
      .insertInto('registration')
      .values(row)
      .onConflict((same) => same.column('agent').doUpdateSet(changeable)),
  );
}

/** A registration's URL is what is dialled, its member counts as who named it, and the agent is due at once. */
function* dial(store: SqlStore, { key, url = key, foundVia }: NewVisit, now: number): SqlTask<void> {
  const due = sql.updateTable('source').set((row) => ({
    ...{ url, found_via: foundVia },
    next_visit_at: row.case().when('next_visit_at', '>', now).then(now).else(row.ref('next_visit_at')).end(),
  }));
  yield* run(store, due.where('kind', '=', 'agent').where('key', '=', key));
}

function ownedBy(owner: string, { agent, member }: NewRegistration): RegistryError {
  return new RegistryError('input_invalid', `${agent} already has a proven owner, ${owner}`, {
    hint: `to transfer it, prove control of the domain: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

/** Who registered an agent, as its record shows it; the member's contact stands in for the agent's own. */
export function createRegistrationReader(
  store: SqlStore,
): (agent: string) => SqlTask<Registration | undefined> {
  const select = prepare(store, registrationWithMember);
  return function* (agent) {
    const row = yield* select.first({ agent });
    if (row === undefined) return undefined;
    return {
      member: memberCard(row),
      proven: row.proven_at !== null,
      addedAt: row.added_at,
      ...present({
        type: row.type,
        name: row.name,
        description: row.description,
        contact: parsed<Contact>(row.agent_contact ?? row.contact),
        via: row.via,
      }),
    };
  };
}

/** The member as the wire shows it (specification, 2.1). */
export function memberCard(
  row: Omit<Selectable<MemberTable>, 'contact' | 'subscription_status' | 'joined_id'>,
): MemberCard {
  return {
    slug: row.slug,
    display_name: row.display_name,
    ...present({ membership_tier: row.tier, membership_tier_label: row.tier_label }),
    is_founding_member: row.founding_member === 1,
  };
}

function registrationWithMember(param: Param<{ agent: string }>) {
  return registrationsWithProof()
    .innerJoin('member', 'member.slug', 'registration.member')
    .selectAll('member')
    .select(['registration.type', 'registration.name', 'registration.description', 'registration.added_at'])
    .select(['registration.contact as agent_contact', 'ownership.proven_at', 'ownership.via'])
    .where('registration.agent', '=', param('agent'));
}
