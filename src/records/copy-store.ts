import { sql } from 'kysely';
import { RegistryError } from '../errors.ts';
import type { Db } from './database.ts';
import { LONGEST_LEASE_MS, tryLock } from './locks.ts';
import { runMigrations, SCHEMA_VERSION, schemaVersion } from './migrate.ts';
import type { PostgresOptions } from './postgres/connect.ts';
import { placeOf } from './postgres/postgres-error.ts';
import { createPostgresStore, type PostgresStore } from './postgres/postgres-store.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import { createSqliteStore, openDatabase } from './sqlite/database.ts';
import { corruptStore, missingStore } from './sqlite/store-error.ts';

interface MoveWanted {
  /** Epoch milliseconds: a lease that ends later is held by another process. */
  readonly now: number;
  /** Also while others work on the source: a copy of that moment, without what they write afterwards. */
  readonly live: boolean;
}

interface MoveOptions extends MoveWanted {
  readonly onProgress: (progress: MoveProgress) => void;
  readonly signal: AbortSignal;
}

export interface MoveProgress {
  readonly step: 'rows' | 'counts';
  /** Rows copied, of so many. */
  readonly done: number;
  readonly total: number;
}

export interface MovePlan {
  /** Schemas of the two; the target's is 0 when nothing is there yet. */
  readonly source: { readonly place: string; readonly schema: number };
  readonly target: { readonly place: string; readonly schema: number };
  readonly tables: readonly PlannedTable[];
  /** Why it cannot be done now, one sentence; absent: it can. */
  readonly refusal?: string;
}

interface PlannedTable {
  readonly name: string;
  /** Rows in the source. */
  readonly rows: number;
  /** Rows that the target holds now. */
  readonly targetRows: number;
}

export interface MovedTable {
  readonly name: string;
  readonly rows: number;
}

// `agent-registry migrate`: copies the records of an SQLite file into an empty PostgreSQL database, table by table.

/** Tables that are not copied: they belong to the processes of the old store. */
const NOT_COPIED: ReadonlySet<string> = new Set(['domain_turn', 'budget_use']);

/** Tables that a program fills by opening an empty store. */
const FILLED_BY_OPENING = ['meta', 'named_lease', 'domain_turn', 'budget_use'];

/** The leases of processes of the old store end with it. */
const RELEASES = [
  'UPDATE source SET lease_until = 0 WHERE lease_until <> 0',
  'UPDATE run_schedule SET lease_until = 0, lease_holder = NULL WHERE lease_until <> 0 OR lease_holder IS NOT NULL',
  'UPDATE named_lease SET until = 0 WHERE until <> 0',
];

/** Where processes that are at work have leases. */
const LEASED = [
  { table: 'source', until: 'lease_until', what: 'leased sources' },
  { table: 'run_schedule', until: 'lease_until', what: 'leased tests' },
  { table: 'named_lease', until: 'until', what: 'leases on other work' },
  { table: 'domain_turn', until: 'until', what: 'rate-limit states of domains' },
] as const;

/** One statement may count millions of rows. */
const LONG_MS = 6 * 3_600_000;
/** How long the source has to be unchanged after the copy. A writer that waits for a lock asks again much earlier. */
const QUIET_SECONDS = 1;
/** The limits of one insert. PostgreSQL accepts 65,535 parameters. */
const BATCH = { rows: 1_000, values: 60_000, bytes: 4 * 1024 * 1024 };

const SQLITE = /^sqlite:(.+)$/s;
const POSTGRES = /^postgres(ql)?:\/\//;

/**
 * Prepares a copy between two addresses as in REGISTRY_STORE. Throws `usage` unless they are an SQLite file and a
 * PostgreSQL database. The copy is one transaction in the target. The file is locked against writes meanwhile and stays
 * as it is.
 */
