import type { EdgeChange, EdgeLog } from '../../../../ports/edge-log.ts';
import { lockAlone } from '../../locks.ts';
import { type SqlStore, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { entryRows, liveEntry } from './live-entries.ts';

/**
 * What began and ended between publishers and agents, by number. Visits only mark their rows; the numbers are given
 * under one lock, so that a reader that has seen a number misses nothing below it.
 */
export function createEdgeLog(store: SqlStore): EdgeLog {
  const selectUntold = prepare(store, untold);
  const mark = prepare(store, markTold);
  const insert = prepare(store, newRow);
  const selectPage = prepare(store, rowsAfter);
  const selectEntries = prepare(store, entriesAfter);
  const selectLast = prepare(store, lastRow);
  return {
    hasUntold: async () => (await store.read(() => selectUntold.first({ limit: 1 }))) !== undefined,
    tellEdges: (limit, now) =>
      store.transaction(function* () {
        yield* lockAlone(store, 'changeLog');
        const rows = (yield* mark.all({ limit, now })).toSorted((a, b) => a.id - b.id);
        yield* together(
          rows.map(({ id, agent, publisher, scope, seen_until }) =>
            insert.run({ authorisation: id, agent, publisher, scope, ended_at: seen_until, at: now }),
          ),
        );
        return rows.length;
      }),
    edgeChanges: (after, limit) =>
      store.read(function* () {
        const rows = yield* selectPage.all({ after, limit });
        if (rows.length === 0) return [];
        const found = yield* selectEntries.all({ after, limit });
        const entries = new Map(found.map((row) => [row.id, liveEntry(row)]));
        return rows.map((row): EdgeChange => {
          const entry = entries.get(row.authorisation);
          return {
            ...{ seq: row.seq, agent: row.agent, publisher: row.publisher, scope: row.scope, at: row.at },
            kind: row.ended_at === null ? 'began' : 'ended',
            ...(entry?.sells && { entry }),
            stands: row.stands === 1,
          };
        });
      }),
    lastEdgeChange: async () => (await store.read(() => selectLast.first({})))?.seq ?? 0,
  };
}

function untold(param: Param<{ limit: number }>) {
  return sql
    .selectFrom('authorisation')
    .select('id')
    .where('told_at', 'is', null)
    .orderBy('id')
    .limit(param('limit'));
}

function markTold(param: Param<{ limit: number; now: number }>) {
  return sql
    .updateTable('authorisation')
    .set({ told_at: param('now') })
    .where('id', 'in', untold(param))
    .returning(['id', 'agent', 'publisher', 'scope', 'seen_until']);
}

interface NewRow {
  readonly authorisation: number;
  readonly agent: string;
  readonly publisher: string;
  readonly scope: string;
  readonly ended_at: number | null;
  readonly at: number;
}

function newRow(param: Param<NewRow>) {
  return sql.insertInto('edge_log').values({
    authorisation: param('authorisation'),
    agent: param('agent'),
    publisher: param('publisher'),
    scope: param('scope'),
    ended_at: param('ended_at'),
    at: param('at'),
  });
}

function rowsAfter(param: Param<{ after: number; limit: number }>) {
  return sql
    .selectFrom('edge_log')
    .selectAll()
    .select((row) =>
      row
        .case()
        .when(
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
  const page = sql
    .selectFrom('edge_log')
    .select('authorisation')
    .where('seq', '>', param('after'))
    .orderBy('seq')
    .limit(param('limit'));
  return entryRows().where('id', 'in', page);
}

function lastRow(_place: Param<object>) {
  return sql.selectFrom('edge_log').select('seq').orderBy('seq', 'desc').limit(1);
}
