import { RegistryError } from '../../errors.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import { openDatabase } from '../sqlite/database.ts';
import { schemaVersion } from '../sqlite/migrate-sqlite.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { corruptStore, missingStore } from '../sqlite/store-error.ts';
import { countText, isCopied, quotedName, selectText, type Table, tablesOfSchema } from './tables.ts';

/** The store that is moved, in its own schema. */
export interface Source {
  readonly path: string;
  readonly schema: number;
  readonly tables: readonly Table[];
  count(table: Table): number;
  /** One row at a time, its values in the order of the columns; only one such reading of a table at once. */
  rows(table: Table): Iterable<readonly unknown[]>;
  /** The last number that an identity column has given. */
  lastNumber(table: Table, column: string): number;
  /** What others are at in it, for people; undefined when no lease and no turn is anybody's at that time. */
  atWork(now: number): string | undefined;
  /** Nobody else writes from here on until `close`; readers go on. Throws store_locked or store_unwritable. */
  lock(): void;
  /** Others may write again, and those that were kept from it do so at once. */
  unlock(): void;
  /** Whether the source changed since the lock was taken. */
  hasChanged(): boolean;
  close(): void;
}

/** Opens a store of any schema that this program knows. Throws store_missing, store_newer or store_corrupt. */
export function openSource(path: string, access: 'read' | 'lock'): Source {
  const database = openFile(path, access);
  try {
    const schema = schemaVersion(database);
    if (schema === 0) throw corruptStore(path);
    return sourceOf(database, schema);
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

function sourceOf(database: SqliteDatabase, schema: number): Source {
  const number = (sql: string, ...values: readonly string[]): number => {
    const row = database.guard(() => database.statement(sql).get(...values)) as { rows: number } | undefined;
    return row?.rows ?? 0;
  };
  const largest = (table: Table, column: string) =>
    number(`SELECT max(${quotedName(column)}) AS rows FROM ${quotedName(table.name)}`);
  const tables = tablesOfSchema(schema);
  let locked = '';
  return {
    path: database.path,
    schema,
    tables,
    count: (table) => (isCopied(table) ? number(countText(table)) : 0),
    rows: (table) => {
      const statement = database.statement(selectText(table));
      statement.setReturnArrays(true);
      return statement.iterate() as unknown as Iterable<readonly unknown[]>;
    },
    // of a table whose last rows were deleted only SQLite's own note knows the last number
    lastNumber: (table, column) =>
      Math.max(
        largest(table, column),
        number('SELECT seq AS rows FROM sqlite_sequence WHERE name = ?', table.name),
      ),
    atWork: (now) => {
      const held = LEASED.filter(({ table }) => tables.some(({ name }) => name === table)).map(
        ({ table, until, what }) => ({
          what,
          count: number(countLeased(table, until), String(now), String(now + LONGEST_LEASE_MS)),
        }),
      );
      const parts = held.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`);
      return parts.length === 0 ? undefined : parts.join(', ');
    },
    lock: () => {
      lock(database);
      locked = database.version();
    },
    unlock: () => database.guard(() => void database.statement('ROLLBACK').run()),
    hasChanged: () => database.version() !== locked,
    close: () => database.close(),
  };
}

/** What says that a process is at work: until when it has something. */
const LEASED = [
  { table: 'source', until: 'lease_until', what: 'leased sources' },
  { table: 'run_schedule', until: 'lease_until', what: 'leased tests' },
  { table: 'named_lease', until: 'until', what: 'leases on other work' },
  { table: 'domain_turn', until: 'until', what: 'rate-limit states of domains' },
] as const;

/** A lease that ends too far ahead was taken with a wrong clock and is ignored. */
function countLeased(table: string, until: string): string {
  const column = quotedName(until);
  return `SELECT count(*) AS rows FROM ${quotedName(table)} WHERE ${column} > CAST(? AS INTEGER) AND ${column} <= CAST(? AS INTEGER)`;
}

function lock(database: SqliteDatabase): void {
  try {
    database.guard(() => database.statement('BEGIN IMMEDIATE').run());
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'store_unwritable') throw error;
    throw new RegistryError(
      'store_unwritable',
      `the store ${database.path} cannot be locked against writes`,
      {
        hint: 'run the command as a user who can write to the file, or copy it (with its -wal file) to your own folder and move the copy',
        cause: error.cause,
      },
    );
  }
}