export function copyStore(from: string, to: string) {
  const { path, url } = addressesOf(from, to);
  const place = placeOf(url);
  return {
    /** Host, port and database of the target. */
    target: place,
    /** What both sides hold now, and whether it can be done. Writes nothing. */
    async plan(wanted: MoveWanted) {
      const source = await openSource(path, 'read');
      try {
        const target = await withTarget({ url }, (store) =>
          store.read((db) => contentsOf(db, place, source.tables())),
        );
        return planOf(source, place, target, wanted);
      } finally {
        source.close();
      }
    },
    /**
     * Copies everything, all of it or nothing: a process that is killed leaves an empty target. Rejects with a
     * RegistryError `store_locked` when others work on the source, `usage` when the target already holds records, `store_…` when one of the two cannot be used,
     * `interrupted` when the signal fires.
     */
    async run(options: MoveOptions) {
      const source = await openSource(path, 'lock');
      try {
        // a server that does not answer is reported before the source is locked
        await withTarget({ url }, (store) => store.read((db) => contentsOf(db, place, source.tables())));
        source.lock();
        const busy = busyText(source, options);
        if (busy !== undefined) throw sourceBusy(busy);
        // PostgreSQL must not end the transaction while this process is stopped, or reads a slow source
        return await withTarget({ url, timeoutMs: LONG_MS, idleMs: LONG_MS }, (store) =>
          store.transaction((db) => copy(db, source, place, options)),
        );
      } finally {
        source.close();
      }
    },
  };
}

async function copy(
  db: Db,
  source: Source,
  place: string,
  { onProgress, signal, live }: MoveOptions,
): Promise<readonly MovedTable[]> {
  if (!(await tryLock(db, 'storeCopy')))
    throw new RegistryError('store_locked', `another process is filling the database ${place}`, {
      hint: 'wait until it has finished, then check the plan again',
      retryable: true,
    });
  await waitForOthers(db);
  const tables = source.tables();
  const target = await contentsOf(db, place, tables);
  const refusal = refusalOf(place, target);
  if (refusal !== undefined) throw targetInUse(refusal, target);
  await runMigrations(db);
  for (const name of FILLED_BY_OPENING) await db.deleteFrom(name as 'meta').execute();

  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const report = (step: MoveProgress['step']) => {
    if (signal.aborted) throw stopped();
    onProgress({ step, done, total });
  };
  report('rows');
  for (const table of tables) {
    for (const batch of batchesOf(table, source.read(table))) {
      await db
        .insertInto(table.name as 'meta')
        .values(batch as never)
        .execute();
      done += batch.length;
      report('rows');
    }
  }
  for (const statement of RELEASES) await sql.raw(statement).execute(db);
  report('counts');
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const rows = await count(db, table.name);
    if (rows !== table.rows) throw differs(source.path, table, rows);
    if (table.identity !== undefined) await continueNumbers(db, table.name, table.identity);
    await sql.raw(`ANALYZE ${table.name}`).execute(db);
    moved.push({ name: table.name, rows });
  }
  if (!live) await ensureUnchanged(db, source);
  if (signal.aborted) throw stopped();
  return moved;
}

function stopped(): RegistryError {
  return new RegistryError('interrupted', 'stopped; the target is still empty and the source is unchanged', {
    hint: 'run the same command again to start over',
  });
}

/** A writer that was kept waiting by the copy writes as soon as the source is unlocked, before the target commits. */
async function ensureUnchanged(db: Db, source: Source): Promise<void> {
  source.unlock();
  await sql`SELECT pg_sleep(${QUIET_SECONDS})::text`.execute(db);
  if (source.hasChanged())
    throw sourceBusy(`${source.path} was changed during the copy; the target was rolled back`);
}

