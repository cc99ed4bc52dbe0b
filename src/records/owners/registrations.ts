import { present } from '../../base/json.ts';
import type { KeyActor } from '../../domain/actor.ts';
import type { Contact, MemberCard, Registration } from '../../domain/agent-facts.ts';
import type { AgentType } from '../../domain/agent-type.ts';
import type { ProofWay } from '../../domain/ownership.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { RegistryError } from '../../errors.ts';
import { markOneDirty } from '../agents/documents.ts';
import { type Db, jsonOrNull, listOf, parsed, type RecordsDatabase } from '../database.ts';
import { addAgents, addSources } from '../sources/known-sources.ts';
import type { MemberTable } from '../tables.ts';
import { audit, OPERATOR } from './audit.ts';
import { beginChange, lockAgent } from './checks.ts';
import { ownerOf, UNPROVEN } from './proven-owner.ts';

/*
 * The agents of members. An operator registers an agent to a member. A member that has not proven to own an agent can only
 * add it as pending: a pending registration lists nothing, changes no record, and does not affect another member.
 */

export interface RegisteredPage {
  readonly member?: string;
  /** Only this one. */
  readonly agent?: string;
  readonly after?: string;
  readonly limit: number;
}

/** An agent that a member has registered, or wants to. Times are epoch milliseconds. */
export interface RegisteredAgent {
  readonly agent: string;
  readonly url: string;
  readonly member: string;
  readonly addedAt: number;
  /** Absent: control of its domain was not shown yet. */
  readonly provenAt?: number;
  readonly via?: ProofWay;
  /** Since when the proof is asked for again, as it is old. */
  readonly askedAgainAt?: number;
  /** It has no effect before its proof: the agent is registered to another member, or to none. */
  readonly isPending?: true;
  /** From the member. */
  readonly details: AgentDetails;
}

export interface NewRegistration {
  readonly agent: string;
  /** As entered; this URL is called. */
  readonly url: string;
  readonly member: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
}

/** The details of an agent, from its member. Undefined deletes a detail. */
export type AgentDetails = {
  readonly [Name in 'type' | 'name' | 'description' | 'contact']?: NewRegistration[Name] | undefined;
};

/** An agent that a member adds, by one of its keys. */
interface AskedRegistration {
  readonly registration: Pick<NewRegistration, 'agent' | 'url' | 'member'> & AgentDetails;
  readonly actor: KeyActor;
  /** The maximum of pending agents of the member. */
  readonly most: number;
}

/** Changed details of an agent; absent ones keep their value. */
interface RegistrationChange {
  readonly agent: string;
  readonly change: AgentDetails;
  readonly actor: KeyActor;
}

/** The state of an agent for the member that acts, or why nothing was changed. */
type OwnAgentOutcome = 'pending' | 'owned' | 'too_many' | 'unknown_agent' | 'key_revoked';

export function createRegistrations(database: RecordsDatabase) {
  return {
    /**
     * Registers (or re-registers) an agent to a member, adds it as a source due at once, marks it dirty, and leaves an audit
     * record. Rejects with `not_found` for an unknown member, and with `input_invalid` for an agent whose verified
     * owner is another member.
     */
    register: (registration: NewRegistration, now: number) =>
      database.durably((db) => register(db, registration, now)),
    /**
     * Adds a pending agent for a member that is not its verified owner (`agent.ask`), or changes its details. They are not
     * used before the verification.
     */
    askForAgent: (asked: AskedRegistration, now: number) =>
      database.durably((db) => askForAgent(db, asked, now)),
    /** Changes the details of an agent that the member owns, or that is pending for it (`agent.describe`). */
    changeOwnAgent: (change: RegistrationChange, now: number) =>
      database.durably((db) => changeOwnAgent(db, change, now)),
  };
}

async function register(db: Db, registration: NewRegistration, now: number): Promise<Registration> {
  const { agent, member } = registration;
  await beginChange(db, agent, { ...OPERATOR, member }, now);
  await addAndLockAgent(db, agent, now); // or another member may prove that it owns an unknown agent
  const owner = await ownerOf(db, agent);
  if (owner !== undefined && owner.member !== member) throw ownedBy(owner.member, registration);
  await writeRegistration(db, registration, now);
  const entry = { action: 'agent.register', subject: agent, details: registration };
  await audit(db, { at: now, actor: OPERATOR, ...entry });
  return (await readRegistrations(db, [agent])).get(agent) as Registration;
}

