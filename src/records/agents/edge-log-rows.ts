import type { Selectable } from 'kysely';
import type { EdgeChange, FileChange } from '../../ports/edge-log.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { type EntryRow, liveEntry, shownTexts } from './live-entries.ts';

/** A row of the log, with what its entry says as it stands now; a file has none, nor has an entry that ended. */
type PageRow = Selectable<Tables['edge_log']> & { readonly stands: number } & (
    | EntryRow
    | { readonly sells: null }
  );

interface VersionRow {
  readonly id: number;
  readonly seen_until: number | null;
  readonly earlier: number | null;
}

/** Reads the rows of the edge log behind a number, each with what it is about as it stands now. */
export function createEdgeLogReader(
  store: SqlStore,
): (after: number, limit: number) => SqlTask<readonly (EdgeChange | FileChange)[]> {
  const selectPage = prepare(store, rowsAfter);
  const selectVersions = prepare(store, versionsAfter);
  return function* (after, limit) {
    const rows = yield* selectPage.all({ after, limit });
    const isOfFiles = rows.some(({ declaration }) => declaration !== null);
    const versions = byIds(isOfFiles ? yield* selectVersions.all({ after, limit }) : []);
    return rows.map((row) => {
      const version = row.declaration === null ? undefined : versions.get(row.declaration);
      return version ? fileChange(row, version) : entryChange(row);
    });
  };
}

function entryChange(row: PageRow): EdgeChange {
  const { seq, authorisation: id, agent, publisher, scope, at } = row;
  if (row.ended_at !== null)
    return { seq, id, agent, publisher, scope, at, kind: 'ended', stands: row.stands === 1 };
  if (row.sells !== 1) return { seq, id, agent, publisher, scope, at, kind: 'began', stands: false };
  return { seq, id, agent, publisher, scope, at, kind: 'began', stands: true, entry: liveEntry(row) };
}

function fileChange({ seq, publisher, at, ended_at }: PageRow, version: VersionRow): FileChange {
  const stands = version.seen_until === null;
  return {
    ...{ seq, publisher, at, kind: 'file', stands },
    isFirst: version.earlier === null,
    hasEnded: ended_at !== null,
  };
}

function byIds<T extends { readonly id: number }>(rows: readonly T[]): ReadonlyMap<number, T> {
  return new Map(rows.map((row) => [row.id, row]));
}

function rowsAfter(param: Param<{ after: number; limit: number }>) {
  return sql
    .selectFrom('edge_log')
    .leftJoin('authorisation', (entry) =>
      entry
        .onRef('authorisation.id', '=', 'edge_log.authorisation')
        .on('authorisation.seen_until', 'is', null),
    )
    .selectAll('edge_log')
    .select(['authorisation.id', 'entry', 'via', 'sells', 'seen_from', 'authorized_for'])
    .select(shownTexts as never)
    .select((row) =>
      row
        .case()
        .when(
          row('ended_at', 'is not', null).and(
            row.exists(
              row
                .selectFrom('authorisation as other')
                .select('other.id')
                .whereRef('other.agent', '=', 'edge_log.agent')
                .whereRef('other.publisher', '=', 'edge_log.publisher')
                .whereRef('other.scope', '=', 'edge_log.scope')
                .where('other.seen_until', 'is', null)
                .where('other.sells', '=', 1),
            ),
          ),
        )
        .then(1)
        .else(0)
        .end()
        .as('stands'),
    )
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit'))
    .$castTo<PageRow>();
}

/** The versions of files of the same rows: whether each counts now, and one that came before it. */
function versionsAfter(param: Param<{ after: number; limit: number }>) {
  return sql
    .selectFrom('declaration')
    .select(['id', 'seen_until'])
    .select((row) =>
      row
        .selectFrom('declaration as before')
        .select('before.id')
        .whereRef('before.source', '=', 'declaration.source')
        .whereRef('before.id', '<', 'declaration.id')
        .limit(1)
        .as('earlier'),
    )
    .where('id', 'in', filesIn(param));
}

function filesIn(param: Param<{ after: number; limit: number }>) {
  return sql
    .selectFrom('edge_log')
    .select('declaration')
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit'));
}
