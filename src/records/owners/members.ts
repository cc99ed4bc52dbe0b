import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { present } from '../../base/json.ts';
import type { KeyActor } from '../../domain/actor.ts';
import type { Contact, MemberCard } from '../../domain/agent-facts.ts';
import { isJoinedSlug } from '../../domain/member-text.ts';
import { RegistryError } from '../../errors.ts';
import { markDirty } from '../agents/documents.ts';
import { type Db, jsonOrNull, listOf, parsed, type RecordsDatabase } from '../database.ts';
import { sortedByKey } from '../locks.ts';
import { reconsiderSoon } from '../runs/run-clock.ts';
import type { MemberTable } from '../tables.ts';
import { audit, OPERATOR, recordedDetails } from './audit.ts';
import { findActingKey, lockMember, requireMember } from './checks.ts';
import { type ApiKey, createKey, type NewApiKey } from './keys.ts';
import { createRegistrations, memberCard } from './registrations.ts';

/* Members: imported by an operator, or joined with an invitation or a verified domain. Every change is durable. */

/** A member organisation, imported or joined. */
export interface Member {
  readonly slug: string;
  /** Of a member that joined: `mem_` and 16 random characters, which an import must name to replace it. */
  readonly id?: string;
  readonly displayName: string;
  readonly tier?: string;
  readonly tierLabel?: string;
  readonly foundingMember: boolean;
  readonly subscriptionStatus?: string;
  readonly contact?: Contact;
}

/** The details of a member, from itself; absent ones keep their value, and an undefined contact is deleted. */
export type SelfDescription = { readonly displayName?: string; readonly contact?: Contact | undefined };

/** The public data of a member. */
export interface ShownMember extends MemberCard {
  /** Its agents with a document, in ascending order. */
  readonly agents: readonly { readonly agent: string; readonly proven: boolean }[];
  /** It has more. */
  readonly isCut: boolean;
}

interface MemberPage {
  /** Only the member with this slug. */
  readonly slug?: string;
  /** Only members after this slug, in ascending order. */
  readonly after?: string;
  readonly limit: number;
  /** The maximum of agents of each member. */
  readonly agents: number;
}

/** An invitation to become a member, or to get a key of an existing one. */
interface NewInvitation {
  /** SHA-256 of the secret, lower case hex. */
  readonly hash: string;
  /** The existing member; absent: the invitation is for a new one. */
  readonly member?: string;
  readonly expiresAt: number;
}

/** A new member. Its slug has the prefix of members that join (`joinedSlug`). */
type WantedMember = Required<Pick<Member, 'id' | 'slug' | 'displayName'>>;

/** A used invitation, and the new API key. */
export interface Joined {
  readonly hash: string;
  readonly key: Pick<NewApiKey, 'id' | 'hash' | 'label'>;
  readonly wanted: WantedMember | undefined;
  /** Verified just now in place of an invitation; `hash` is the domain's. */
  readonly domain?: string;
}

/** `domain_taken`: a member has already joined with this domain. */
export type JoinOutcome = ApiKey | 'no_invitation' | 'name_needed' | 'slug_taken' | 'domain_taken';

