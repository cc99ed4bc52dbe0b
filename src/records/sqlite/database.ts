import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import pRetry from 'p-retry';
import { RegistryError } from '../../errors.ts';
import { type Db, type RecordsDatabase, storable } from '../database.ts';
import type { Tables } from '../tables.ts';
import { checkFile } from './file-check.ts';
import { type DatabaseOptions, type OpenHandle, openAgain, openHandle } from './open-handle.ts';
import { asStoreError, isDamage } from './store-error.ts';

/** One SQLite file, shared by the records and the embedded index of this process. */
export interface SqliteDatabase {
  readonly path: string;
  readonly readOnly: boolean;
  /** How long to wait for another connection's write, milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * The prepared statement of a text, created once and kept. Bind values, never put them into the text. Integers are
   * JavaScript numbers.
   */
  statement(sql: string): StatementSync;
  /** The prepared query of a text, for Kysely's driver. */
  query(sql: string): PreparedQuery;
  /** Several statements, none of them with values: schema changes. */
  exec(sql: string): void;
  /**
   * Runs `work` in one write transaction, which is rolled back if `work` throws. A nested call joins the open transaction.
   * `work` must be synchronous. Throws store_locked if another process writes for too long. The records use Kysely's
   * transactions instead.
   */
  transaction<T>(work: () => T): T;
  /** A transaction that is on the disk when this returns, so that it survives a loss of power. */
  durably<T>(work: () => T): T;
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
  /** Runs `work` and converts errors of SQLite to RegistryErrors with hints. */
  guard<T>(work: () => T): T;
  /** A text that changes with each commit, of this or another process. */
  version(): string;
  /**
   * Throws store_missing or store_corrupt if the file is gone or is no database any more, even if its pages are still in
   * memory. A file that was replaced is opened again by the next call.
   */
  checkFile(): void;
  close(): void;
}

/** A statement whose rows are arrays, which Node makes a tenth faster for a page of the list than objects. */
interface PreparedQuery {
  readonly statement: StatementSync;
  columns: readonly string[];
}

/** Prepared statements that are cached. */
const MAX_STATEMENTS = 1_000;
/** Minimum time between attempts to open a damaged file again, milliseconds. */
const AGAIN_MS = 1_000;

/**
 * Opens the SQLite file at `path` (`:memory:` for a private one). Throws a RegistryError with the code
 * store_missing, store_corrupt, store_unwritable or store_locked, each with a hint.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): SqliteDatabase {
  return sharedDatabase(path, options, connectionOf(openHandle(path, options)));
}

interface Connection extends OpenHandle, Pick<SqliteDatabase, 'statement' | 'query'> {
  /** Differs after commits of other connections. */
  readonly dataVersion: StatementSync;
  /** Rows that this connection has written. */
  readonly totalChanges: StatementSync;
}

function connectionOf(opened: OpenHandle): Connection {
  const { handle } = opened;
  const dataVersion = handle.prepare('PRAGMA data_version');
  const totalChanges = handle.prepare('SELECT total_changes() AS changes');
  return {
    ...opened,
    statement: cachedBySql((sql) => handle.prepare(sql)),
    query: cachedBySql((sql) => preparedQuery(handle, sql)),
    dataVersion,
    totalChanges,
  };
}

