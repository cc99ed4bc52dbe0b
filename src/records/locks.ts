import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isPostgres } from './database.ts';

/**
 * PostgreSQL's advisory locks, held until the end of the transaction
 * (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). Any numbers will do, as long as every
 * process uses the same.
 */
const LOCKS = {
  /**
   * Changes are numbered in the order of their commits, so a reader that has seen a number has seen all below it. Taken
   * after the rows of agents, and before `audit`.
   */
  changeLog: 7_431_001,
  storeCopy: 7_431_002,
  openRun: 7_431_003,
  /**
   * Shared by transactions that write content, agents or sources that may exist already. Exclusive for transactions that
   * delete unused ones, and for those that change the installed bundles.
   */
  contents: 7_431_004,
  /**
   * The audit log is a chain: its records are added one after the other. A transaction that holds this lock waits for no
   * other lock, so that two never wait for each other: it may only write rows of an agent that it has locked before.
   */
  audit: 7_431_005,
  /** Two requests to visit a new domain become one request. */
  crawlRequest: 7_431_006,
  /** One exam begins at a time, of all agents, so that an agent has one exam under way. */
  labReport: 7_431_007,
  /** The same for the edge log. */
  edgeLog: 7_431_008,
} as const;

/**
 * No lease and no turn is longer: a run takes two hours at most, and a lease covers two of them. A later end comes from a
 * wrong clock and counts as expired.
 */
export const LONGEST_LEASE_MS = 5 * 3_600_000;

/** Whether a lease that ends then covers this moment. */
export function isLeased(until: number, now: number): boolean {
  return until > now && until <= now + LONGEST_LEASE_MS;
}

/** The opposite as a condition on a column. */
export function isLeaseOver(until: Expression<number>, now: number): Expression<SqlBool> {
  return sql<SqlBool>`(${until} <= ${now} or ${until} > ${now + LONGEST_LEASE_MS})`;
}

type LockName = keyof typeof LOCKS;

/** Waits for a lock and holds it for the transaction. SQLite needs none: it has one writer. */
export async function lockAlone(db: Db, name: LockName): Promise<void> {
  if (isPostgres(db)) await sql`SELECT pg_advisory_xact_lock(${LOCKS[name]}::bigint)`.execute(db);
}

/** As `lockAlone`, beside others that share it. */
export async function lockShared(db: Db, name: LockName): Promise<void> {
  if (isPostgres(db)) await sql`SELECT pg_advisory_xact_lock_shared(${LOCKS[name]}::bigint)`.execute(db);
}

/** Takes a lock if it is free; false if another transaction holds it. */
export async function tryLock(db: Db, name: LockName): Promise<boolean> {
  if (!isPostgres(db)) return true;
  const { rows } = await sql<{
    taken: boolean;
  }>`SELECT pg_try_advisory_xact_lock(${LOCKS[name]}::bigint) AS taken`.execute(db);
  return rows[0]?.taken === true;
}

/** The entries by their keys. Tasks take rows that others write too in this one order, so that no two wait for each other. */
export function sortedByKey<Key extends string | number, Value>(
  entries: ReadonlyMap<Key, Value>,
): readonly (readonly [Key, Value])[] {
  return [...entries].sort(([a], [b]) => ascending(a, b));
}

/** Texts by their code units, numbers by their size. */
export function ascending<Key extends string | number>(a: Key, b: Key): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
