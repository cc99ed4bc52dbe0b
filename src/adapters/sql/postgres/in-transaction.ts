import type { Pool, PoolClient } from 'pg';
import type { Limits } from '../sql-store.ts';
import { type Call, runAsync, type Work } from '../work.ts';
import { execute } from './connect.ts';
import { setLocally, settingsOfStatements } from './connection-settings.ts';
import { isAway, isOutdated } from './postgres-error.ts';

/**
 * Runs work in one transaction on a connection of its own. Rejects with the first error that a statement of it had:
 * those after it only say that the transaction has failed, and the order in which they are told says nothing.
 */
export async function inTransaction<T>(pool: Pool, work: () => Work<T>, limits?: Limits): Promise<T> {
  const client = await pool.connect();
  let failed: { readonly error: unknown } | undefined;
  const ask = (call: Call) =>
    execute(client, call, limits?.longMs).catch((error: unknown) => {
      failed ??= { error };
      throw error;
    });
  let broken = false;
  try {
    await client.query(beginning(limits));
    const result = await runAsync(work(), ask);
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
