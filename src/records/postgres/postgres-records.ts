import { sql as rawSql } from 'kysely';
import type { BodyStore } from '../../ports/body-store.ts';
import type { Records } from '../../ports/records.ts';
import { createRecords } from '../records.ts';
import { first, sql } from '../statements.ts';
import { makeKept } from '../upkeep/kept-values.ts';
import { openRecordsClock } from '../upkeep/records-clock.ts';
import type { PostgresOptions } from './connect.ts';
import { isCurrent, migratePostgres } from './migrate-postgres.ts';
import { createPostgresStore } from './postgres-store.ts';

interface PostgresRecordsOptions extends PostgresOptions {
  /** Makes the tables in a database that has none. Default true; never when read-only. */
  readonly create?: boolean;
  /** As in `RecordsOptions`. */
  readonly bodies?: BodyStore | undefined;
}

/**
 * Differs whenever a transaction that wrote something began or ended in the database; reading changes nothing
 * (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT).
 */
const SNAPSHOT = rawSql<{ version: string }>`SELECT pg_current_snapshot()::text AS version`;
const TIME = rawSql<{
  now: number;
}>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
const A_ROW = sql.selectFrom('meta').select('name').limit(1);

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
  const askTime = async () => (await store.read(() => first(store, TIME)))?.now as number;
  const clock = await openRecordsClock(store, askTime);
  const engine = {
    clock,
    budgetStore: store,
    version: async () => (await store.read(() => first(store, SNAPSHOT)))?.version as string,
    check: async () => void (await store.read(() => first(store, A_ROW))),
    // the server's disk is not ours to see: the last write has met it
    async checkRoom() {
      const fault = store.writeFault();
      if (fault !== undefined) throw fault;
    },
    async close() {
      clock.close();
      await store.close();
    },
  };
  const records = createRecords(store, engine, { ...(options.bodies && { bodies: options.bodies }) });
  if (!readOnly) await makeKept(records);
  return records;
}

/** An older store is brought up once, with a connection that may write, before it is read. */
async function bringUp(options: PostgresRecordsOptions): Promise<void> {
  const writer = await openPostgresRecords({ ...options, readOnly: false, create: false, connections: 2 });
  await writer.close();
}
