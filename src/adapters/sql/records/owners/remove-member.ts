import { RegistryError } from '../../../../errors.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { first, run, sql } from '../../statements.ts';

import { auditDeed, OPERATOR } from './audit.ts';
import { requireMember } from './known-members.ts';

/** Tables whose rows are about one member and go with it; the audit log stays. */
const OF_A_MEMBER = ['api_key', 'ownership', 'ownership_challenge', 'test_credential'] as const;

/** Deletes a member to whom no agent is registered. */
export function* removeMember(store: SqlStore, slug: string, now: number): SqlTask<void> {
  yield* requireMember(store, slug);
  const agents = sql.selectFrom('registration').select('agent').where('member', '=', slug).limit(1);
  const held = yield* first(store, agents);
  if (held !== undefined) throw hasAgents(slug, held.agent);
  for (const table of OF_A_MEMBER) yield* run(store, sql.deleteFrom(table).where('member', '=', slug));
  yield* run(store, sql.deleteFrom('member').where('slug', '=', slug));
  yield* auditDeed(store, { at: now, actor: OPERATOR, action: 'member.remove', subject: slug });
}

function hasAgents(slug: string, agent: string): RegistryError {
  return new RegistryError('input_invalid', `agents are registered to ${slug}, ${agent} for one`, {
    hint: `take them away first: registry agents list --member ${slug}, then registry agents unregister URL --member ${slug}`,
  });
}