function sharedDatabase(path: string, options: DatabaseOptions, first: Connection): SqliteDatabase {
  let connection = first;
  let open = false;
  let depth = 0;
  let opened = 1;
  let isBroken = false;
  let triedAt = Number.NEGATIVE_INFINITY;

  /** Opens a damaged file again, which may have been restored or replaced since. */
  const renew = (): void => {
    if (depth > 0 || connection.handle.isTransaction || performance.now() - triedAt < AGAIN_MS) return;
    triedAt = performance.now();
    const renewed = openAgain(path, options);
    if (renewed === undefined) return;
    const before = connection;
    try {
      connection = connectionOf(renewed);
    } catch {
      renewed.close(); // still damaged: keep the previous connection
      return;
    }
    opened += 1;
    isBroken = false;
    before.close();
  };
  const guard = <T>(work: () => T): T => {
    if (isBroken) renew();
    depth += 1;
    try {
      return work();
    } catch (error) {
      const fault = asStoreError(error, path);
      isBroken ||= isDamage(fault);
      throw fault;
    } finally {
      depth -= 1;
    }
  };
  const transaction = <T>(work: () => T): T => {
    if (open) return work();
    return guard(() => {
      const { handle, statement } = connection;
      statement('BEGIN IMMEDIATE').run();
      open = true;
      try {
        const result = work();
        statement('COMMIT').run();
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
    return guard(() => {
      const { handle } = connection;
      handle.exec('PRAGMA synchronous = FULL');
      try {
        return transaction(work);
      } finally {
        handle.exec('PRAGMA synchronous = NORMAL');
      }
    });
  };
  const changes = () => {
    const { data_version: others } = connection.dataVersion.get() as { data_version: number };
    const { changes: own } = connection.totalChanges.get() as { changes: number };
    return `${others}.${own}`;
  };
  return {
    path,
    readOnly: options.readOnly ?? false,
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
    statement: (sql) => connection.statement(sql),
    query: (sql) => connection.query(sql),
    exec: (sql) => guard(() => connection.handle.exec(sql)),
    inTransaction: () => connection.handle.isTransaction,
    transaction,
    durably,
    guard,
    version: () => guard(() => `${opened}.${changes()}`),
    checkFile() {
      const { file } = connection;
      if (file === undefined) return;
      let isSame = false;
      try {
        isSame = checkFile(path) === file;
      } finally {
        if (!isSame) [isBroken, triedAt] = [true, Number.NEGATIVE_INFINITY];
      }
    },
    close: () => connection.close(),
  };
}

function cachedBySql<T extends object>(prepare: (sql: string) => T): (sql: string) => T {
  const cached = new LRUCache<string, T>({ max: MAX_STATEMENTS, memoMethod: prepare });
  return (sql) => cached.memo(sql);
}

function preparedQuery(handle: DatabaseSync, sql: string): PreparedQuery {
  const statement = handle.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, columns: columnsOf(statement) };
}

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

function rowsOf(query: PreparedQuery, rows: readonly unknown[]): Record<string, unknown>[] {
  const lists = rows as readonly (readonly unknown[])[];
  // SQLite has prepared the statement again, because another process has added columns to a table
  if (lists[0] !== undefined && lists[0].length !== query.columns.length)
    query.columns = columnsOf(query.statement);
  return lists.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [at, column] of query.columns.entries()) row[column] = values[at];
    return row;
  });
}

/** The records' database in one SQLite file. */
export function createSqliteStore(database: SqliteDatabase): RecordsDatabase {
  const db: Db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) });
  return {
    dialect: 'sqlite',
    readOnly: database.readOnly,
    read: (work) => db.connection().execute(work),
    transaction: (work) => db.transaction().execute(work),
    durably: (work) =>
      db.connection().execute(async (connection) => {
        database.exec('PRAGMA synchronous = FULL');
        try {
          return await connection.transaction().execute(work);
        } finally {
          database.exec('PRAGMA synchronous = NORMAL');
        }
      }),
  };
}

/** Kysely's dialect for SQLite, on `node:sqlite`. */
class NodeSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database: kyselyDatabase(database) });
    this.#database = database;
  }

  override createDriver() {
    return new NodeSqliteDriver(this.#database);
  }

  override createAdapter() {
    return new TransactionalAdapter();
  }

  override createQueryCompiler() {
    return new CompilerWithoutRowLocks();
  }
}

/** SQLite changes tables in transactions; Kysely runs the migrations of a dialect outside of one unless it says so. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database: kyselyDatabase(database) });
    this.#database = database;
  }

  /**
   * Takes the write lock at once, unless the transaction only reads: one that began as a read cannot write after another
   * process has written. While another connection has the lock, this waits without blocking the event loop, which that
   * connection may need to finish.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    if (accessMode === 'read only') {
      await connection.executeQuery(CompiledQuery.raw('begin'));
      return;
    }
    const begin = () => connection.executeQuery(CompiledQuery.raw('begin immediate'));
    const { busyTimeoutMs } = this.#database;
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      await pRetry(begin, {
        retries: Number.POSITIVE_INFINITY,
        maxRetryTime: busyTimeoutMs,
        minTimeout: 1,
        maxTimeout: 20,
        shouldRetry: ({ error }) => error instanceof RegistryError && error.code === 'store_locked',
      });
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  /** SQLite has rolled back by itself after some errors, such as a full disk. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction()) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }
}

/** The one writer has locked the whole file, so there are no locks of rows. */
class CompilerWithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== 'ForUpdate' && node.modifier !== 'ForKeyShare') super.visitSelectModifier(node);
  }
}

/** The interface of better-sqlite3, which Kysely's driver uses. */
function kyselyDatabase(database: SqliteDatabase) {
  return {
    prepare: (text: string): SqliteStatement => {
      const query = database.guard(() => database.query(text));
      const { statement } = query;
      const bound = (parameters: readonly unknown[]) => parameters.map(storable) as SQLInputValue[];
      return {
        reader: query.columns.length > 0,
        all: (parameters) => database.guard(() => rowsOf(query, statement.all(...bound(parameters)))),
        run: (parameters) => database.guard(() => statement.run(...bound(parameters))),
        iterate: (parameters) =>
          statement.iterate(...bound(parameters)).flatMap((row) => rowsOf(query, [row])),
      };
    },
    close: () => {}, // the file is closed by the records
  };
}
