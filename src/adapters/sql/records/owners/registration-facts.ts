import type { Selectable } from 'kysely';
import { present } from '../../../../base/present.ts';
import type { Contact, MemberCard, Registration } from '../../../../domain/agent-facts.ts';
import type { MemberTable } from '../../schema-agents.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

import { parsed } from '../json-column.ts';

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
      }),
    };
  };
}

/** The member as the wire shows it (specification, 2.1). */
function memberCard(row: Selectable<MemberTable>): MemberCard {
  return {
    slug: row.slug,
    display_name: row.display_name,
    ...present({ membership_tier: row.tier, membership_tier_label: row.tier_label }),
    is_founding_member: row.founding_member === 1,
  };
}

function registrationWithMember(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('registration')
    .innerJoin('member', 'member.slug', 'registration.member')
    .leftJoin('ownership', (join) =>
      join
        .onRef('ownership.agent', '=', 'registration.agent')
        .onRef('ownership.member', '=', 'registration.member'),
    )
    .selectAll('member')
    .select(['registration.type', 'registration.name', 'registration.description', 'registration.added_at'])
    .select(['registration.contact as agent_contact', 'ownership.proven_at'])
    .where('registration.agent', '=', param('agent'));
}
