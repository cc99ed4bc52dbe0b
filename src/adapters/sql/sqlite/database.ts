import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqlStore, SqlTask, Statement } from '../sql-tasks.ts';
import { type OpenHandle, openForReading, openForWriting } from './open-handle.ts';
import { asStoreError } from './store-error.ts';

/** One SQLite file, shared by the records and the embedded index of this process. */
export interface SqliteDatabase {
  readonly path: string;
  readonly readOnly: boolean;
  /**
   * The prepared statement of a text, created once and kept. Bind values, never put them into the text. Integers are
   * JavaScript numbers.
   */
  statement(sql: string): StatementSync;
  /** Several statements, none of them with values: schema changes. */
  exec(sql: string): void;
  /**
   * Runs `work` in one write transaction: all of it is kept or none. Inside another transaction it joins it.
   * `work` must not be asynchronous. Rejects with store_locked when another process writes for too long.
   */
  transaction<T>(work: () => T): T;
  /**
   * A transaction that is on the disk, not only with the operating system, when it returns: it survives a loss
   * of power. For what no crawl can find again (members, registrations, secrets).
   */
  durably<T>(work: () => T): T;
  /** Calls a read and names a failure of the store as what it is. */
  guard<T>(work: () => T): T;
  /** Differs whenever this or another process committed something since it was last asked. */
  version(): string;
  close(): void;
}

export interface DatabaseOptions {
  /** Opens an existing store that is never written. Default false. */
  readonly readOnly?: boolean;
  /** Makes the file and its folder when there is none. Default true. */
  readonly create?: boolean;
  /** How long to wait for another process's write, milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

/** Texts kept prepared; the least recently created goes first. */
const MAX_STATEMENTS = 1_000;

/**
 * WAL lets readers go on beside the one writer. `synchronous = NORMAL` hands each commit to the operating system:
 * a killed process loses nothing that was acknowledged; a loss of power may undo the last moments (never corrupt
 * the file), and what a crawl wrote in them is simply due again.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;`;

const CONNECTION_PRAGMAS = `
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -32768;
  PRAGMA temp_store = MEMORY;`;

/**
 * Opens the SQLite file at `path` (`:memory:` for a private one). Throws a RegistryError with the code
 * store_missing, store_corrupt, store_unwritable or store_locked, each with a hint.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): SqliteDatabase {
  const readOnly = options.readOnly ?? false;
  const timeout = options.busyTimeoutMs ?? 5_000;
  const opened = readOnly
    ? openForReading(path, timeout)
    : openForWriting(path, timeout, options.create ?? true);
  try {
    opened.handle.exec(readOnly ? CONNECTION_PRAGMAS : PRAGMAS + CONNECTION_PRAGMAS);
    return sharedDatabase(opened, path, readOnly);
  } catch (error) {
    opened.handle.close();
    throw asStoreError(error, path);
  }
}

function sharedDatabase(opened: OpenHandle, path: string, readOnly: boolean): SqliteDatabase {
  const { handle } = opened;
  const statement = statementCache(handle);
  const dataVersion = handle.prepare('PRAGMA data_version');
  let open = false;
  let commits = 0;

  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, path);
    }
  };
  const transaction = <T>(work: () => T): T => {
    if (open) return work();
    return guard(() => {
      statement('BEGIN IMMEDIATE').run();
      open = true;
      try {
        const result = work();
        statement('COMMIT').run();
        commits += 1;
        return result;
      } catch (error) {
        if (handle.isTransaction) statement('ROLLBACK').run();
        throw error;
      } finally {
        open = false;
      }
    });
  };
  const durably = <T>(work: () => T): T => {
    if (open) return work();
    handle.exec('PRAGMA synchronous = FULL');
    try {
      return transaction(work);
    } finally {
      handle.exec('PRAGMA synchronous = NORMAL');
    }
  };
  return {
    path,
    readOnly,
    statement,
    exec: (sql) => guard(() => handle.exec(sql)),
    transaction,
    durably,
    guard,
    version: () => guard(() => `${(dataVersion.get() as { data_version: number }).data_version}.${commits}`),
    close: opened.close,
  };
}

function statementCache(handle: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const created = handle.prepare(sql);
    if (statements.size >= MAX_STATEMENTS) statements.delete(statements.keys().next().value ?? '');
    statements.set(sql, created);
    return created;
  };
}

/** The records' store in one SQLite file. A task runs at once: nothing comes between the statements of a transaction. */
export function createSqliteStore(database: SqliteDatabase): SqlStore {
  const execute = ({ text, values, wants }: Statement): unknown => {
    const statement = database.statement(text);
    const given = values as readonly SQLInputValue[];
    if (wants === 'rows') return statement.all(...given);
    return wants === 'row' ? statement.get(...given) : Number(statement.run(...given).changes);
  };
  const now = <T>(task: () => SqlTask<T>) => runNow(task(), execute);
  return {
    dialect: 'sqlite',
    readOnly: database.readOnly,
    read: async (task) => database.guard(() => now(task)),
    transaction: async (task) => database.transaction(() => now(task)),
    durably: async (task) => database.durably(() => now(task)),
  };
}

/** Runs a task to its end with statements that answer at once. */
function runNow<T>(task: SqlTask<T>, execute: (statement: Statement) => unknown): T {
  let step = task.next();
  while (!step.done) {
    const wanted = step.value;
    const result =
      'together' in wanted ? wanted.together.map((part) => runNow(part, execute)) : execute(wanted);
    step = task.next(result);
  }
  return step.value;
}
