import type { Records } from '../../../ports/records.ts';
import { createRecords, makeKept } from '../records.ts';
import type { PostgresOptions } from './connect.ts';
import { isCurrent, migratePostgres } from './migrate-postgres.ts';
import { createPostgresStore, type PostgresStore } from './postgres-store.ts';

export interface PostgresRecordsOptions extends PostgresOptions {
  /** Makes the tables in a database that has none. Default true; never when read-only. */
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
  const { url, readOnly = false, create = !readOnly } = options;
  const store = createPostgresStore(options);
  try {
    if (!readOnly) await migratePostgres(store, url, create);
    else if (!(await isCurrent(store))) await bringUp(options);
  } catch (error) {
    await store.close();
    throw error;
  }
  const records = createRecords(store, {
    version: async () => ((await ask(store, SNAPSHOT)) as { readonly version: string }).version,
    check: async () => void (await ask(store, A_ROW)),
    // the server's disk is not ours to see: the last write has met it
    async checkRoom() {
      const fault = store.writeFault();
      if (fault !== undefined) throw fault;
    },
    close: () => store.close(),
  });
  if (!readOnly) await makeKept(records);
  return records;
}

/** An older store is brought up once, with a connection that may write, before it is read. */
async function bringUp(options: PostgresRecordsOptions): Promise<void> {
  const writer = await openPostgresRecords({ ...options, readOnly: false, create: false, connections: 2 });
  await writer.close();
}

function ask(store: PostgresStore, text: string): Promise<unknown> {
  return store.read(function* () {
    return yield { text, values: [], wants: 'row' };
  });
}
