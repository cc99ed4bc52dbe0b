import type { MemberStore } from '../../ports/members.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { registrationsWithProof } from './proven-owner.ts';
import { memberCard } from './registrations.ts';

/** Reads the members whose agents everybody sees. */
export function createShownMembers(store: SqlStore): Pick<MemberStore, 'shown'> {
  const selectMembers = prepare(store, membersWithAgents);
  const selectMember = prepare(store, memberWithAgents);
  const selectAgents = prepare(store, agentsWithDocument);
  return {
    shown: ({ slug, after = '', limit, agents: most }) =>
      store.read(function* () {
        const found = yield* slug === undefined
          ? selectMembers.all({ after, limit })
          : selectMember.all({ slug, limit });
        const shown = [];
        for (const row of found) {
          const agents = yield* selectAgents.all({ member: row.slug, limit: most + 1 });
          shown.push({
            ...memberCard(row),
            agents: agents
              .slice(0, most)
              .map(({ agent, proven_at }) => ({ agent, proven: proven_at !== null })),
            isCut: agents.length > most,
          });
        }
        return shown;
      }),
  };
}

function shownMembers(limit: ReturnType<Param<{ limit: number }>>) {
  return sql
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
}

function membersWithAgents(param: Param<{ after: string; limit: number }>) {
  return shownMembers(param('limit')).where('member.slug', '>', param('after'));
}

function memberWithAgents(param: Param<{ slug: string; limit: number }>) {
  return shownMembers(param('limit')).where('member.slug', '=', param('slug'));
}

function agentsWithDocument(param: Param<{ member: string; limit: number }>) {
  return registrationsWithProof()
    .innerJoin('document', 'document.agent', 'registration.agent')
    .select(['registration.agent', 'ownership.proven_at'])
    .where('registration.member', '=', param('member'))
    .where('document.value', 'is not', null)
    .orderBy('registration.agent')
    .limit(param('limit'));
}
