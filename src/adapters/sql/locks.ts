import type { SqlStore } from './sql-store.ts';
import type { Work } from './work.ts';

/**
 * PostgreSQL's advisory locks, held until the end of the transaction
 * (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). Any numbers will do, as long as every
 * process uses the same.
 */
const LOCKS = {
  /** Numbers of the change log are given out one transaction after the other: whoever has seen one has seen all before it. */
  changeLog: 7_431_001,
  migration: 7_431_002,
  openRun: 7_431_003,
  /**
   * Shared by whoever keeps contents, or names agents and sources, that may be known already; alone for whoever deletes
   * what nobody uses or names.
   */
  contents: 7_431_004,
} as const;

export type LockName = keyof typeof LOCKS;

/** Waits for a lock and holds it for the transaction; SQLite has but one writer. */
export function* lockAlone({ dialect }: Pick<SqlStore, 'dialect'>, name: LockName): Work<void> {
  if (dialect === 'postgres') yield* call(`pg_advisory_xact_lock(${LOCKS[name]})`);
}

/** As `lockAlone`, beside others who share it. */
export function* lockShared({ dialect }: Pick<SqlStore, 'dialect'>, name: LockName): Work<void> {
  if (dialect === 'postgres') yield* call(`pg_advisory_xact_lock_shared(${LOCKS[name]})`);
}

/** Takes a lock that nobody has; false when somebody has it. */
export function* tryLock({ dialect }: Pick<SqlStore, 'dialect'>, name: LockName): Work<boolean> {
  return dialect === 'sqlite' || (yield* call(`pg_try_advisory_xact_lock(${LOCKS[name]})`)) === true;
}

function* call(expression: string): Work<unknown> {
  const row = yield { text: `SELECT ${expression} AS locked`, values: [], wants: 'row' };
  return (row as { readonly locked: unknown }).locked;
}
