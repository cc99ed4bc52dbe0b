import { type Expression, sql as rawSql } from 'kysely';
import type { EdgeLog } from '../../../../ports/edge-log.ts';
import { lockAlone } from '../../locks.ts';
import type { Prepared, SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { createEdgeLogReader } from './edge-log-rows.ts';

interface Marked {
  readonly marked: readonly string[];
}
/** The number of the last row. */
interface Behind extends Marked {
  readonly last: number;
}

/** What is told of: rows of one table. */
interface Told {
  readonly select: Prepared<{ limit: number }, { id: number }>;
  readonly mark: Prepared<Marked & { now: number }, unknown>;
  readonly append: Prepared<Behind, unknown>;
}

/**
 * What began and ended between publishers and agents, by number. Visits only mark their rows and wait for nobody; the
 * numbers are given afterwards, under one lock, so that a reader that has seen a number misses nothing below it.
 */
export function createEdgeLog(store: SqlStore): EdgeLog {
  const entries: Told = {
    select: prepare(store, untold),
    mark: prepare(store, markTold),
    append: prepare(store, rowsOfEntries),
  };
  const files: Told = {
    select: prepare(store, untoldFiles),
    mark: prepare(store, markFilesTold),
    append: prepare(store, rowsOfFiles),
  };
  const readPage = createEdgeLogReader(store);
  const selectLast = prepare(store, lastRow);

  /** By their numbers: PostgreSQL guesses of a list that it is short, and of a subquery that it is not. */
  function* tell(told: Told, limit: number, now: number): SqlTask<number> {
    const rows = limit === 0 ? [] : yield* told.select.all({ limit });
    if (rows.length === 0) return 0;
    const marked = rows.map(({ id }) => String(id));
    yield* told.mark.run({ marked, now });
    const last = (yield* selectLast.first({}))?.seq ?? 0;
    return yield* told.append.run({ last, marked });
  }
  return {
    hasUntold: () =>
      store.read(function* () {
        const row = (yield* entries.select.first({ limit: 1 })) ?? (yield* files.select.first({ limit: 1 }));
        return row !== undefined;
      }),
    tellEdges: (limit, now) =>
      store.transaction(function* () {
        yield* lockAlone(store, 'edgeLog');
        const told = yield* tell(entries, limit, now);
        return told + (yield* tell(files, limit - told, now));
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

function markTold(param: Param<Marked & { now: number }>) {
  return sql
    .updateTable('authorisation')
    .set({ told_at: param('now') })
    .where('id', 'in', idsOf(param));
}

function untoldFiles(param: Param<{ limit: number }>) {
  return sql
    .selectFrom('declaration')
    .select('id')
    .where('told_at', 'is', null)
    .orderBy('id')
    .limit(param('limit'));
}

function markFilesTold(param: Param<Marked & { now: number }>) {
  return sql
    .updateTable('declaration')
    .set({ told_at: param('now') })
    .where('id', 'in', idsOf(param));
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

function rowsOfEntries(param: Param<Behind>) {
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
function rowsOfFiles(param: Param<Behind>) {
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