/** Numbers continue behind the last one that was given, whether its row still exists or not. */
async function continueNumbers(db: Db, table: string, { column, last }: Identity): Promise<void> {
  await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), greatest(${last}::bigint, 1), ${last}::bigint > 0)`.execute(
    db,
  );
}

type Row = Readonly<Record<string, unknown>>;

function* batchesOf({ columns }: SourceTable, rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(Object.fromEntries(columns.map((column) => [column, row[column]])));
    bytes += Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (
      batch.length >= BATCH.rows ||
      (batch.length + 1) * columns.length > BATCH.values ||
      bytes >= BATCH.bytes
    ) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}

// the source

interface Identity {
  readonly column: string;
  /** The last number that was given. */
  readonly last: number;
}

interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The column whose numbers the database gives. */
  readonly identity?: Identity;
}

interface Source {
  readonly path: string;
  /** With the rows that they have now. */
  tables(): readonly SourceTable[];
  read(table: SourceTable): Iterable<Row>;
  /** What processes are doing with the source, for people; undefined without a valid lease. */
  atWork(now: number): string | undefined;
  /** Locks the source against writes. Throws store_locked or store_unwritable. */
  lock(): void;
  unlock(): void;
  /** Whether the source changed since it was locked. */
  hasChanged(): boolean;
  close(): void;
}

async function openSource(path: string, access: 'read' | 'lock'): Promise<Source> {
  const database = openFile(path, access);
  try {
    const found = await createSqliteStore(database).read((db) => schemaVersion(db, path));
    if (found === 0) throw corruptStore(path);
    if (found !== SCHEMA_VERSION)
      throw new RegistryError(
        'usage',
        `the store ${path} has schema ${found}, but ${SCHEMA_VERSION} is required`,
        {
          hint: 'run a command that can write to the store once, for example "agent-registry prune", to upgrade it',
        },
      );
    return sourceOf(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function openFile(path: string, access: 'read' | 'lock'): SqliteDatabase {
  try {
    return openDatabase(path, access === 'read' ? { readOnly: true } : { create: false });
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'store_missing') throw error;
    throw missingStore(path, error.cause, { hint: 'check the path in --from' });
  }
}

function sourceOf(database: SqliteDatabase): Source {
  const number = (text: string, ...values: readonly (string | number)[]): number =>
    Number(database.guard(() => database.statement(text).get(...values))?.n ?? 0);
  let locked = '';
  return {
    path: database.path,
    tables: () => tablesOf(database, number),
    read: ({ name }) => database.statement(`SELECT * FROM ${name}`).iterate(),
    atWork(now) {
      // a lease that ends too far ahead was taken with a wrong clock
      const held = LEASED.map(({ table, until, what }) => {
        const text = `SELECT count(*) AS n FROM ${table} WHERE ${until} > ? AND ${until} <= ?`;
        return { what, n: number(text, now, now + LONGEST_LEASE_MS) };
      }).filter(({ n }) => n > 0);
      return held.length === 0 ? undefined : held.map(({ n, what }) => `${n} ${what}`).join(', ');
    },
    lock() {
      lock(database);
      locked = database.version();
    },
    unlock: () => database.exec('ROLLBACK'),
    hasChanged: () => database.version() !== locked,
    close: () => database.close(),
  };
}

/** The tables in the order in which they were created, so that no row comes before one that it refers to. */
function tablesOf(
  database: SqliteDatabase,
  number: (text: string, ...values: readonly (string | number)[]) => number,
): readonly SourceTable[] {
  const tables = database
    .statement(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'index_*'
        AND name NOT GLOB 'kysely_*' ORDER BY rowid`,
    )
    .all()
    .map((row) => String(row.name))
    .filter((name) => !NOT_COPIED.has(name));
  return tables.map((name) => {
    const columns = database.statement(`PRAGMA table_info(${name})`).all();
    const [key, second] = columns.filter(({ pk }) => Number(pk) > 0);
    const rows = number(`SELECT count(*) AS n FROM ${name}`);
    const table = { name, columns: columns.map((column) => String(column.name)), rows };
    if (key?.type !== 'INTEGER' || second !== undefined) return table;
    const column = String(key.name);
    const largest = number(`SELECT max(${column}) AS n FROM ${name}`);
    // of a table whose last rows were deleted, only SQLite's own note has the last number
    const hasNote = number("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sqlite_sequence'") > 0;
    const noted = hasNote ? number('SELECT seq AS n FROM sqlite_sequence WHERE name = ?', name) : 0;
    return { ...table, identity: { column, last: Math.max(largest, noted) } };
  });
}

function lock(database: SqliteDatabase): void {
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'store_unwritable') throw error;
    throw new RegistryError(
      'store_unwritable',
      `the store ${database.path} cannot be locked against writes`,
      {
        hint: 'run the command as a user who can write to the file, or copy it (with its -wal file) to your own folder and migrate the copy',
        cause: error.cause,
      },
    );
  }
}

/** Why the source cannot be copied now; undefined if it can. */
function busyText(source: Source, { now, live }: MoveWanted): string | undefined {
  const work = live ? undefined : source.atWork(now);
  return (
    work && `processes are using ${source.path} (${work}): changes they make after the copy would be lost`
  );
}

