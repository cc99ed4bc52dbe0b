import type { Client } from 'pg';

/**
 * Runs `deed` while another process is in the middle of a transaction, on `other`. Once the deed waits for a lock or is
 * done, that process executes the last statements of its transaction.
 */
export async function during<T>(other: Client, statements: readonly string[], deed: Promise<T>): Promise<T> {
  let isDone = false;
  const outcome = deed.finally(() => {
    isDone = true;
  });
  outcome.catch(() => {}); // reported below
  while (!isDone && !(await isWaiting(other)));
  for (const statement of statements) await other.query(statement);
  return outcome;
}

/** Whether a statement waits for a lock of this client. */
export async function isWaiting(client: Client): Promise<boolean> {
  const locks = await client.query(
    'SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
  );
  return locks.rows[0].n > 0;
}