/** Members and their registrations. */
export function createMemberStore(database: RecordsDatabase) {
  return {
    ...createRegistrations(database),
    /**
     * Adds or replaces members by slug; agents registered to a changed member become dirty. A member that joined is replaced
     * where the import names its id (`member.adopt`). Rejects with `input_invalid`, and changes nothing, where one of them
     * does not, where an id is that of no such member, and for a new slug of the namespace of members that join.
     */
    import: (members: readonly Member[], now: number) =>
      database.durably((db) => importMembers(db, members, now)),
    async get(slug: string) {
      const row = await database.read((db) => findMember(db, slug));
      return row && memberOf(row);
    },
    async list() {
      const rows = await database.read((db) => db.selectFrom('member').selectAll().orderBy('slug').execute());
      return rows.map(memberOf);
    },
    /** Changes the details of a member (`member.describe`); the records of its agents follow. */
    describe: (change: SelfDescription, actor: KeyActor, now: number) =>
      database.durably((db) => describe(db, change, actor, now)),
    /**
     * Deletes a member with its keys and the invitations to it. Rejects with `not_found` for an unknown one, and with `input_invalid` while agents are
     * registered to it.
     */
    remove: (slug: string, now: number) => database.durably((db) => removeMember(db, slug, now)),
    /** Members with at least one agent that has a document. */
    shown: (page: MemberPage) => database.read((db) => shownMembers(db, page)),
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;

function findMember(db: Db, slug: string): Promise<MemberTable | undefined> {
  return db.selectFrom('member').selectAll().where('slug', '=', slug).executeTakeFirst();
}

async function importMembers(
  db: Db,
  members: readonly Member[],
  now: number,
): Promise<{ readonly added: number; readonly changed: number; readonly unchanged: number }> {
  const slugs = listOf(
    db,
    members.map(({ slug }) => slug),
  );
  const stored = db.selectFrom('member').where('slug', 'in', slugs);
  await stored.select('slug').orderBy('slug').forUpdate().execute();
  // read after the lock: another member may have joined with the slug of one that was being removed
  const rowsBefore = await stored.selectAll().execute();
  const known = new Map(rowsBefore.map((row) => [row.slug, row]));
  const refusals = members.flatMap((member) => importRefusal(member, known.get(member.slug)) ?? []);
  if (refusals.length > 0) throw importRefused(refusals);

  const counts = { added: 0, changed: 0, unchanged: 0 };
  const changed: Member[] = [];
  const rows = new Map<string, MemberTable>();
  for (const member of members) {
    const before = known.get(member.slug);
    const row = memberRow(member);
    const outcome =
      before === undefined ? 'added' : isDeepStrictEqual({ ...before }, row) ? 'unchanged' : 'changed';
    counts[outcome] += 1;
    if (outcome === 'changed') changed.push(member);
    if (outcome !== 'unchanged') rows.set(row.slug, row);
    known.set(row.slug, row);
  }
  if (rows.size === 0) return counts;

  const ordered = sortedByKey(rows).map(([, row]) => row);
  for (const row of ordered)
    await db
      .insertInto('member')
      .values(row)
      .onConflict((same) => same.column('slug').doUpdateSet(row))
      .execute();
  const changedSlugs = changed.map(({ slug }) => slug);
  await markAgentsDirty(db, changedSlugs, now);
  await reconsiderSoon(db, changedSlugs, now);
  const entry = { at: now, actor: OPERATOR };
  await audit(db, { ...entry, action: 'members.import', subject: 'members', details: counts });
  for (const { slug, id, tier } of changed) {
    if (id === undefined) continue;
    const details = { member: slug, id, tier: tier ?? null };
    await audit(db, { ...entry, action: 'member.adopt', subject: slug, details });
  }
  return counts;
}

/** Why an import may not write this member; undefined if it may. */
function importRefusal({ slug, id }: Member, before: MemberTable | undefined): string | undefined {
  if (before === undefined) {
    if (id !== undefined) return `no member ${slug} with the id ${id}`;
    return isJoinedSlug(slug) ? `the slug ${slug} is reserved for members that join` : undefined;
  }
  if (before.joined_id === (id ?? null)) return undefined;
  if (before.joined_id === null) return `the member ${slug} was imported and has no id`;
  return id === undefined
    ? `the member ${slug} joined by invitation or domain`
    : `the member ${slug} has another id than ${id}`;
}

/** So many are listed in the error message. */
const MOST_REFUSALS = 5;

function importRefused(refusals: readonly string[]): RegistryError {
  const others = refusals.length - MOST_REFUSALS;
  const shown = [...refusals.slice(0, MOST_REFUSALS), ...(others > 0 ? [`and ${others} more`] : [])];
  return new RegistryError('input_invalid', `nothing was imported: ${shown.join('; ')}`, {
    hint: 'choose another slug; to update a member that joined, add its "id" from agent-registry members list',
  });
}

async function markAgentsDirty(db: Db, members: readonly string[], now: number): Promise<void> {
  // visits lock agents in the same order
  const locked = await db
    .selectFrom('agent')
    .select('agent')
    .where('agent', 'in', (row) =>
      row.selectFrom('registration').select('registration.agent').where('member', 'in', listOf(db, members)),
    )
    .orderBy('agent')
    .forUpdate()
    .execute();
  const agents = locked.map(({ agent }) => agent);
  await markDirty(db, agents, now);
}

async function describe(
  db: Db,
  change: SelfDescription,
  actor: KeyActor,
  now: number,
): Promise<Member | 'key_revoked'> {
  if ((await findActingKey(db, actor, now)) === undefined) return 'key_revoked';
  const before = await findMember(db, actor.member);
  if (before === undefined) return 'key_revoked';
  const { contact: contactBefore, ...others } = memberOf(before);
  const contact = 'contact' in change ? change.contact : contactBefore;
  const { displayName = others.displayName } = change;
  const member = { ...others, displayName, ...(contact && { contact }) };
  const row = memberRow(member);
  if (isDeepStrictEqual({ ...before }, row)) return member;
  const { slug, display_name } = row;
  await db
    .updateTable('member')
    .set({ display_name, contact: row.contact })
    .where('slug', '=', slug)
    .execute();
  await markAgentsDirty(db, [slug], now);
  const details = { display_name, contact: contact ?? null };
  await audit(db, { at: now, actor, action: 'member.describe', subject: slug, details });
  return member;
}

/** Tables whose rows belong to one member and are deleted with it; the audit log stays. */
const TABLES_OF_A_MEMBER = [
  'api_key',
  'ownership_challenge',
  'pending_registration',
  'test_credential',
  'owner_statement',
  'feed_subscription',
  'invitation',
] as const;

async function removeMember(db: Db, slug: string, now: number): Promise<void> {
  const action = { at: now, actor: OPERATOR, action: 'member.remove', subject: slug };
  await lockMember(db, slug); // before its keys, as other transactions lock both
  if ((await recordedDetails(db, action)) !== undefined) return;
  await requireMember(db, slug);
  const registered = await db
    .selectFrom('registration')
    .select('agent')
    .where('member', '=', slug)
    .limit(1)
    .executeTakeFirst();
  if (registered !== undefined) throw hasAgents(slug, registered.agent);
  for (const table of TABLES_OF_A_MEMBER) await db.deleteFrom(table).where('member', '=', slug).execute();
  await db.deleteFrom('member').where('slug', '=', slug).execute();
  await audit(db, action);
}

function hasAgents(slug: string, agent: string): RegistryError {
  return new RegistryError('input_invalid', `agents are registered to ${slug}, for example ${agent}`, {
    hint: `remove them first: agent-registry agents list --member ${slug}, then agent-registry agents unregister URL --member ${slug}`,
  });
}

/** The public members: those with an agent that has a document, each with its first agents. */
async function shownMembers(
  db: Db,
  { slug, after = '', limit, agents: most }: MemberPage,
): Promise<readonly ShownMember[]> {
  const listed = db
    .selectFrom('member')
    .selectAll()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('registration')
          .innerJoin('document', 'document.agent', 'registration.agent')
          .select('registration.agent')
          .whereRef('registration.member', '=', 'member.slug')
          .where('document.value', 'is not', null),
      ),
    )
    .orderBy('member.slug')
    .limit(limit);
  const page =
    slug === undefined ? listed.where('member.slug', '>', after) : listed.where('member.slug', '=', slug);
  const members = await page.execute();

  const slugs = members.map((member) => member.slug);
  const numbered = db
    .selectFrom('registration')
    .innerJoin('document', 'document.agent', 'registration.agent')
    .select(['registration.member', 'registration.agent', 'registration.proven_at'])
    .select(
      sql<number>`row_number() over (partition by registration.member order by registration.agent)`.as('nth'),
    )
    .where('registration.member', 'in', listOf(db, slugs))
    .where('document.value', 'is not', null);
  const rows = await db
    .selectFrom(numbered.as('numbered'))
    .selectAll()
    .where('nth', '<=', most + 1)
    .orderBy('agent')
    .execute();
  const agentsOf = Map.groupBy(rows, ({ member }) => member);
  return members.map((member) => {
    const agents = agentsOf.get(member.slug) ?? [];
    return {
      ...memberCard(member),
      agents: agents.slice(0, most).map(({ agent, proven_at }) => ({ agent, proven: proven_at !== null })),
      isCut: agents.length > most,
    };
  });
}

