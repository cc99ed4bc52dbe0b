import type { SQLInputValue } from 'node:sqlite';
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
} from 'kysely';
import pRetry from 'p-retry';
import { RegistryError } from '../../errors.ts';
import { type Db, storable } from '../database.ts';
import type { Tables } from '../schema.ts';
import { runWork, type SqlStore } from '../sql-tasks.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** The records' database in one SQLite file. */
export function createSqliteStore(database: SqliteDatabase): SqlStore {
  const db: Db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) });
  return {
    dialect: 'sqlite',
    readOnly: database.readOnly,
    read: (work) => db.connection().execute((connection) => runWork(connection, work)),
    transaction: (work) => db.transaction().execute((transaction) => runWork(transaction, work)),
    durably: (work) =>
      db.connection().execute(async (connection) => {
        database.exec('PRAGMA synchronous = FULL');
        try {
          return await connection.transaction().execute((transaction) => runWork(transaction, work));
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
   * Takes the write lock at once: a transaction that began as a read cannot become a write after another process has
   * written. While another connection has the lock, this waits without blocking the event loop, which that connection may
   * need to finish.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
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
      const statement = database.guard(() => database.statement(text));
      const bound = (parameters: readonly unknown[]) => parameters.map(storable) as SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => database.guard(() => statement.all(...bound(parameters))),
        run: (parameters) => database.guard(() => statement.run(...bound(parameters))),
        iterate: (parameters) => statement.iterate(...bound(parameters)),
      };
    },
    close: () => {}, // the file is closed by the records
  };
}
