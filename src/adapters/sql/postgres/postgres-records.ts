import type { Records } from '../../../ports/records.ts';
import { createRecords } from '../records.ts';
import type { PostgresOptions } from './connect.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { createPostgresStore, type PostgresStore } from './postgres-store.ts';

export interface PostgresRecordsOptions extends PostgresOptions {
  /** Makes the tables in a database that has none. Default true. */
  readonly create?: boolean;
}

/**
 * Differs whenever a transaction that wrote something began or ended in the database; reading changes nothing
 * (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT).
 */
const SNAPSHOT = 'SELECT pg_current_snapshot()::text AS version';
const A_ROW = 'SELECT name FROM meta LIMIT 1';

/**
 * Opens the records in a PostgreSQL database, brought to this program's schema. Rejects with a RegistryError
 * `store_unavailable`, `store_unwritable`, `store_missing`, `store_newer` or `store_corrupt`, each with a hint.
 */
export async function openPostgresRecords(options: PostgresRecordsOptions): Promise<Records> {
  const store = createPostgresStore(options);
  try {
    await migratePostgres(store, options.url, options.create ?? true);
  } catch (error) {
    await store.close();
    throw error;
  }
  return createRecords(store, {
    version: async () => ((await ask(store, SNAPSHOT)) as { readonly version: string }).version,
    check: async () => void (await ask(store, A_ROW)),
    checkRoom: async () => {}, // the server's disk is not ours to see
    close: () => store.close(),
  });
}

function ask(store: PostgresStore, text: string): Promise<unknown> {
  return store.read(function* () {
    return yield { text, values: [], wants: 'row' };
  });
}
