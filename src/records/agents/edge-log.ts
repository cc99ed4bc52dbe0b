import { type Selectable, sql } from 'kysely';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../tables.ts';
import { PENDING } from '../visits/declaration-rows.ts';
import { type EntryRow, type LiveEntry, liveEntry, shownTexts } from './entries.ts';
import { idsIn } from './queries.ts';

/** An entry of a file that began or ended, with its current state. */
export interface EdgeChange {
  readonly seq: number;
  /** Of the entry; one that comes again has another. */
  readonly id: number;
  readonly agent: string;
  readonly publisher: string;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly kind: 'began' | 'ended';
  /** The entry as it is now; absent when it ended, or covers nothing that the publisher has. */
  readonly entry?: LiveEntry;
  /** This entry covers something now; after an end, one with the same agent, publisher and scope does. */
  readonly isLive: boolean;
  /** When the row was appended; epoch milliseconds. */
  readonly at: number;
}

/** The adagents.json of a publisher that was found, has changed, or is gone. */
export interface FileChange {
  readonly seq: number;
  readonly kind: 'file';
  readonly publisher: string;
  /** No other version of the file was known before. */
  readonly isFirst: boolean;
  /** This version is the current one. */
  readonly isLive: boolean;
  /** It was deleted, or was no longer readable, when the row was appended. */
  readonly hasEnded: boolean;
  /** When the row was appended; epoch milliseconds. */
  readonly at: number;
}

/**
 * The log of edges: entries and files of publishers that began or ended, by number. Visits only mark their rows (table
 * `edge_log_pending`) and wait for no lock. The numbers are assigned afterwards, under one lock, so that a reader that
 * has seen a number misses nothing below it.
 */
export function createEdgeLog(database: RecordsDatabase) {
  return {
    /** Whether entries or files began or ended that have no row in the edge log yet. */
    hasPending: () => database.read(hasMarks),
    /**
     * Appends rows for at most `limit` of them to the edge log; returns how many there were. One process at a time does
     * this.
     */
    appendPending: (limit: number, now: number) => database.transaction((db) => appendMarked(db, limit, now)),
    /** The rows of the edge log behind a number, in order. */
    edgeChanges: (after: number, limit: number) => database.read((db) => readEdgeLog(db, after, limit)),
    /** The number of the last row; 0 for none. */
    lastEdgeChange: () => database.read(lastNumber),
  };
}

export type EdgeLog = ReturnType<typeof createEdgeLog>;

async function hasMarks(db: Db): Promise<boolean> {
  return (await db.selectFrom('edge_log_pending').select('id').limit(1).executeTakeFirst()) !== undefined;
}

