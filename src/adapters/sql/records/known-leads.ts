import type { FileKind } from '../../../domain/declaration.ts';
import type { NewVisit } from '../../../domain/source.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';

type Lead = Pick<NewVisit, 'kind' | 'key'>;

/**
 * Where a file that did not change leads, from the rows that stand: a named crawl visits the agents and domains of an
 * unchanged file too, and reads nothing anew for it.
 */
export function createKnownLeads(
  database: SqliteDatabase,
): (declarer: string, file: FileKind) => readonly Lead[] {
  const authorised = prepare(database, authorisedAgents);
  const mentioned = prepare(database, mentionedAgents);
  const referred = prepare(database, referredDomains);
  return (declarer, file) => [
    ...(file === 'adagents' ? authorised.all({ declarer }) : []).map(
      ({ agent }) => ({ kind: 'agent', key: agent }) as const,
    ),
    ...mentioned.all({ declarer, file }).map(({ agent }) => ({ kind: 'agent', key: agent }) as const),
    ...referred.all({ declarer, file }).map(({ domain }) => ({ kind: 'domain', key: domain }) as const),
  ];
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
