import type { EdgeLog } from '../../../../ports/edge-log.ts';
import { lockAlone } from '../../locks.ts';
import { type SqlStore, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { createEdgeLogReader } from './edge-log-rows.ts';

/**
 * What began and ended between publishers and agents, by number. Visits only mark their rows; the numbers are given
 * under one lock, so that a reader that has seen a number misses nothing below it.
 */
export function createEdgeLog(store: SqlStore): EdgeLog {
  const selectUntold = prepare(store, untold);
  const selectUntoldFiles = prepare(store, untoldFiles);
  const mark = prepare(store, markTold);
  const markFiles = prepare(store, markFilesTold);
  const insert = prepare(store, newRow);
  const readPage = createEdgeLogReader(store);
  const selectLast = prepare(store, lastRow);
  return {
    hasUntold: () =>
      store.read(function* () {
        const row =
          (yield* selectUntold.first({ limit: 1 })) ?? (yield* selectUntoldFiles.first({ limit: 1 }));
        return row !== undefined;
      }),
    tellEdges: (limit, now) =>
      store.transaction(function* () {
        yield* lockAlone(store, 'changeLog');
        const rows = (yield* mark.all({ limit, now })).toSorted(byId);
        yield* together(
          rows.map(({ id, agent, publisher, scope, seen_until }) =>
            insert.run({
              ...{ authorisation: id, agent, publisher, scope, declaration: null },
              ...{ ended_at: seen_until, at: now },
            }),
          ),
        );
        const left = limit - rows.length;
        const files = left === 0 ? [] : (yield* markFiles.all({ limit: left, now })).toSorted(byId);
        yield* together(
          files.map(({ id, publisher, seen_until }) =>
            insert.run({ ...OF_A_FILE, declaration: id, publisher, ended_at: seen_until, at: now }),
          ),
        );
        return rows.length + files.length;
      }),
    edgeChanges: (after, limit) => store.read(() => readPage(after, limit)),
    lastEdgeChange: async () => (await store.read(() => selectLast.first({})))?.seq ?? 0,
  };
}

/** What stands in the columns of an entry when the row is of a file. */
const OF_A_FILE = { authorisation: 0, agent: '', scope: '' };

function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
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

function untoldFiles(param: Param<{ limit: number }>) {
  return sql
    .selectFrom('declaration')
    .select('id')
    .where('told_at', 'is', null)
    .orderBy('id')
    .limit(param('limit'));
}

function markFilesTold(param: Param<{ limit: number; now: number }>) {
  return sql
    .updateTable('declaration')
    .set({ told_at: param('now') })
    .where('id', 'in', untoldFiles(param))
    .returning((row) => [
      'id',
      'seen_until',
      row
        .selectFrom('source')
        .select('key')
        .whereRef('source.id', '=', 'declaration.source')
        .$asScalar()
        .$notNull()
        .as('publisher'),
    ]);
}

interface NewRow {
  readonly authorisation: number;
  readonly agent: string;
  readonly publisher: string;
  readonly scope: string;
  readonly ended_at: number | null;
  readonly at: number;
  readonly declaration: number | null;
}

function newRow(param: Param<NewRow>) {
  return sql.insertInto('edge_log').values({
    authorisation: param('authorisation'),
    agent: param('agent'),
    publisher: param('publisher'),
    scope: param('scope'),
    ended_at: param('ended_at'),
    at: param('at'),
    declaration: param('declaration'),
  });
}

function lastRow(_place: Param<object>) {
  return sql.selectFrom('edge_log').select('seq').orderBy('seq', 'desc').limit(1);
}