async function lastNumber(db: Db): Promise<number> {
  const row = await db
    .selectFrom('edge_log')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** Appends what the first marks are about; returns how many marks these are. */
async function appendMarked(db: Db, limit: number, now: number): Promise<number> {
  await lockAlone(db, 'edgeLog');
  const entries = await appendMarkedRows(db, 'authorisation', limit, now);
  return entries + (await appendMarkedRows(db, 'declaration', limit - entries, now));
}

/** The marks that a table's rows may have, from the first to the last; the last one is that a row began. */
const MARKS = {
  authorisation: { first: PENDING.ended, began: PENDING.began },
  declaration: { first: PENDING.fileGone, began: PENDING.fileFound },
};

async function appendMarkedRows(
  db: Db,
  table: 'authorisation' | 'declaration',
  limit: number,
  now: number,
): Promise<number> {
  const { first, began } = MARKS[table];
  if (limit <= 0) return 0;
  const marks = await db
    .selectFrom('edge_log_pending')
    .select(['event', 'id'])
    .where('event', '>=', first)
    .where('event', '<=', began)
    .orderBy('event')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (marks.length === 0) return 0;
  const last = await lastNumber(db);
  const ids = [...new Set(marks.map(({ id }) => id))];
  await (table === 'authorisation' ? appendEntries(db, ids, last, now) : appendFiles(db, ids, last, now));
  // the log now has these rows: delete their `began` marks and the marks just read
  await deleteMarks(db, began, ids);
  for (const [event, those] of Map.groupBy(marks, (mark) => mark.event))
    if (event !== began)
      await deleteMarks(
        db,
        event,
        those.map(({ id }) => id),
      );
  // rows that ended after their marks were read were appended as ended, too
  await db
    .deleteFrom('edge_log_pending')
    .where('event', '>=', first)
    .where('event', '<=', began)
    .where('id', 'in', (row) =>
      row
        .selectFrom('edge_log')
        .select(table)
        .where('seq', '>', last)
        .where('ended_at', 'is not', null)
        .$castTo<{ id: number }>(),
    )
    .execute();
  return marks.length;
}

async function deleteMarks(db: Db, event: number, ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom('edge_log_pending')
    .where('event', '=', event)
    .where('id', 'in', idsIn(db, ids))
    .execute();
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

async function appendEntries(db: Db, ids: readonly number[], last: number, now: number): Promise<void> {
  await db
    .insertInto('edge_log')
    .columns(COLUMNS)
    .expression(
      db
        .selectFrom('authorisation')
        .select(({ lit, cast }) => [
          nextNumber(last, 'authorisation.id'),
          'id',
          'agent',
          'publisher',
          'scope',
          cast<number | null>(lit(null), 'bigint').as('declaration'),
          'seen_until',
          sql<number>`cast(${now} as bigint)`.as('at'),
        ])
        .where('id', 'in', idsIn(db, ids)),
    )
    .execute();
}

/** Rows of files have no entry, agent or scope. */
async function appendFiles(db: Db, ids: readonly number[], last: number, now: number): Promise<void> {
  await db
    .insertInto('edge_log')
    .columns(COLUMNS)
    .expression(
      db
        .selectFrom('declaration')
        .innerJoin('source', 'source.id', 'declaration.source')
        .select(({ lit }) => [
          nextNumber(last, 'declaration.id'),
          lit(0).as('authorisation'),
          sql.lit('').as('agent'),
          'source.key',
          sql.lit('').as('scope'),
          'declaration.id',
          'declaration.seen_until',
          sql<number>`cast(${now} as bigint)`.as('at'),
        ])
        .where('declaration.id', 'in', idsIn(db, ids)),
    )
    .execute();
}

function nextNumber(last: number, id: string) {
  return sql<number>`row_number() over (order by ${sql.ref(id)}) + ${last}`.as('seq');
}

/** A row of the log, with its entry as it is now; a row of a file or of an entry that ended has none. */
type PageRow = Selectable<Tables['edge_log']> & { readonly isLive: number } & (
    | EntryRow
    | { readonly sells: null }
  );

/** The rows of the log behind a number, each with the current state of what it is about. */
async function readEdgeLog(
  db: Db,
  after: number,
  limit: number,
): Promise<readonly (EdgeChange | FileChange)[]> {
  const rows = await readPage(db, after, limit);
  const files = rows.flatMap(({ declaration }) => declaration ?? []);
  const versions = await readVersions(db, files);
  return rows.map((row) => {
    const version = row.declaration === null ? undefined : versions.get(row.declaration);
    return version ? fileChange(row, version) : entryChange(row);
  });
}

function readPage(db: Db, after: number, limit: number): Promise<PageRow[]> {
  return db
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
        .as('isLive'),
    )
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .$castTo<PageRow>()
    .execute();
}

interface VersionRow {
  readonly id: number;
  readonly seen_until: number | null;
  /** A version of the same file that was there before; null: this is the first one. */
  readonly earlier: number | null;
}

async function readVersions(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, VersionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
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
    .where('id', 'in', idsIn(db, ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function entryChange(row: PageRow): EdgeChange {
  const { seq, authorisation: id, agent, publisher, scope, at } = row;
  const change = { seq, id, agent, publisher, scope, at };
  if (row.ended_at !== null) return { ...change, kind: 'ended', isLive: row.isLive === 1 };
  if (row.sells !== 1) return { ...change, kind: 'began', isLive: false };
  return { ...change, kind: 'began', isLive: true, entry: liveEntry(row) };
}

function fileChange({ seq, publisher, at, ended_at: endedAt }: PageRow, version: VersionRow): FileChange {
  return {
    seq,
    publisher,
    at,
    kind: 'file',
    isLive: version.seen_until === null,
    isFirst: version.earlier === null,
    hasEnded: endedAt !== null,
  };
}