function sourceBusy(why: string): RegistryError {
  return new RegistryError('store_locked', why, {
    hint: 'stop them and wait a few minutes until their leases expire; or add --live to copy the current state anyway',
    retryable: true,
  });
}

// the target

interface TargetContents {
  /** 0 for a database without tables. */
  readonly schema: number;
  readonly rows: ReadonlyMap<string, number>;
  /** Connections of other registry processes. */
  readonly others: number;
}

async function contentsOf(db: Db, place: string, tables: readonly SourceTable[]): Promise<TargetContents> {
  const schema = await schemaVersion(db, place);
  const rows = new Map<string, number>();
  if (schema > 0) for (const { name } of tables) rows.set(name, await count(db, name));
  return { schema, rows, others: await countOthers(db) };
}

async function count(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`.execute(db);
  return rows[0]?.n ?? 0;
}

async function countOthers(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'agent-registry' AND pid <> pg_backend_pid()`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** The server lists a closed connection for a moment, such as the one of the check before. */
async function waitForOthers(db: Db): Promise<void> {
  for (let reads = 0; reads < 10 && (await countOthers(db)) > 0; reads += 1) {
    await sql`SELECT pg_sleep(0.1)::text`.execute(db);
    await sql`SELECT pg_stat_clear_snapshot()::text`.execute(db); // a transaction sees the list as it first read it
  }
}

/** Why nothing can be copied there; undefined if it can. */
function refusalOf(place: string, { rows, others }: TargetContents): string | undefined {
  const held = [...rows].find(([table, n]) => n > 0 && !FILLED_BY_OPENING.includes(table));
  if (held !== undefined)
    return `the database ${place} already holds records (${held[1]} in the table ${held[0]})`;
  return others > 0 ? `other registry processes have ${others} open connections to ${place}` : undefined;
}

function targetInUse(refusal: string, { others }: TargetContents): RegistryError {
  return new RegistryError('usage', refusal, {
    hint:
      others > 0
        ? 'stop all processes that use this database, then try again'
        : 'give the address of an empty database; existing records are never overwritten',
  });
}

function differs(path: string, { name, rows: wanted }: SourceTable, rows: number): RegistryError {
  return new RegistryError(
    'store_corrupt',
    `table ${name} of ${path} has ${wanted} rows, but ${rows} were copied; the target was rolled back`,
    { hint: 'check the SQLite file with "PRAGMA integrity_check"; if it is damaged, restore a backup' },
  );
}

function planOf(source: Source, place: string, held: TargetContents, wanted: MoveWanted): MovePlan {
  const refusal = busyText(source, wanted) ?? refusalOf(place, held);
  return {
    source: { place: source.path, schema: SCHEMA_VERSION },
    target: { place, schema: held.schema },
    tables: source.tables().map(({ name, rows }) => ({ name, rows, targetRows: held.rows.get(name) ?? 0 })),
    ...(refusal !== undefined && { refusal }),
  };
}

async function withTarget<T>(
  options: Pick<PostgresOptions, 'url' | 'timeoutMs' | 'idleMs'>,
  work: (store: PostgresStore) => Promise<T>,
): Promise<T> {
  const store = createPostgresStore({ ...options, connections: 1 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function addressesOf(from: string, to: string): { readonly path: string; readonly url: string } {
  if (POSTGRES.test(from) && POSTGRES.test(to))
    throw wrong(
      '--from and --to are both PostgreSQL addresses',
      'use pg_dump and pg_restore to move a database',
    );
  if (POSTGRES.test(from))
    throw wrong('records can be moved from SQLite to PostgreSQL only', 'give --from sqlite:PATH');
  const path = SQLITE.exec(from)?.[1];
  if (path === undefined)
    throw wrong('--from is not the address of an SQLite store', 'write it as sqlite:PATH');
  if (SQLITE.test(to))
    throw wrong(
      '--from and --to are both SQLite files',
      'to copy a file, use sqlite3 FILE ".backup COPY"; --to must be a PostgreSQL address',
    );
  if (!POSTGRES.test(to) || !URL.canParse(to))
    throw wrong(
      '--to is not the address of a PostgreSQL database',
      'write it as postgres://user:password@host/database',
    );
  return { path, url: to };
}

/** The addresses may contain a password, so messages leave them out. */
function wrong(message: string, hint: string): RegistryError {
  return new RegistryError('usage', message, { hint });
}
