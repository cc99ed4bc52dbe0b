import type { SelectQueryBuilder } from 'kysely';
import type { Contact, Registration } from '../../../domain/agent-facts.ts';
import { RegistryError } from '../../../errors.ts';
import type { Member, MemberStore, NewRegistration } from '../../../ports/members.ts';
import type { SqliteDatabase } from '../database.ts';
import { sql } from '../prepared.ts';
import { all, first, run } from '../run-query.ts';
import type { Tables } from '../schema.ts';
import type { MemberTable } from '../schema-agents.ts';
import { audit } from './audit.ts';
import { createKnownSources } from './known-sources.ts';
import { jsonOrNull, parsed, present } from './present.ts';
import { createRegistrationReader } from './registration-facts.ts';

/** Members and registrations; they are few and no crawl finds them again, so they are written durably. */
export function createMemberStore(database: SqliteDatabase): MemberStore {
  const known = createKnownSources(database);
  const readRegistration = createRegistrationReader(database);

  const find = (slug: string) =>
    first(database, sql.selectFrom('member').selectAll().where('slug', '=', slug));
  const importOne = (member: Member, now: number): 'added' | 'changed' | 'unchanged' => {
    const before = find(member.slug);
    const row = memberRow(member);
    if (before !== undefined && JSON.stringify(memberRow(memberOf(before))) === JSON.stringify(row))
      return 'unchanged';
    const { slug: _slug, ...changeable } = row;
    run(
      database,
      sql
        .insertInto('member')
        .values(row)
        .onConflict((same) => same.column('slug').doUpdateSet(changeable)),
    );
    if (before === undefined) return 'added';
    markDirty(
      database,
      sql.selectFrom('registration').select('agent').where('member', '=', member.slug),
      now,
    );
    return 'changed';
  };
  const register = (registration: NewRegistration, now: number): Registration => {
    if (find(registration.member) === undefined) throw unknownMember(registration.member);
    writeRegistration(database, registration, now);
    const { agent, url } = registration;
    known.add({ kind: 'agent', key: agent, url, foundVia: `member ${registration.member}` }, now);
    known.addAgent(agent, now);
    dial(database, agent, url, now);
    markDirty(database, sql.selectFrom('agent').select('agent').where('agent', '=', agent), now);
    audit(database, {
      at: now,
      actor: 'operator',
      action: 'agent.register',
      subject: agent,
      details: JSON.stringify(registration),
    });
    return readRegistration(agent) as Registration;
  };
  return {
    import: async (members, now) =>
      database.durably(() => {
        const counts = { added: 0, changed: 0, unchanged: 0 };
        for (const member of members) counts[importOne(member, now)] += 1;
        const details = JSON.stringify(counts);
        audit(database, {
          at: now,
          actor: 'operator',
          action: 'members.import',
          subject: 'members',
          details,
        });
        return counts;
      }),
    async get(slug) {
      const row = find(slug);
      return row && memberOf(row);
    },
    list: async () => all(database, sql.selectFrom('member').selectAll().orderBy('slug')).map(memberOf),
    register: async (registration, now) => database.durably(() => register(registration, now)),
    async keyByHash(hash) {
      const row = first(database, sql.selectFrom('api_key').selectAll().where('hash', '=', hash));
      return row && { id: row.id, member: row.member, ...present({ revokedAt: row.revoked_at }) };
    },
  };
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
  };
}

function memberOf(row: MemberTable): Member {
  return {
    slug: row.slug,
    displayName: row.display_name,
    foundingMember: row.founding_member === 1,
    ...present({
      tier: row.tier,
      tierLabel: row.tier_label,
      subscriptionStatus: row.subscription_status,
      contact: parsed<Contact>(row.contact),
    }),
  };
}

/** The day on which an agent was added stays, whoever registers it later. */
function writeRegistration(database: SqliteDatabase, registration: NewRegistration, now: number): void {
  const changeable = {
    url: registration.url,
    member: registration.member,
    type: registration.type ?? null,
    name: registration.name ?? null,
    description: registration.description ?? null,
    contact: jsonOrNull(registration.contact),
  };
  const row = { ...changeable, agent: registration.agent, added_at: now };
  run(
    database,
    sql
      .insertInto('registration')
      .values(row)
      .onConflict((same) => same.column('agent').doUpdateSet(changeable)),
  );
}

/** A registration's URL is what is dialled, and the agent is due at once. */
function dial(database: SqliteDatabase, agent: string, url: string, now: number): void {
  const due = sql.updateTable('source').set((row) => ({
    url,
    next_visit_at: row.case().when('next_visit_at', '>', now).then(now).else(row.ref('next_visit_at')).end(),
  }));
  run(database, due.where('kind', '=', 'agent').where('key', '=', agent));
}

function markDirty(
  database: SqliteDatabase,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): void {
  const touched = sql.updateTable('agent').set((row) => ({
    revision: row('revision', '+', 1),
    dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
  }));
  run(database, touched.where('agent', 'in', agents));
}

function unknownMember(slug: string): RegistryError {
  return new RegistryError('not_found', `there is no member ${slug}`, {
    hint: 'import it first with registry members import FILE',
  });
}
