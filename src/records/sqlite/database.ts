import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { checkFile } from './file-check.ts';
import { type DatabaseOptions, type OpenHandle, openAgain, openHandle } from './open-handle.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { asStoreError, isDamage } from './store-error.ts';

/** Texts kept prepared. */
const MAX_STATEMENTS = 1_000;
/** A damaged file is opened again this often at most, milliseconds. */
const AGAIN_MS = 1_000;

/**
 * Opens the SQLite file at `path` (`:memory:` for a private one). Throws a RegistryError with the code
 * store_missing, store_corrupt, store_unwritable or store_locked, each with a hint.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): SqliteDatabase {
  return sharedDatabase(path, options, connectionOf(openHandle(path, options)));
}

interface Connection extends OpenHandle, Pick<SqliteDatabase, 'statement' | 'rows'> {
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
    statement: statementCache(handle, false),
    rows: statementCache(handle, true),
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

  /** A file that was damaged may have been restored, or replaced by another: what was read of it before is worth nothing. */
  const renew = (): void => {
    if (depth > 0 || connection.handle.isTransaction || performance.now() - triedAt < AGAIN_MS) return;
    triedAt = performance.now();
    const renewed = openAgain(path, options);
    if (renewed === undefined) return;
    const before = connection;
    try {
      connection = connectionOf(renewed);
    } catch {
      renewed.close(); // damaged all the same: the one before goes on
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
    rows: (sql) => connection.rows(sql),
    exec: (sql) => guard(() => connection.handle.exec(sql)),
    inTransaction: () => connection.handle.isTransaction,
    transaction,
    durably,
    guard,
    version: () => guard(() => `${opened}.${changes()}`),
    opened: () => opened,
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

function statementCache(handle: DatabaseSync, asArrays: boolean): (sql: string) => StatementSync {
  const statements = new LRUCache<string, StatementSync>({ max: MAX_STATEMENTS });
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const created = handle.prepare(sql);
    created.setReturnArrays(asArrays);
    statements.set(sql, created);
    return created;
  };
}
