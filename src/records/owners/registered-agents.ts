import { present } from '../../base/json.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import type { OwnerStore, RegisteredAgent } from '../../ports/owners.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { all, parsed, sql } from '../statements.ts';
import { registrationsWithProof } from './proven-owner.ts';

/** The agents that members have registered, page by page; with a member, those that are pending for it too. */
export function createRegisteredAgents(store: SqlStore): Pick<OwnerStore, 'registered'> {
  return {
    async registered({ member, agent, after = '', limit }) {
      const registered = registrations().where('registration.agent', '>', after);
      const wanted =
        member === undefined
          ? registered
          : registered
              .where('registration.member', '=', member)
              .unionAll(pendingFor(member).where('pending.agent', '>', after));
      const page = sql.selectFrom(wanted.as('one')).selectAll().orderBy('agent').limit(limit);
      const asked = agent === undefined ? page : page.where('agent', '=', agent);
      const rows = await store.read(() => all(store, asked));
      return rows.map(
        (row): RegisteredAgent => ({
          agent: row.agent,
          url: row.url,
          member: row.member,
          addedAt: row.added_at,
          ...present({ provenAt: row.proven_at, via: row.via, askedAgainAt: row.asked_again_at }),
          ...(row.is_pending === 1 && { isPending: true }),
          said: present({
            ...{ type: row.type, name: row.name, description: row.description },
            contact: parsed<Contact>(row.contact),
          }),
        }),
      );
    },
  };
}

function registrations() {
  return registrationsWithProof()
    .select([
      'registration.agent as agent',
      'registration.url',
      'registration.member',
      'registration.added_at',
    ])
    .select(['registration.type', 'registration.name', 'registration.description', 'registration.contact'])
    .select(['ownership.proven_at', 'ownership.via', 'ownership.asked_again_at'])
    .select((row) => row.lit<number>(0).as('is_pending'));
}

/** Without those that an operator has registered to the member: they stand there already. */
function pendingFor(member: string) {
  return sql
    .selectFrom('pending_registration as pending')
    .leftJoin('registration', (join) =>
      join
        .onRef('registration.agent', '=', 'pending.agent')
        .onRef('registration.member', '=', 'pending.member'),
    )
    .leftJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    )
    .select(['pending.agent as agent', 'pending.url', 'pending.member', 'pending.added_at'])
    .select(['pending.type', 'pending.name', 'pending.description', 'pending.contact'])
    .select(['ownership.proven_at', 'ownership.via', 'ownership.asked_again_at'])
    .select((row) => row.lit<number>(1).as('is_pending'))
    .where('pending.member', '=', member)
    .where('registration.agent', 'is', null);
}
