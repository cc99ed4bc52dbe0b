import { sql } from 'kysely';
import { RegistryError } from '../../errors.ts';
import type { BodyStore } from '../../ports/body-store.ts';
import type { Records } from '../../ports/records.ts';
import type { Db } from '../database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrate.ts';
import { createRecords } from '../records.ts';
import { makeKept } from '../upkeep/kept-values.ts';
import { openRecordsClock } from '../upkeep/records-clock.ts';
import type { PostgresOptions } from './connect.ts';
import { placeOf } from './postgres-error.ts';
import { createPostgresStore, type PostgresStore } from './postgres-store.ts';

interface PostgresRecordsOptions extends PostgresOptions {
  /** Makes the tables in a database that has none. Default true; never when read-only. */
  readonly create?: boolean;
  /** As in `RecordsOptions`. */
  readonly bodies?: BodyStore | undefined;
}

/**
 * Opens the records in a PostgreSQL database, brought to this program's schema. Rejects with a RegistryError
 * `store_unavailable`, `store_unwritable`, `store_missing`, `store_newer`, `store_older` or `store_corrupt`, each with a hint.
 */
export async function openPostgresRecords(options: PostgresRecordsOptions): Promise<Records> {
  const { url, readOnly = false, create = !readOnly } = options;
  const store = createPostgresStore(options);
  try {
    if (!readOnly) await migrateAsOwner(store, url, create);
    else if ((await store.read((db) => schemaVersion(db, placeOf(url)))) !== SCHEMA_VERSION)
      await (
        await openPostgresRecords({ ...options, readOnly: false, create: false, connections: 2 })
      ).close();
  } catch (error) {
    await store.close();
    throw error;
  }
  const clock = await openRecordsClock(store, () => store.read(currentTime));
  const engine = {
    clock,
    budgetStore: store,
    version: () => store.read(snapshot),
    check: async () =>
      void (await store.read((db) => db.selectFrom('meta').select('name').limit(1).execute())),
    // the disk of the server is not visible to us, but the last write has met it
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

/** Migrates a database if the user may create tables in it; only their owner can change them. */
export async function migrateAsOwner(store: PostgresStore, url: string, create: boolean): Promise<void> {
  const place = placeOf(url);
  const found = await store.read((db) => schemaVersion(db, place));
  if (found === SCHEMA_VERSION) return;
  if ((found > 0 || create) && !(await store.read(mayCreateTables)))
    throw new RegistryError(
      'store_denied',
      `the tables in ${place} have schema ${found}, and this user has no privileges to upgrade them to ${SCHEMA_VERSION}`,
      {
        hint: 'run "agent-registry schema" with the address of their owner; waiting processes then continue',
      },
    );
  await migrate(store, place, { create });
}

async function mayCreateTables(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    may: boolean;
  }>`SELECT has_schema_privilege(current_schema(), 'CREATE') AS may`.execute(db);
  return rows[0]?.may === true;
}

/**
 * Differs whenever a transaction that wrote something began or ended in the database; reading changes nothing
 * (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT).
 */
async function snapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ version: string }>`SELECT pg_current_snapshot()::text AS version`.execute(db);
  return rows[0]?.version ?? '';
}

/** The time of the server, epoch milliseconds. */
async function currentTime(db: Db): Promise<number> {
  const { rows } = await sql<{
    now: number;
  }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`.execute(db);
  return rows[0]?.now as number;
}
