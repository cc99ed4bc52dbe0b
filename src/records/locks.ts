import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, isPostgres } from './database.ts';

/**
 * PostgreSQL's advisory locks, held until the end of the transaction
 * (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). Any numbers will do, as long as every
 * process uses the same.
 */
const LOCKS = {
  /**
   * Held while the change log is numbered, and for nothing else. Transactions number it one after the other, so a reader
   * that has seen a number has seen all below it.
   */
  changeLog: 7_431_001,
  migration: 7_431_002,
  openRun: 7_431_003,
  /**
   * Shared by transactions that write content, agents or sources that may exist already. Exclusive for transactions that
   * delete unused ones.
   */
  contents: 7_431_004,
  /**
   * The audit log is a chain: its records are added one after the other. A transaction that holds this lock waits for no
   * other lock, so that two never wait for each other: it may only write rows of an agent that it has locked before.
   */
  audit: 7_431_005,
  /** Visits that are asked for are counted and written down one after the other. */
  crawlRequest: 7_431_006,
  /** Of one agent one exam begins at a time. */
  labReport: 7_431_007,
  /** As `changeLog`, of the edge log. */
  edgeLog: 7_431_008,
} as const;

/**
 * No lease and no turn is longer: a run takes two hours at most, and a lease covers two of them. What lies further ahead
 * is of a clock that has been put back, and counts as run out.
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
