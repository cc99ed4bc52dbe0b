import type { FileKind } from '../../../../domain/declaration.ts';
import type { NewVisit } from '../../../../domain/source.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

type Lead = Pick<NewVisit, 'kind' | 'key'>;

/**
 * Where a file that did not change leads, from the rows that stand: a named crawl visits the agents and domains of an
 * unchanged file too, and reads nothing anew for it.
 */
export function createKnownLeads(
  store: SqlStore,
): (declarer: string, file: FileKind) => SqlTask<readonly Lead[]> {
  const authorised = prepare(store, authorisedAgents);
  const mentioned = prepare(store, mentionedAgents);
  const referred = prepare(store, referredDomains);
  return function* (declarer, file) {
    const agents = [
      ...(file === 'adagents' ? yield* authorised.all({ declarer }) : []),
      ...(yield* mentioned.all({ declarer, file })),
    ];
    const domains = yield* referred.all({ declarer, file });
    return [
      ...agents.map(({ agent }) => ({ kind: 'agent', key: agent }) as const),
      ...domains.map(({ domain }) => ({ kind: 'domain', key: domain }) as const),
    ];
  };
}

function authorisedAgents(param: Param<{ declarer: string }>) {
  return sql
    .selectFrom('authorisation')
    .select('agent')
    .where('publisher', '=', param('declarer'))
    .where('seen_until', 'is', null);
}

function mentionedAgents(param: Param<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('mention')
    .select('agent')
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'))
    .where('seen_until', 'is', null);
}

function referredDomains(param: Param<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('reference_to')
    .select('domain')
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'));
}