function ownedBy(owner: string, { agent, member }: NewRegistration): RegistryError {
  return new RegistryError('input_invalid', `${agent} already has a proven owner, ${owner}`, {
    hint: `to transfer it, prove control of the domain: agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
  });
}

/** After `beginChange`, for an agent that may be unknown. */
export async function addAndLockAgent(db: Db, agent: string, now: number): Promise<void> {
  await addAgents(db, [{ agent, at: now }]);
  await lockAgent(db, agent);
}

/**
 * Registers an agent to a member, in the transaction of the caller, which has added and locked the agent. Its source is
 * due at once. A later registration keeps the time at which the agent was added.
 */
export async function writeRegistration(db: Db, registration: NewRegistration, now: number): Promise<void> {
  const { agent, url, member } = registration;
  const changeable = { url, member, ...detailColumns(registration) };
  const foundVia = `member ${member}`;
  // a proof counts for the member that gave it
  await db
    .updateTable('registration')
    .set(UNPROVEN)
    .where('agent', '=', agent)
    .where('member', '<>', member)
    .execute();
  await db
    .insertInto('registration')
    .values({ agent, ...changeable, ...UNPROVEN, added_at: now })
    .onConflict((same) => same.column('agent').doUpdateSet(changeable))
    .execute();
  await addSources(db, [{ kind: 'agent', key: agent, url, foundVia, at: now }]);
  // a known source keeps its schedule until here
  await db
    .updateTable('source')
    .set((row) => ({
      url,
      found_via: foundVia,
      next_visit_at: row
        .case()
        .when('next_visit_at', '>', now)
        .then(now)
        .else(row.ref('next_visit_at'))
        .end(),
    }))
    .where('kind', '=', 'agent')
    .where('key', '=', agent)
    .execute();
  await markOneDirty(db, agent, now);
}

/** A member adds an agent with its key. It is pending until the member proves that it owns the agent. */
async function askForAgent(
  db: Db,
  { registration, actor, most }: AskedRegistration,
  now: number,
): Promise<OwnAgentOutcome> {
  const { agent, member } = registration;
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return refusal;
  if ((await ownerOf(db, agent))?.member === member) return 'owned';
  const before = await pendingOf(db, agent, member);
  if (before === undefined && (await countPending(db, member)) >= most) return 'too_many';
  await putPending(db, registration, now);
  await auditRegistration(db, 'agent.ask', actor, registration, now);
  return 'pending';
}

async function changeOwnAgent(
  db: Db,
  { agent, change, actor }: RegistrationChange,
  now: number,
): Promise<OwnAgentOutcome> {
  const refusal = await beginChange(db, agent, actor, now);
  if (refusal !== undefined) return refusal;
  const { member } = actor;
  const isOwned = (await ownerOf(db, agent))?.member === member;
  const before = isOwned
    ? await readFrom(db, 'registration', agent, member)
    : await pendingOf(db, agent, member);
  if (before === undefined) return 'unknown_agent';
  const registration = { ...before, ...change };
  if (isOwned) {
    await db
      .updateTable('registration')
      .set(detailColumns(registration))
      .where('agent', '=', agent)
      .where('member', '=', member)
      .execute();
    await markOneDirty(db, agent, now);
  } else {
    await putPending(db, registration, now);
  }
  await auditRegistration(db, 'agent.describe', actor, registration, now);
  return isOwned ? 'owned' : 'pending';
}

function auditRegistration(
  db: Db,
  action: string,
  actor: KeyActor,
  { agent, ...details }: AskedRegistration['registration'],
  at: number,
): Promise<void> {
  return audit(db, { at, actor, action, subject: agent, details });
}

/** The registration of an agent that is pending for a member. */
export function pendingOf(db: Db, agent: string, member: string): Promise<NewRegistration | undefined> {
  return readFrom(db, 'pending_registration', agent, member);
}

async function readFrom(
  db: Db,
  table: 'registration' | 'pending_registration',
  agent: string,
  member: string,
): Promise<NewRegistration | undefined> {
  const row = await db
    .selectFrom(table)
    .selectAll()
    .where('agent', '=', agent)
    .where('member', '=', member)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { url, type, name, description, contact } = row;
  return { agent, url, member, ...present({ type, name, description, contact: parsed<Contact>(contact) }) };
}

/** Ends a pending registration. Returns whether there was one. */
export async function endPending(db: Db, agent: string, member: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pending_registration')
    .where('agent', '=', agent)
    .where('member', '=', member)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function countPending(db: Db, member: string): Promise<number> {
  const { n } = await db
    .selectFrom('pending_registration')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('member', '=', member)
    .executeTakeFirstOrThrow();
  return n;
}

/** A repeated request changes the details, not the time of the first one. */
async function putPending(
  db: Db,
  registration: AskedRegistration['registration'],
  now: number,
): Promise<void> {
  const { agent, member, url } = registration;
  const changeable = { url, ...detailColumns(registration) };
  await db
    .insertInto('pending_registration')
    .values({ agent, member, ...changeable, added_at: now })
    .onConflict((same) => same.columns(['member', 'agent']).doUpdateSet(changeable))
    .execute();
}

/** The columns with the details that a member gives of an agent. */
function detailColumns({ type, name, description, contact }: AgentDetails) {
  return {
    type: type ?? null,
    name: name ?? null,
    description: description ?? null,
    contact: jsonOrNull(contact),
  };
}

/** The registrations that the records of these agents show. Without a contact of its own an agent has that of the member. */
export async function readRegistrations(
  db: Db,
  agents: readonly string[],
): Promise<ReadonlyMap<string, Registration>> {
  const rows = await db
    .selectFrom('registration')
    .innerJoin('member', 'member.slug', 'registration.member')
    .selectAll('member')
    .select(['registration.agent', 'registration.type', 'registration.name', 'registration.description'])
    .select(['registration.added_at', 'registration.contact as agent_contact'])
    .select(['registration.proven_at', 'registration.via'])
    .where('registration.agent', 'in', listOf(db, agents))
    .execute();
  return new Map(
    rows.map((row) => {
      const registration = {
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
      return [row.agent, registration];
    }),
  );
}

/** The member as API responses show it (specification, 2.1). */
export function memberCard(
  row: Pick<MemberTable, 'slug' | 'display_name' | 'tier' | 'tier_label' | 'founding_member'>,
): MemberCard {
  return {
    slug: row.slug,
    display_name: row.display_name,
    ...present({ membership_tier: row.tier, membership_tier_label: row.tier_label }),
    is_founding_member: row.founding_member === 1,
  };
}

/** The registered agents of all members, or those of one with its pending ones, a page at a time. */
export async function readRegistered(
  db: Db,
  { member, agent, after = '', limit }: RegisteredPage,
): Promise<readonly RegisteredAgent[]> {
  const all = registeredAgents(db).where('registration.agent', '>', after);
  const wanted =
    member === undefined
      ? all
      : all
          .where('registration.member', '=', member)
          .unionAll(pendingAgents(db, member).where('pending.agent', '>', after));
  const page = db.selectFrom(wanted.as('one')).selectAll().orderBy('agent').limit(limit);
  const rows = await (agent === undefined ? page : page.where('agent', '=', agent)).execute();
  return rows.map((row) => ({
    agent: row.agent,
    url: row.url,
    member: row.member,
    addedAt: row.added_at,
    ...present({ provenAt: row.proven_at, via: row.via, askedAgainAt: row.asked_again_at }),
    ...(row.is_pending === 1 && { isPending: true as const }),
    details: present({
      type: row.type,
      name: row.name,
      description: row.description,
      contact: parsed<Contact>(row.contact),
    }),
  }));
}

function registeredAgents(db: Db) {
  return db
    .selectFrom('registration')
    .select(['registration.agent as agent', 'registration.url', 'registration.member'])
    .select(['registration.added_at', 'registration.type', 'registration.name'])
    .select(['registration.description', 'registration.contact'])
    .select(['registration.proven_at', 'registration.via', 'registration.asked_again_at'])
    .select((row) => row.lit<number>(0).as('is_pending'));
}

/** Without agents that an operator has registered to the member, which are among the registered ones. */
function pendingAgents(db: Db, member: string) {
  return db
    .selectFrom('pending_registration as pending')
    .leftJoin('registration', (join) =>
      join
        .onRef('registration.agent', '=', 'pending.agent')
        .onRef('registration.member', '=', 'pending.member'),
    )
    .select(['pending.agent as agent', 'pending.url', 'pending.member'])
    .select(['pending.added_at', 'pending.type', 'pending.name'])
    .select(['pending.description', 'pending.contact'])
    .select((row) => [
      row.cast<number | null>(row.lit(null), 'bigint').as('proven_at'),
      row.cast<null>(row.lit(null), 'text').as('via'),
      row.cast<number | null>(row.lit(null), 'bigint').as('asked_again_at'),
    ])
    .select((row) => row.lit<number>(1).as('is_pending'))
    .where('pending.member', '=', member)
    .where('registration.agent', 'is', null);
}