function memberRow(member: Member): MemberTable {
  return {
    slug: member.slug,
    display_name: member.displayName,
    tier: member.tier ?? null,
    tier_label: member.tierLabel ?? null,
    founding_member: member.foundingMember ? 1 : 0,
    subscription_status: member.subscriptionStatus ?? null,
    contact: jsonOrNull(member.contact),
    joined_id: member.id ?? null,
  };
}

function memberOf(row: MemberTable): Member {
  return {
    slug: row.slug,
    displayName: row.display_name,
    foundingMember: row.founding_member === 1,
    ...present({
      id: row.joined_id,
      tier: row.tier,
      tierLabel: row.tier_label,
      subscriptionStatus: row.subscription_status,
      contact: parsed<Contact>(row.contact),
    }),
  };
}

/**
 * Invitations to join as a member, without the operator's shell: secrets that can be used once. Only their hashes are
 * stored.
 */
export function createInvitations(database: RecordsDatabase) {
  return {
    /** Stores an invitation (`member.invite`). Rejects with `not_found` for an unknown member. */
    invite: (invitation: NewInvitation, now: number) => database.durably((db) => invite(db, invitation, now)),
    /** Creates the member (if new) and its key from an invitation or a verified domain, once (`member.join`). */
    join: (joined: Joined, now: number) => database.durably((db) => join(db, joined, now)),
  };
}

