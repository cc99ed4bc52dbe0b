import { present } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import { isJoinedSlug } from '../../domain/member-text.ts';
import { RegistryError } from '../../errors.ts';
import type { KeyActor } from '../../ports/actor.ts';
import type { Member, MemberStore, SelfDescription } from '../../ports/members.ts';
import { markDirty } from '../agents/documents.ts';
import { reconsiderSoon } from '../runs/run-clock.ts';
import type { MemberTable } from '../schema-agents.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, jsonOrNull, parsed, run, sql } from '../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { createActingKey, createMemberLock } from './key-rows.ts';

/** Tables whose rows are about one member and go with it; the audit log stays. */
const OF_A_MEMBER = [
  'api_key',
  'ownership',
  'ownership_challenge',
  'pending_registration',
  'test_credential',
  'owner_statement',
  'feed_subscription',
  'invitation',
] as const;

/** Members that a mistyped one is compared with. */
const MOST_ALIKE = 500;

/** Members; they are few and no crawl finds them again, so they are written durably. */
export function createMemberStore(
  store: SqlStore,
): Pick<MemberStore, 'import' | 'get' | 'list' | 'describe' | 'remove'> {
  const actingKey = createActingKey(store);
  const lockMember = createMemberLock(store);
  const find = (slug: string) => first(store, sql.selectFrom('member').selectAll().where('slug', '=', slug));
  function* importOne(member: Member, now: number): SqlTask<'added' | 'changed' | 'unchanged'> {
    const before = yield* find(member.slug);
    const row = memberRow(member);
    if (before !== undefined && JSON.stringify(memberRow(memberOf(before))) === JSON.stringify(row))
      return 'unchanged';
    const { slug: _slug, ...changeable } = row;
    yield* run(
      store,
      sql
        .insertInto('member')
        .values(row)
        .onConflict((same) => same.column('slug').doUpdateSet(changeable)),
    );
    if (before === undefined) return 'added';
    yield* markAgentsDirty(member.slug, now);
    return 'changed';
  }
  function* refuseOthers(members: readonly Member[]): SqlTask<void> {
    const refusals: string[] = [];
    for (const member of members) {
      yield* lockMember(member.slug); // or a member that joins may get its slug meanwhile
      const refusal = importRefusal(member, yield* find(member.slug));
      if (refusal !== undefined) refusals.push(refusal);
    }
    if (refusals.length > 0) throw importRefused(refusals);
  }
  function* describe(change: SelfDescription, actor: KeyActor, now: number): SqlTask<Member | 'key_revoked'> {
    if ((yield* actingKey(actor, now)) === undefined) return 'key_revoked';
    const before = yield* find(actor.member);
    if (before === undefined) return 'key_revoked';
    const { contact: known, ...others } = memberOf(before);
    const contact = 'contact' in change ? change.contact : known;
    const { displayName = others.displayName } = change;
    const member = { ...others, displayName, ...(contact && { contact }) };
    const row = memberRow(member);
    if (JSON.stringify(row) === JSON.stringify(memberRow(memberOf(before)))) return member;
    const { slug, display_name, contact: contactText } = row;
    const said = { display_name, contact: contactText };
    yield* run(store, sql.updateTable('member').set(said).where('slug', '=', slug));
    yield* markAgentsDirty(slug, now);
    const details = { display_name, contact: contact ?? null };
    yield* auditDeed(store, { at: now, actor, action: 'member.describe', subject: slug, details });
    return member;
  }
  function* remove(slug: string, now: number): SqlTask<void> {
    yield* lockMember(slug); // before its keys, as others take both
    yield* removeMemberRows(store, slug, now);
  }
  return {
    import: (members, now) =>
      store.durably(function* () {
        yield* refuseOthers(members);
        const counts = { added: 0, changed: 0, unchanged: 0 };
        const changed: Member[] = [];
        for (const member of members) {
          const outcome = yield* importOne(member, now);
          counts[outcome] += 1;
          if (outcome === 'changed') changed.push(member);
        }
        if (counts.added + counts.changed === 0) return counts;
        const slugs = changed.map(({ slug }) => slug);
        yield* reconsiderSoon(store, slugs, now);
        const details = counts;
        yield* auditDeed(store, {
          at: now,
          actor: OPERATOR,
          action: 'members.import',
          subject: 'members',
          details,
        });
        for (const { slug, id, tier } of changed) {
          if (id === undefined) continue;
          const adopted = { member: slug, id, tier: tier ?? null };
          yield* auditDeed(store, {
            at: now,
            actor: OPERATOR,
            action: 'member.adopt',
            subject: slug,
            details: adopted,
          });
        }
        return counts;
      }),
    async get(slug) {
      const row = await store.read(() => find(slug));
      return row && memberOf(row);
    },
    async list() {
      const members = sql.selectFrom('member').selectAll().orderBy('slug');
      return (await store.read(() => all(store, members))).map(memberOf);
    },
    describe: (change, actor, now) => store.durably(() => describe(change, actor, now)),
    remove: (slug, now) => store.durably(() => remove(slug, now)),
  };
}

function markAgentsDirty(member: string, now: number): SqlTask<void> {
  return call((db) =>
    markDirty(db, db.selectFrom('registration').select('agent').where('member', '=', member), now),
  );
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

/** Why an import may not write this member; undefined when it may. */
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

const MOST_REFUSALS = 5;

function importRefused(refusals: readonly string[]): RegistryError {
  const others = refusals.length - MOST_REFUSALS;
  const shown = [...refusals.slice(0, MOST_REFUSALS), ...(others > 0 ? [`and ${others} more`] : [])];
  return new RegistryError('input_invalid', `nothing was imported: ${shown.join('; ')}`, {
    hint: 'choose another slug; to update a member that joined, add its "id" from agent-registry members list',
  });
}

/** Throws `not_found` for an unknown member. A known one cannot be removed until the transaction ends. */
export function* requireMember(store: SqlStore, slug: string): SqlTask<void> {
  const known = sql.selectFrom('member').select('slug').where('slug', '=', slug).forKeyShare();
  if ((yield* first(store, known)) !== undefined) return;
  // those of the same beginning are enough to find a mistyped one among
  const begin = slug.slice(0, 1);
  const alike = sql
    .selectFrom('member')
    .select('slug')
    .where('slug', '>=', begin)
    .orderBy('slug')
    .limit(MOST_ALIKE);
  const near = nearestName(
    slug,
    (yield* all(store, alike)).map((one) => one.slug),
  );
  throw new RegistryError('not_found', `no member ${slug}`, {
    hint:
      near === undefined
        ? 'import it first with agent-registry members import FILE'
        : `did you mean ${near}?`,
  });
}

/** Deletes a member to whom no agent is registered. */
function* removeMemberRows(store: SqlStore, slug: string, now: number): SqlTask<void> {
  yield* requireMember(store, slug);
  const agents = sql.selectFrom('registration').select('agent').where('member', '=', slug).limit(1);
  const held = yield* first(store, agents);
  if (held !== undefined) throw hasAgents(slug, held.agent);
  for (const table of OF_A_MEMBER) yield* run(store, sql.deleteFrom(table).where('member', '=', slug));
  yield* run(store, sql.deleteFrom('member').where('slug', '=', slug));
  yield* auditDeed(store, { at: now, actor: OPERATOR, action: 'member.remove', subject: slug });
}

function hasAgents(slug: string, agent: string): RegistryError {
  return new RegistryError('input_invalid', `agents are registered to ${slug}, for example ${agent}`, {
    hint: `remove them first: agent-registry agents list --member ${slug}, then agent-registry agents unregister URL --member ${slug}`,
  });
}
