import { type Expression, sql as rawSql } from 'kysely';
import type { EdgeLog } from '../../ports/edge-log.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type Prepared, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { UNTOLD } from '../visits/declaration-rows.ts';
import { createEdgeLogReader } from './edge-log-rows.ts';

interface Marked {
  readonly marked: readonly string[];
}
interface Append extends Marked {
  /** The number of the last row. */
  readonly last: number;
  readonly now: number;
}

/** What is told of: rows of one table. */
interface Told {
  readonly select: Prepared<{ limit: number }, MarkRow>;
  readonly append: Prepared<Append, unknown>;
  /** The mark that whatever is told of a row has told too. */
  readonly begun: number;
  readonly forgetEnded: Prepared<{ last: number }, unknown>;
}

type MarkRow = Tables['untold'];

/**
 * What began and ended between publishers and agents, by number. Visits only mark their rows and wait for nobody; the
 * numbers are given afterwards, under one lock, so that a reader that has seen a number misses nothing below it.
 */
export function createEdgeLog(store: SqlStore): EdgeLog {
  const entries: Told = {
    select: prepare(store, (param) => marksOf(param).where('what', '<=', UNTOLD.began)),
    append: prepare(store, rowsOfEntries),
    begun: UNTOLD.began,
    forgetEnded: prepare(store, (param) =>
      toldEnds(param, 'authorisation').where('what', '<=', UNTOLD.began),
    ),
  };
  const files: Told = {
    select: prepare(store, (param) => marksOf(param).where('what', '>', UNTOLD.began)),
    append: prepare(store, rowsOfFiles),
    begun: UNTOLD.fileCounts,
    forgetEnded: prepare(store, (param) => toldEnds(param, 'declaration').where('what', '>', UNTOLD.began)),
  };
  const forget = prepare(store, toldMarks);
  const readPage = createEdgeLogReader(store);
  const selectLast = prepare(store, lastRow);

  /** By their numbers: PostgreSQL guesses of a list that it is short, and of a subquery that it is not. */
  function* tell(told: Told, limit: number, now: number): SqlTask<number> {
    const marks = limit === 0 ? [] : yield* told.select.all({ limit });
    if (marks.length === 0) return 0;
    const last = (yield* selectLast.first({}))?.seq ?? 0;
    const marked = [...new Set(marks.map(({ id }) => String(id)))];
    yield* told.append.run({ last, now, marked });
    yield* forget.run({ what: told.begun, marked });
    for (const [what, those] of Map.groupBy(marks, (mark) => mark.what))
      if (what !== told.begun) yield* forget.run({ what, marked: those.map(({ id }) => String(id)) });
    yield* told.forgetEnded.run({ last }); // what ended since the marks were read is told as ended, too
    return marks.length;
  }
  return {
    hasUntold: () =>
      store.read(function* () {
        const row = (yield* entries.select.first({ limit: 1 })) ?? (yield* files.select.first({ limit: 1 }));
        return row !== undefined;
      }),
    tellEdges: (limit, now) =>
      store.transaction(function* () {
        yield* call((db) => lockAlone(db, 'edgeLog'));
        const told = yield* tell(entries, limit, now);
        return told + (yield* tell(files, limit - told, now));
      }),
    edgeChanges: (after, limit) => store.read(() => readPage(after, limit)),
    lastEdgeChange: async () => (await store.read(() => selectLast.first({})))?.seq ?? 0,
  };
}

function marksOf(param: Param<{ limit: number }>) {
  return sql.selectFrom('untold').select(['what', 'id']).orderBy('what').orderBy('id').limit(param('limit'));
}

function toldMarks(param: Param<Marked & { what: number }>) {
  return sql.deleteFrom('untold').where('what', '=', param('what')).where('id', 'in', idsOf(param));
}

function toldEnds(param: Param<{ last: number }>, table: 'authorisation' | 'declaration') {
  return sql
    .deleteFrom('untold')
    .where('id', 'in', (row) =>
      row
        .selectFrom('edge_log')
        .select(table)
        .where('seq', '>', param('last'))
        .where('ended_at', 'is not', null)
        .$castTo<{ [table]: number }>(),
    );
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

function rowsOfEntries(param: Param<Append>) {
  const rows = sql
    .selectFrom('authorisation')
    .select((row) => [
      nextSeq(row.val(param('last')), 'authorisation.id'),
      'id',
      'agent',
      'publisher',
      'scope',
    ])
    .select((row) => [row.cast<number>(row.lit(null), 'bigint').as('declaration'), 'seen_until'])
    .select(rawSql<number>`cast(${param('now')} as bigint)`.as('at'))
    .where('id', 'in', idsOf(param));
  return sql
    .insertInto('edge_log')
    .columns(COLUMNS)
    .expression(rows as never);
}

/** Without what an entry has. */
function rowsOfFiles(param: Param<Append>) {
  const rows = sql
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .select((row) => [
      nextSeq(row.val(param('last')), 'declaration.id'),
      row.lit(0).as('authorisation'),
      row.val('').as('agent'),
    ])
    .select((row) => ['source.key', row.val('').as('scope'), 'declaration.id', 'declaration.seen_until'])
    .select(rawSql<number>`cast(${param('now')} as bigint)`.as('at'))
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
