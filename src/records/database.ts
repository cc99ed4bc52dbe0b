import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * The records' SQL runs on Kysely, on SQLite and on PostgreSQL. Functions that run queries take a `db`, which is either the
 * database or a transaction, and pass it on; only the methods of a store begin a read or a transaction:
 *
 * ```ts
 * async function rename(db: Db, slug: string, name: string): Promise<boolean> {
 *   const { numUpdatedRows } = await db
 *     .updateTable('member').set({ display_name: name }).where('slug', '=', slug).executeTakeFirst();
 *   return numUpdatedRows > 0n;
 * }
 *
 * const members = { rename: (slug: string, name: string) => database.durably((db) => rename(db, slug, name)) };
 * ```
 *
 * SQLite has one connection, which a read or a transaction holds until it ends. So work on it must wait for nothing but its
 * queries, and must not begin another read or transaction: that would wait for itself.
 */
export type Db = Kysely<Tables>;

/** A database that holds the records. */
export interface RecordsDatabase {
  readonly dialect: Dialect;
  /** Opened for reading only: every write is refused. */
  readonly readOnly: boolean;
  /** Runs queries that write nothing, on one connection. Rejects with a RegistryError `store_…` if the store fails. */
  read<T>(work: (db: Db) => Promise<T>, limits?: Limits): Promise<T>;
  /**
   * Runs `work` in one transaction: all of its writes are kept, or none. It is run again after a conflict with another
   * process or a lost connection, so it must change nothing in memory that it does not set anew each time.
   */
  transaction<T>(work: (db: Db) => Promise<T>, limits?: Limits): Promise<T>;
  /**
   * A transaction that is on the disk when it resolves, and survives a loss of power. For what no crawl can find again:
   * members, registrations, secrets.
   */
  durably<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export type Dialect = 'sqlite' | 'postgres';

/** For administrative work, which takes longer than a request may. */
export interface Limits {
  /** How long one statement may take, and wait for a lock, milliseconds. */
  readonly longMs: number;
}

/** For searches that may read all rows, outside of requests. */
export const BACKGROUND_LIMITS: Limits = { longMs: 10 * 60_000 };

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * A list of texts as one parameter, for lists of any length: `where('agent', 'in', listOf(db, agents))`. SQLite limits a
 * statement to 32,766 parameters, and PostgreSQL has no empty `in ()`.
 */
export function listOf(db: Db, values: readonly string[]): RawBuilder<string> {
  return isPostgres(db)
    ? sql`(select unnest(${values}::text[]))`
    : sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** The same as a table to select from or to join, with the columns `value` and `place`, which counts from 1. */
export function tableOf(db: Db, values: readonly string[]) {
  const table = isPostgres(db)
    ? sql<{ value: string; place: number }>`unnest(${values}::text[]) with ordinality`
    : sql<{
        value: string;
        place: number;
      }>`(select value, key + 1 as place from json_each(${JSON.stringify(values)}))`;
  return isPostgres(db) ? table.as<'listed'>(sql`listed(value, place)`) : table.as('listed');
}

/** The greater of two numbers. */
export function greatest(db: Db, a: Expression<number>, b: Expression<number>): RawBuilder<number> {
  return isPostgres(db) ? sql`greatest(${a}, ${b})` : sql`max(${a}, ${b})`;
}

/** Rows of one insert: with the columns of our widest table this stays below the parameters that a statement may have. */
const ROWS_OF_AN_INSERT = 500;

/** Runs an insert for rows of any number, several in each statement. */
export async function insertInChunks<Row>(
  rows: readonly Row[],
  insert: (rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_OF_AN_INSERT)
    await insert(rows.slice(from, from + ROWS_OF_AN_INSERT));
}

/**
 * A value as both databases keep it: PostgreSQL has no NUL in a text
 * (https://www.postgresql.org/docs/current/datatype-character.html).
 */
export function storable(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Parses a JSON column, which this program wrote; null becomes undefined. */
export function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** The JSON text of a column; undefined and null become null. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