export type Invitations = ReturnType<typeof createInvitations>;

async function invite(db: Db, { hash, member, expiresAt }: NewInvitation, now: number): Promise<void> {
  if (member !== undefined) await requireMember(db, member);
  const added = await db
    .insertInto('invitation')
    .values({
      hash,
      member: member ?? null,
      created_at: now,
      expires_at: expiresAt,
      used_at: null,
      used_by: null,
    })
    .onConflict((same) => same.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst();
  if (added === undefined) return; // repeated, because the answer to the first commit was lost
  await audit(db, {
    at: now,
    actor: OPERATOR,
    action: 'member.invite',
    subject: member ?? 'members',
    details: { member: member ?? null, expires_at: expiresAt },
  });
}

async function join(db: Db, { hash, key, wanted, domain }: Joined, now: number): Promise<JoinOutcome> {
  if (domain !== undefined) await inviteDomain(db, hash, now);
  const unusable = domain === undefined ? 'no_invitation' : 'domain_taken';
  const invitation = await db
    .selectFrom('invitation')
    .select('member')
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (invitation === undefined) return unusable;
  const slug = invitation.member ?? wanted?.slug;
  if (slug === undefined) return 'name_needed';
  // of two requests with the same invitation, the second one updates no row
  const { numUpdatedRows } = await db
    .updateTable('invitation')
    .set({ used_at: now, used_by: slug })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return unusable;
  const isNew = invitation.member === null;
  if (!isNew) {
    await requireMember(db, slug);
  } else if (wanted === undefined || (await wasUsed(db, slug, hash)) || !(await addMember(db, wanted))) {
    await db
      .updateTable('invitation')
      .set({ used_at: null, used_by: null })
      .where('hash', '=', hash)
      .execute();
    return 'slug_taken';
  }
  const actor = { ...OPERATOR, member: slug };
  const created = await createKey(db, { ...key, member: slug }, actor, now);
  const details = {
    key: key.id,
    ...(isNew && { id: wanted?.id }),
    ...(domain !== undefined && { domain }),
  };
  await audit(db, { at: now, actor, action: 'member.join', subject: slug, details });
  return created;
}

/** One invitation per domain, even if it is proven again: a used one stays used. */
async function inviteDomain(db: Db, hash: string, now: number): Promise<void> {
  const expires_at = now + 1;
  await db
    .insertInto('invitation')
    .values({ hash, member: null, created_at: now, expires_at, used_at: null, used_by: null })
    .onConflict((same) =>
      same.column('hash').doUpdateSet({ expires_at }).where('invitation.used_at', 'is', null),
    )
    .execute();
}

/** Whether a slug was used by another invitation, even if that member was removed since. */
async function wasUsed(db: Db, slug: string, hash: string): Promise<boolean> {
  const used = await db
    .selectFrom('invitation')
    .select('hash')
    .where('used_by', '=', slug)
    .where('hash', '<>', hash)
    .limit(1)
    .executeTakeFirst();
  return used !== undefined;
}

/** A member that joins has no tier and is no founding member. Returns whether the slug was free. */
async function addMember(db: Db, { id, slug, displayName }: WantedMember): Promise<boolean> {
  if (!isJoinedSlug(slug)) throw new Error(`the slug ${slug} is not reserved for members that join`);
  const added = await db
    .insertInto('member')
    .values(memberRow({ id, slug, displayName, foundingMember: false }))
    .onConflict((same) => same.column('slug').doNothing())
    .returning('slug')
    .executeTakeFirst();
  return added !== undefined;
}
