import type { Selectable } from 'kysely';
import type { EdgeChange, FileChange } from '../../../../ports/edge-log.ts';
import type { LiveEntry } from '../../../../ports/graph.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { entryRows, liveEntry } from './live-entries.ts';

type PageRow = Selectable<Tables['edge_log']> & { readonly stands: number };

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
  const selectEntries = prepare(store, entriesAfter);
  const selectVersions = prepare(store, versionsAfter);
  return function* (after, limit) {
    const rows = yield* selectPage.all({ after, limit });
    const isOfFiles = rows.some(({ declaration }) => declaration !== null);
    const isOfEntries = rows.some(({ declaration }) => declaration === null);
    const entries = byIds(isOfEntries ? (yield* selectEntries.all({ after, limit })).map(liveEntry) : []);
    const versions = byIds(isOfFiles ? yield* selectVersions.all({ after, limit }) : []);
    return rows.map((row) => {
      const version = versions.get(row.declaration ?? 0);
      return version ? fileChange(row, version) : entryChange(row, entries.get(row.authorisation));
    });
  };
}

function entryChange(row: PageRow, entry: LiveEntry | undefined): EdgeChange {
  const { seq, authorisation: id, agent, publisher, scope, at, ended_at } = row;
  const sold = entry?.sells ? { entry } : {};
  if (ended_at === null)
    return { ...{ seq, id, agent, publisher, scope, at, kind: 'began', stands: 'entry' in sold }, ...sold };
  return { seq, id, agent, publisher, scope, at, kind: 'ended', stands: row.stands === 1 };
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
    .selectAll()
    .select((row) =>
      row
        .case()
        .when(
          row('ended_at', 'is not', null).and(
            row.exists(
              row
                .selectFrom('authorisation')
                .select('authorisation.id')
                .whereRef('authorisation.agent', '=', 'edge_log.agent')
                .whereRef('authorisation.publisher', '=', 'edge_log.publisher')
                .whereRef('authorisation.scope', '=', 'edge_log.scope')
                .where('authorisation.seen_until', 'is', null)
                .where('authorisation.sells', '=', 1),
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
    .limit(param('limit'));
}

/** The entries of the same rows that stand, each by its number. */
function entriesAfter(param: Param<{ after: number; limit: number }>) {
  return entryRows().where('id', 'in', inRows(param, 'authorisation'));
}

function inRows(param: Param<{ after: number; limit: number }>, column: 'authorisation' | 'declaration') {
  return sql
    .selectFrom('edge_log')
    .select(column)
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit'));
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
    .where('id', 'in', inRows(param, 'declaration'));
}
