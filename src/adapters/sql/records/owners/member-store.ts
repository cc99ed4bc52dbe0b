import { present } from '../../../../base/present.ts';
import type { Contact, Registration } from '../../../../domain/agent-facts.ts';
import { shellWord } from '../../../../domain/shell-word.ts';
import { RegistryError } from '../../../../errors.ts';
import type { Member, MemberStore, NewRegistration } from '../../../../ports/members.ts';
import { lockShared } from '../../locks.ts';
import type { MemberTable } from '../../schema-agents.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, first, run, sql } from '../../statements.ts';

import { markDirty, markOneDirty } from '../agents/mark-dirty.ts';
import { jsonOrNull, parsed } from '../json-column.ts';
import { reconsiderSoon } from '../runs/run-clock.ts';
import { createKnownSources } from '../sources/known-sources.ts';
import { audit } from './audit.ts';
import { unknownMember } from './known-members.ts';
import { createAgentLock, ownerOf } from './proven-owner.ts';
import { createRegistrationReader } from './registration-facts.ts';
import { removeMember } from './remove-member.ts';

/** Members and registrations; they are few and no crawl finds them again, so they are written durably. */
export function createMemberStore(store: SqlStore): MemberStore {
  const known = createKnownSources(store);
  const readRegistration = createRegistrationReader(store);
  const lockAgent = createAgentLock(store);

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
    yield* markDirty(
      store,
      sql.selectFrom('registration').select('agent').where('member', '=', member.slug),
      now,
    );
    return 'changed';
  }
  function* register(registration: NewRegistration, now: number): SqlTask<Registration> {
    yield* lockShared(store, 'contents'); // or the agent's source may be pruned meanwhile
    if ((yield* find(registration.member)) === undefined) throw unknownMember(registration.member);
    const { agent, url } = registration;
    yield* lockAgent(agent);
    const owner = yield* ownerOf(store, agent);
    if (owner !== undefined && owner.member !== registration.member)
      throw ownedBy(owner.member, registration);
    yield* writeRegistration(store, registration, now);
    const visit = { kind: 'agent', key: agent, url, foundVia: `member ${registration.member}` } as const;
    yield* known.add([{ visit, at: now }]);
    yield* known.addAgent(agent, now);
    yield* dial(store, agent, url, now);
    yield* markOneDirty(store, agent, now);
    yield* audit(store, {
      at: now,
      actor: 'operator',
      action: 'agent.register',
      subject: agent,
      details: JSON.stringify(registration),
    });
    return (yield* readRegistration(agent)) as Registration;
  }
  return {
    import: (members, now) =>
      store.durably(function* () {
        const counts = { added: 0, changed: 0, unchanged: 0 };
        const changed: string[] = [];
        for (const member of members) {
          const outcome = yield* importOne(member, now);
          counts[outcome] += 1;
          if (outcome === 'changed') changed.push(member.slug);
        }
        if (counts.added + counts.changed === 0) return counts;
        yield* reconsiderSoon(store, changed, now);
        const details = JSON.stringify(counts);
        yield* audit(store, {
          at: now,
          actor: 'operator',
          action: 'members.import',
          subject: 'members',
          details,
        });
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
    register: (registration, now) => store.durably(() => register(registration, now)),
    remove: (slug, now) => store.durably(() => removeMember(store, slug, now)),
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
function* writeRegistration(store: SqlStore, registration: NewRegistration, now: number): SqlTask<void> {
  const changeable = {
    url: registration.url,
    member: registration.member,
    type: registration.type ?? null,
    name: registration.name ?? null,
    description: registration.description ?? null,
    contact: jsonOrNull(registration.contact),
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

/** A registration's URL is what is dialled, and the agent is due at once. */
function* dial(store: SqlStore, agent: string, url: string, now: number): SqlTask<void> {
  const due = sql.updateTable('source').set((row) => ({
    url,
    next_visit_at: row.case().when('next_visit_at', '>', now).then(now).else(row.ref('next_visit_at')).end(),
  }));
  yield* run(store, due.where('kind', '=', 'agent').where('key', '=', agent));
}

function ownedBy(owner: string, { agent, member }: NewRegistration): RegistryError {
  return new RegistryError(
    'input_invalid',
    `${agent} is owned by ${owner}, who has proven control of its domain`,
    {
      hint: `whoever controls the domain now takes it over: registry agents challenge ${shellWord(agent)} --member ${member}`,
    },
  );
}
