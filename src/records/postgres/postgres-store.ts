import { Kysely } from 'kysely';
import type { QueryConfig } from 'pg';
import { liveAddress, withLiveAddress } from '../../adapters/live-address.ts';
import { backOffMs, pause } from '../../base/back-off.ts';
import { RegistryError } from '../../errors.ts';
import type { Db, Limits, RecordsDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { createPool, type PostgresOptions } from './connect.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { PoolDialect } from './dialect.ts';
import {
  asPostgresError,
  isConflict,
  isLockTimeout,
  isRefused,
  isUnavailable,
  placeOf,
  timedOut,
} from './postgres-error.ts';

/** Retries of a transaction after a conflict. */
const MAX_COLLISIONS = 10;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** The records' store in a PostgreSQL database. */
export interface PostgresStore extends RecordsDatabase {
  /**
   * A query as the package `rate-limiter-flexible` makes it: with pg's configuration object. Rejects with a RegistryError
   * `store_…` when the database does not answer.
   */
  query(query: object): Promise<unknown>;
  readonly pool: ConnectionPool;
  /** Why the last transaction failed, when that was the store's fault; undefined since one succeeded. */
  writeFault(): RegistryError | undefined;
  close(): Promise<void>;
}

/** Opens no connection yet: the first task does. */
export function createPostgresStore(options: PostgresOptions): PostgresStore {
  const address = liveAddress(options.url, options.readUrl);
  const pool = createPool(options, address);
  const db: Db = new Kysely<Tables>({ dialect: new PoolDialect(pool) });
  /** By how long a statement may take: the limit is one of the connection. */
  const unhurried = new Map<number, Db>();
  const databaseFor = (limits?: Limits): Db => {
    if (limits === undefined) return db;
    const known = unhurried.get(limits.longMs);
    if (known !== undefined) return known;
    const patientPool = createPool({ ...options, connections: 2, timeoutMs: limits.longMs }, address);
    const created = new Kysely<Tables>({ dialect: new PoolDialect(patientPool) });
    unhurried.set(limits.longMs, created);
    return created;
  };
  // an address that has never answered is more likely wrong than away
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
  const transaction = async <T>(work: (db: Db) => Promise<T>, limits?: Limits): Promise<T> => {
    const attempt = () => databaseFor(limits).transaction().execute(work);
    try {
      const result = await patiently(attempt, limits);
      writeFault = undefined;
      return result;
    } catch (error) {
      if (isOfStore(error)) writeFault = error;
      throw error;
    }
  };
  return {
    dialect: 'postgres',
    pool,
    readOnly: options.readOnly ?? false,
    writeFault: () => writeFault,
    read: (work, limits) => patiently(() => databaseFor(limits).connection().execute(work), limits),
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
    async close() {
      for (const each of unhurried.values()) await each.destroy();
      await pool.end();
    },
  };
}

/** Errors of the work itself, such as a lost lease, are not faults of the store. */
function isOfStore(error: unknown): error is RegistryError {
  return error instanceof RegistryError && error.code.startsWith('store_');
}

interface Patience {
  readonly place: string;
  /** For how long work is retried while the server is unavailable, milliseconds. */
  readonly patienceMs: number;
  /** Whether the caller set a time limit; if set, a timeout is not retried. */
  readonly hasOwnLimits: boolean;
}

/**
 * Retries after a conflict, and while the server is unavailable until `patienceMs` has passed. A commit whose answer was
 * lost is repeated too: fences, unique keys and the audit log keep it from counting twice.
 */
async function tryAgain<T>(
  attempt: () => Promise<T>,
  { place, patienceMs, hasOwnLimits }: Patience,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let collisions = 0, failures = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (isConflict(error) && ++collisions <= MAX_COLLISIONS) {
        await pause(Math.random() * 20 * collisions);
        continue;
      }
      failures += 1;
      const waitMs = backOffMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      const isOver = hasOwnLimits && timedOut(error);
      const mayEnd = !isOver && (isUnavailable(error) || isLockTimeout(error) || isRefused(error));
      if (!mayEnd || performance.now() + waitMs >= until) throw asPostgresError(error, place);
      await pause(waitMs);
    }
  }
}
