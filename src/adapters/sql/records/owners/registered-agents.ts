import { present } from '../../../../base/present.ts';
import type { OwnerStore, RegisteredAgent } from '../../../../ports/owners.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { all, sql } from '../../statements.ts';

/** The agents that members have registered, page by page. */
export function createRegisteredAgents(store: SqlStore): Pick<OwnerStore, 'registered'> {
  return {
    async registered({ member, after, limit }) {
      const wanted = sql
        .selectFrom('registration')
        .leftJoin('ownership', (join) =>
          join
            .onRef('ownership.agent', '=', 'registration.agent')
            .onRef('ownership.member', '=', 'registration.member'),
        )
        .select(['registration.agent', 'registration.url', 'registration.member', 'registration.added_at'])
        .select(['ownership.proven_at', 'ownership.via'])
        .orderBy('registration.agent')
        .limit(limit);
      const theirs = member === undefined ? wanted : wanted.where('registration.member', '=', member);
      const page = after === undefined ? theirs : theirs.where('registration.agent', '>', after);
      const rows = await store.read(() => all(store, page));
      return rows.map(
        (row): RegisteredAgent => ({
          agent: row.agent,
          url: row.url,
          member: row.member,
          addedAt: row.added_at,
          ...present({ provenAt: row.proven_at, via: row.via }),
        }),
      );
    },
  };
}
