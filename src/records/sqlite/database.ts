import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { SqlStore, SqlTask, Statement, Yielded } from '../sql-tasks.ts';
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
  readonly dataVersion: StatementSync;
}

function connectionOf(opened: OpenHandle): Connection {
  const { handle } = opened;
  const dataVersion = handle.prepare('PRAGMA data_version');
  return {
    ...opened,
    statement: statementCache(handle, false),
    rows: statementCache(handle, true),
    dataVersion,
  };
}

function sharedDatabase(path: string, options: DatabaseOptions, first: Connection): SqliteDatabase {
  let connection = first;
  let open = false;
  let depth = 0;
  let commits = 0;
  let opened = 1;
  let isBroken = false;
  let triedAt = Number.NEGATIVE_INFINITY;

  /** A file that was damaged may have been restored, or replaced by another: what was read of it before is worth nothing. */
  const renew = (): void => {
    if (depth > 0 || performance.now() - triedAt < AGAIN_MS) return;
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
  const changes = () => (connection.dataVersion.get() as { data_version: number }).data_version;
  return {
    path,
    readOnly: options.readOnly ?? false,
    statement: (sql) => connection.statement(sql),
    rows: (sql) => connection.rows(sql),
    exec: (sql) => guard(() => connection.handle.exec(sql)),
    transaction,
    durably,
    guard,
    version: () => guard(() => `${opened}.${changes()}.${commits}`),
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

/** The records' store in one SQLite file. A task runs at once: nothing comes between the statements of a transaction. */
export function createSqliteStore(database: SqliteDatabase): SqlStore {
  const now = <T>(task: () => SqlTask<T>) => runOn(database, task());
  return {
    dialect: 'sqlite',
    readOnly: database.readOnly,
    read: async (task) => database.guard(() => now(task)),
    transaction: async (task) => database.transaction(() => now(task)),
    durably: async (task) => database.durably(() => now(task)),
  };
}

/** Runs a task on a database at once, inside the caller's transaction if there is one. */
export function runOn<T>(database: SqliteDatabase, task: SqlTask<T>): T {
  return runNow(task, ({ text, values, wants }) => {
    const given = values as readonly SQLInputValue[];
    if (wants === 'count') return Number(database.statement(text).run(...given).changes);
    if (wants === 'id') return Number(database.statement(text).run(...given).lastInsertRowid);
    const statement = database.rows(text);
    if (wants === 'rows')
      return (statement.all(...given) as unknown as readonly (readonly unknown[])[]).map(makerOf(statement));
    const row = statement.get(...given) as readonly unknown[] | undefined;
    return row && makerOf(statement)(row);
  });
}

const rowMakers = new WeakMap<StatementSync, (values: readonly unknown[]) => object>();

/** Makes objects of one shape: those of `node:sqlite` are dictionaries, as are those to which one member after the other was added. */
function makerOf(statement: StatementSync): (values: readonly unknown[]) => object {
  const known = rowMakers.get(statement);
  if (known !== undefined) return known;
  const names = statement.columns().map(({ name }) => name);
  const empty = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
  const make = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = { ...empty };
    for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at];
    return row;
  };
  rowMakers.set(statement, make);
  return make;
}

/** Runs a task to its end with statements that answer at once. */
function runNow<T>(task: SqlTask<T>, execute: (statement: Statement) => unknown): T {
  let step = task.next();
  while (!step.done) step = task.next(answerNow(step.value, execute));
  return step.value;
}

function answerNow(wanted: Yielded, execute: (statement: Statement) => unknown): unknown {
  if ('text' in wanted) return execute(wanted);
  return 'each' in wanted ? wanted.each.map(execute) : wanted.together.map((part) => runNow(part, execute));
}
