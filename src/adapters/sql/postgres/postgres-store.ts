import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { RegistryError } from '../../../errors.ts';
import type { Limits, SqlStore } from '../sql-store.ts';
import { runAsync, type Work } from '../work.ts';
import { createPool, execute, type PostgresOptions } from './connect.ts';
import { inTransaction } from './in-transaction.ts';
import { asPostgresError, isAway, isHeldUp, isInTheWay, isOutdated, placeOf } from './postgres-error.ts';

/** A transaction that others were in the way of is done again so many times. */
const MAX_COLLISIONS = 10;
/** As many connections may have been made before a migration, and each says so once. */
const MAX_OUTDATED = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** The records' store in a PostgreSQL database. */
export interface PostgresStore extends SqlStore {
  readonly pool: Pool;
  /** Why the last transaction failed, when that was the store's fault; undefined since one succeeded. */
  writeFault(): RegistryError | undefined;
  close(): Promise<void>;
}

/** Opens no connection yet: the first piece of work does. */
export function createPostgresStore(options: PostgresOptions): PostgresStore {
  const pool = createPool(options);
  const place = placeOf(options.url);
  // an address that never answered is more likely wrong than away
  let hasAnswered = false;
  const patiently = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const result = await tryAgain(attempt, place, hasAnswered ? (options.patienceMs ?? 0) : 0);
    hasAnswered = true;
    return result;
  };
  let writeFault: RegistryError | undefined;
  const transaction = async <T>(work: () => Work<T>, limits?: Limits): Promise<T> => {
    try {
      const result = await patiently(() => inTransaction(pool, work, limits));
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
    read: (work, limits) =>
      patiently(() =>
        limits === undefined
          ? runAsync(work(), (call) => execute(pool, call))
          : inTransaction(pool, work, limits),
      ),
    transaction,
    durably: transaction, // with synchronous_commit, PostgreSQL's default, every commit is on the disk
    close: () => pool.end(),
  };
}

/** What work rejects with by itself, such as a lost lease, says nothing of the store. */
function isOfStore(error: unknown): error is RegistryError {
  return error instanceof RegistryError && error.code.startsWith('store_');
}

/**
 * Does work again that others were in the way of, and, for as long as the patience lasts, work that the server was not
 * there for. A commit whose answer was lost is done again too: fences and unique keys keep it from counting twice.
 */
async function tryAgain<T>(attempt: () => Promise<T>, place: string, patienceMs: number): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let collisions = 0, outdated = 0, pauseMs = FIRST_PAUSE_MS; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (isOutdated(error) && ++outdated <= MAX_OUTDATED) continue;
      const collided = isInTheWay(error) && ++collisions <= MAX_COLLISIONS;
      if (!collided && !((isAway(error) || isHeldUp(error)) && performance.now() + pauseMs < until))
        throw asPostgresError(error, place);
      await pause(collided ? Math.random() * 20 * collisions : pauseMs);
      if (!collided) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
