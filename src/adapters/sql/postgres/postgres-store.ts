import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { SqlStore } from '../sql-store.ts';
import { runAsync, type Work } from '../work.ts';
import { createPool, execute, type PostgresOptions } from './connect.ts';
import { asPostgresError, isAway, isInTheWay, placeOf } from './postgres-error.ts';

/** A transaction that others were in the way of is done again so many times. */
const MAX_COLLISIONS = 10;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** The records' store in a PostgreSQL database. */
export interface PostgresStore extends SqlStore {
  readonly pool: Pool;
  close(): Promise<void>;
}

/** Opens no connection yet: the first piece of work does. */
export function createPostgresStore(options: PostgresOptions): PostgresStore {
  const pool = createPool(options);
  const place = placeOf(options.url);
  const patiently = <T>(attempt: () => Promise<T>) => tryAgain(attempt, place, options.patienceMs ?? 0);
  const transaction = <T>(work: () => Work<T>) => patiently(() => inTransaction(pool, work));
  return {
    dialect: 'postgres',
    readOnly: false,
    pool,
    read: (work) => patiently(() => runAsync(work(), (call) => execute(pool, call))),
    transaction,
    durably: transaction, // with synchronous_commit, PostgreSQL's default, every commit is on the disk
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: Pool, work: () => Work<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await runAsync(work(), (call) => execute(client, call));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    broken = !(await rolledBack(client, error));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** False for a connection that cannot be used any more; the server then rolls back by itself. */
async function rolledBack(client: PoolClient, error: unknown): Promise<boolean> {
  if (isAway(error)) return false;
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/**
 * Does work again that others were in the way of, and, for as long as the patience lasts, work that the server was not
 * there for. A commit whose answer was lost is done again too: fences and unique keys keep it from counting twice.
 */
async function tryAgain<T>(attempt: () => Promise<T>, place: string, patienceMs: number): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let collisions = 0, pauseMs = FIRST_PAUSE_MS; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const collided = isInTheWay(error) && ++collisions <= MAX_COLLISIONS;
      if (!collided && !(isAway(error) && performance.now() + pauseMs < until))
        throw asPostgresError(error, place);
      await pause(collided ? Math.random() * 20 * collisions : pauseMs);
      if (!collided) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
