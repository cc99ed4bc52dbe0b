import type { FileKind } from '../../../../domain/declaration.ts';
import type { NewVisit } from '../../../../domain/source.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';

type Lead = Pick<NewVisit, 'kind' | 'key'>;

/**
 * Where a file that did not change leads, from the rows that stand: a named crawl visits the agents and domains of an
 * unchanged file too, and reads nothing anew for it.
 */
export function createKnownLeads(
  store: SqlStore,
): (declarer: string, file: FileKind) => Work<readonly Lead[]> {
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

function authorisedAgents(place: Place<{ declarer: string }>) {
  return sql
    .selectFrom('authorisation')
    .select('agent')
    .where('publisher', '=', place('declarer'))
    .where('seen_until', 'is', null);
}

function mentionedAgents(place: Place<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('mention')
    .select('agent')
    .where('declarer', '=', place('declarer'))
    .where('file', '=', place('file'))
    .where('seen_until', 'is', null);
}

function referredDomains(place: Place<{ declarer: string; file: FileKind }>) {
  return sql
    .selectFrom('reference_to')
    .select('domain')
    .where('declarer', '=', place('declarer'))
    .where('file', '=', place('file'));
}
