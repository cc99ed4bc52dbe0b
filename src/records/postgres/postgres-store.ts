import type { PoolClient, QueryConfig } from 'pg';
import { liveAddress, withLiveAddress } from '../../adapters/live-address.ts';
import { backOffMs, pause } from '../../base/back-off.ts';
import { RegistryError } from '../../errors.ts';
import type { BudgetStore } from '../../ports/budget-store.ts';
import { type Limits, runAsync, type SqlStore, type SqlTask, type Statement } from '../sql-tasks.ts';
import {
  createPool,
  execute,
  executeAnywhere,
  type PostgresOptions,
  setLocally,
  settingsOfStatements,
} from './connect.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { executeTogether } from './joined-statements.ts';
import {
  asPostgresError,
  hadItsTime,
  isAway,
  isHeldUp,
  isInTheWay,
  isOutdated,
  isRefused,
  placeOf,
} from './postgres-error.ts';

/** A transaction that others were in the way of is done again so many times. */
const MAX_COLLISIONS = 10;
/** As many connections may have been opened before a migration, and each says so once. */
const MAX_OUTDATED = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** The records' store in a PostgreSQL database. */
export interface PostgresStore extends SqlStore, BudgetStore {
  readonly pool: ConnectionPool;
  /** Why the last transaction failed, when that was the store's fault; undefined since one succeeded. */
  writeFault(): RegistryError | undefined;
  close(): Promise<void>;
}

/** Opens no connection yet: the first task does. */
export function createPostgresStore(options: PostgresOptions): PostgresStore {
  const address = liveAddress(options.url, options.readUrl);
  const pool = createPool(options, address);
  // an address that never answered is more likely wrong than away
  let hasAnswered = false;
  const patiently = async <T>(attempt: () => Promise<T>, limits?: Limits): Promise<T> => {
    const place = placeOf(address.current());
    const once = () => withLiveAddress(address, attempt, isRefused);
    const patienceMs = hasAnswered ? (options.patienceMs ?? 0) : 0;
    const result = await tryAgain(once, { place, patienceMs, hasOwnLimits: limits !== undefined });
    hasAnswered = true;
    return result;
  };
  let writeFault: RegistryError | undefined;
  const transaction = async <T>(task: () => SqlTask<T>, limits?: Limits): Promise<T> => {
    try {
      const result = await patiently(() => inTransaction(pool, task, limits), limits);
      writeFault = undefined;
      return result;
    } catch (error) {
      if (isOfStore(error)) writeFault = error;
      throw error;
    }
  };
  return {
    dialect: 'postgres',
    readOnly: options.readOnly ?? false,
    pool,
    writeFault: () => writeFault,
    read: (task, limits) =>
      patiently(
        () =>
          limits === undefined
            ? runAsync(task(), (statements) =>
                executeTogether(statements, (one) => executeAnywhere(pool, one)),
              )
            : inTransaction(pool, task, limits),
        limits,
      ),
    transaction,
    durably: transaction, // with synchronous_commit, PostgreSQL's default, every commit is on the disk
    query: (config) =>
      patiently(async () => {
        const client = await pool.take();
        let isBroken = true;
        try {
          const result: unknown = await client.query(config as QueryConfig);
          isBroken = false;
          return result;
        } finally {
          client.release(isBroken);
        }
      }),
    close: () => pool.end(),
  };
}

/** What a task rejects with by itself, such as a lost lease, says nothing of the store. */
function isOfStore(error: unknown): error is RegistryError {
  return error instanceof RegistryError && error.code.startsWith('store_');
}

interface Patience {
  readonly place: string;
  /** For a server that is not there, milliseconds. */
  readonly patienceMs: number;
  /** Whether the caller said how long it may take: once it had its time, it is over. */
  readonly hasOwnLimits: boolean;
}

/**
 * Runs a task again that others were in the way of, and, for as long as the patience lasts, one that the server was not
 * there for. A commit whose answer was lost is done again too: fences and unique keys keep it from counting twice.
 */
async function tryAgain<T>(
  attempt: () => Promise<T>,
  { place, patienceMs, hasOwnLimits }: Patience,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let collisions = 0, outdated = 0, failures = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (isOutdated(error) && ++outdated <= MAX_OUTDATED) continue;
      if (isInTheWay(error) && ++collisions <= MAX_COLLISIONS) {
        await pause(Math.random() * 20 * collisions);
        continue;
      }
      failures += 1;
      const waitMs = backOffMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      const isOver = hasOwnLimits && hadItsTime(error);
      const mayEnd = !isOver && (isAway(error) || isHeldUp(error) || isRefused(error));
      if (!mayEnd || performance.now() + waitMs >= until) throw asPostgresError(error, place);
      await pause(waitMs);
    }
  }
}

/**
 * Runs a task in one transaction on a connection of its own. Rejects with the first error that a statement of it had:
 * those after it only say that the transaction has failed, and the order in which they are reported says nothing.
 */
async function inTransaction<T>(pool: ConnectionPool, task: () => SqlTask<T>, limits?: Limits): Promise<T> {
  const client = await pool.take();
  let failed: { readonly error: unknown } | undefined;
  const executeOne = (statement: Statement) =>
    execute(client, statement, limits?.longMs).catch((error: unknown) => {
      failed ??= { error };
      throw error;
    });
  let broken = false;
  try {
    await client.query(beginning(limits));
    const result = await runAsync(task(), (statements) => executeTogether(statements, executeOne));
    if (failed !== undefined) throw failed.error; // the server would answer COMMIT with a rollback, and no error
    await client.query('COMMIT');
    return result;
  } catch (late) {
    const error = failed === undefined ? late : failed.error;
    broken = !(await rolledBack(client, error));
    throw error;
  } finally {
    client.release(broken);
  }
}

function beginning(limits: Limits | undefined): string {
  if (limits === undefined) return 'BEGIN';
  return `BEGIN; ${setLocally(settingsOfStatements(limits.longMs))}`;
}

/** False for a connection that cannot be used any more; the server then rolls back by itself. */
async function rolledBack(client: PoolClient, error: unknown): Promise<boolean> {
  if (isAway(error) || isOutdated(error)) return false;
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}
