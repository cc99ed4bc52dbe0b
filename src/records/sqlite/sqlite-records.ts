import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { RegistryError } from '../../errors.ts';
import type { Records } from '../../ports/records.ts';
import type { RecordsDatabase } from '../database.ts';
import { SCHEMA_VERSION } from '../migrations/migrations.ts';
import { createRecords, type EngineParts, type RecordsOptions } from '../records.ts';
import { makeKept } from '../upkeep/kept-values.ts';
import { openRecordsClock } from '../upkeep/records-clock.ts';
import { openDatabase } from './database.ts';
import { createSqliteStore } from './dialect.ts';
import { isSomebodyElses, migrate, newStore, schemaVersion } from './migrate-sqlite.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { closedStore, corruptStore, fullDisk, missingStore, olderStore } from './store-error.ts';

interface SqliteRecordsOptions extends RecordsOptions {
  /** The file; `:memory:` for a store that ends with the process. */
  readonly path: string;
  /** Opens an existing store that is never written. Default false. */
  readonly readOnly?: boolean;
  /** Makes the store when there is none. Default true; never when read-only. */
  readonly create?: boolean;
  /** How long to wait for another process's write, milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
}

/** The records, and the database that the embedded index shares with them. */
export interface SqliteRecords extends Records {
  readonly database: SqliteDatabase;
  /** The same for queries on Kysely, which take turns on its one connection. */
  readonly store: RecordsDatabase;
}

/** What a check reads; writing would wait for every other writer, and make caches believe that something changed. */
const A_ROW_OF_EACH = ['meta', 'source', 'agent', 'document', 'run_schedule', 'badge', 'api_key'].map(
  (table) => `SELECT 1 FROM ${table} LIMIT 1`,
);
/** With less, the next visit or the one after it cannot be kept, bytes. */
const LEAST_ROOM = 64 << 10;

/**
 * Opens the records in one SQLite file, brought to this program's schema. Rejects with a RegistryError with the
 * code store_missing, store_corrupt, store_newer, store_unwritable or store_locked, each with a hint.
 */
export async function openSqliteRecords(options: SqliteRecordsOptions): Promise<SqliteRecords> {
  const database = await openCurrent(options);
  const store = createSqliteStore(database);
  const clock = await openRecordsClock(store); // a file's processes are on one machine, and have its clock
  const engine: EngineParts = {
    clock,
    version: async () => database.version(),
    async check() {
      database.checkFile();
      database.guard(() => {
        for (const text of A_ROW_OF_EACH) database.statement(text).get();
      });
    },
    checkRoom: () => checkRoom(database),
    async close() {
      clock.close();
      database.close();
    },
  };
  const records = createRecords(store, engine, options);
  if (!database.readOnly) await makeKept(records);
  return { ...records, database, store };
}

/** SQLite writes beside the file too, and a disk that failed is often left to us for reading only. */
async function checkRoom({ path, readOnly }: SqliteDatabase): Promise<void> {
  if (path === ':memory:') return;
  const folder = dirname(path);
  try {
    if (!readOnly) await Promise.all([path, folder].map((place) => access(place, constants.W_OK)));
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= LEAST_ROOM) return;
  } catch (cause) {
    throw closedStore(path, cause);
  }
  throw fullDisk(path);
}

function openMigrated({ path, ...options }: SqliteRecordsOptions): SqliteDatabase {
  const isOurs = (handle: DatabaseSync) =>
    handle.prepare('PRAGMA user_version').get()?.user_version === SCHEMA_VERSION;
  const mayCreate = options.create !== false && options.readOnly !== true;
  const database = openDatabase(path, { ...options, isOurs, ...(mayCreate && { image: newStore }) });
  try {
    if (!mayCreate) refuseEmpty(database);
    if (!database.readOnly) migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** An older store is brought up once, with a connection that may write, before it is opened for reading. */
async function openCurrent(options: SqliteRecordsOptions): Promise<SqliteDatabase> {
  const database = openMigrated(options);
  const found = schemaVersion(database);
  if (found === SCHEMA_VERSION) return database;
  database.close();
  await bringUp(options.path, found);
  return openMigrated(options);
}

async function bringUp(path: string, found: number): Promise<void> {
  try {
    const writer = await openSqliteRecords({ path, create: false });
    await writer.close();
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'store_unwritable') throw error;
    throw olderStore(path, found, SCHEMA_VERSION, error.cause);
  }
}

/** Tables are created only where a store is to be created: an empty file is none. */
function refuseEmpty(database: SqliteDatabase): void {
  if (schemaVersion(database) > 0) return;
  throw isSomebodyElses(database) ? corruptStore(database.path) : missingStore(database.path);
}
