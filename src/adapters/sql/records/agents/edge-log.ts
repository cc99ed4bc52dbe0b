import { type Expression, sql as rawSql } from 'kysely';
import type { EdgeLog } from '../../../../ports/edge-log.ts';
import { lockAlone } from '../../locks.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, type Prepared, prepare, sql } from '../../statements.ts';
import { createEdgeLogReader } from './edge-log-rows.ts';

/**
 * What began and ended between publishers and agents, by number. Visits only mark their rows and wait for nobody; the
 * numbers are given afterwards, under one lock, so that a reader that has seen a number misses nothing below it.
 */
export function createEdgeLog(store: SqlStore): EdgeLog {
  const selectUntold = prepare(store, untold);
  const selectUntoldFiles = prepare(store, untoldFiles);
  const mark = prepare(store, markTold);
  const markFiles = prepare(store, markFilesTold);
  const insertEntries = prepare(store, rowsOfEntries);
  const insertFiles = prepare(store, rowsOfFiles);
  const readPage = createEdgeLogReader(store);
  const selectLast = prepare(store, lastRow);

  /** One statement for all of them. */
  function* append(
    insert: Prepared<Marked, unknown>,
    rows: readonly { readonly id: number }[],
  ): SqlTask<number> {
    if (rows.length === 0) return 0;
    const last = (yield* selectLast.first({}))?.seq ?? 0;
    return yield* insert.run({ last, marked: rows.map(({ id }) => String(id)) });
  }
  return {
    hasUntold: () =>
      store.read(function* () {
        const row =
          (yield* selectUntold.first({ limit: 1 })) ?? (yield* selectUntoldFiles.first({ limit: 1 }));
        return row !== undefined;
      }),
    tellEdges: (limit, now) =>
      store.transaction(function* () {
        yield* lockAlone(store, 'edgeLog');
        const entries = yield* mark.all({ limit, now });
        const left = limit - entries.length;
        const files = left === 0 ? [] : yield* markFiles.all({ limit: left, now });
        return (yield* append(insertEntries, entries)) + (yield* append(insertFiles, files));
      }),
    edgeChanges: (after, limit) => store.read(() => readPage(after, limit)),
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
    .returning('id');
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
    .returning('id');
}

/** Rows that are to be told of, numbered behind the last one. */
interface Marked {
  readonly last: number;
  readonly marked: readonly string[];
}

const COLUMNS = [
  'seq',
  'authorisation',
  'agent',
  'publisher',
  'scope',
  'declaration',
  'ended_at',
  'at',
] as const;

function rowsOfEntries(param: Param<Marked>) {
  const rows = sql
    .selectFrom('authorisation')
    .select((row) => [
      nextSeq(row.val(param('last')), 'authorisation.id'),
      'id',
      'agent',
      'publisher',
      'scope',
    ])
    .select((row) => [row.cast<number>(row.lit(null), 'bigint').as('declaration'), 'seen_until', 'told_at'])
    .where('id', 'in', idsOf(param));
  return sql
    .insertInto('edge_log')
    .columns(COLUMNS)
    .expression(rows as never);
}

/** Without what an entry has. */
function rowsOfFiles(param: Param<Marked>) {
  const rows = sql
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .select((row) => [
      nextSeq(row.val(param('last')), 'declaration.id'),
      row.lit(0).as('authorisation'),
      row.val('').as('agent'),
    ])
    .select((row) => [
      'source.key',
      row.val('').as('scope'),
      'declaration.id',
      'declaration.seen_until',
      'told_at',
    ])
    .where('declaration.id', 'in', idsOf(param));
  return sql
    .insertInto('edge_log')
    .columns(COLUMNS)
    .expression(rows as never);
}

function nextSeq(last: Expression<number>, id: string) {
  return rawSql<number>`row_number() over (order by ${rawSql.ref(id)}) + ${last}`.as('seq');
}

function idsOf(param: Param<Marked>) {
  return sql
    .selectFrom(param.listed('marked'))
    .select((row) => row.cast<number>('listed.value', 'bigint').as('id'));
}

function lastRow(_place: Param<object>) {
  return sql.selectFrom('edge_log').select('seq').orderBy('seq', 'desc').limit(1);
}
