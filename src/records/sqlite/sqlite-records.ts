import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Records } from '../../ports/records.ts';
import type { RecordsDatabase } from '../database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../migrate.ts';
import { createRecords, type EngineParts, type RecordsOptions } from '../records.ts';
import { makeKept } from '../upkeep/kept-values.ts';
import { openRecordsClock } from '../upkeep/records-clock.ts';
import type { SqliteDatabase } from './database.ts';
import { createSqliteStore, openDatabase } from './database.ts';
import { closedStore, fullDisk, missingStore } from './store-error.ts';

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
 * code store_missing, store_corrupt, store_newer, store_older, store_unwritable or store_locked, each with a hint.
 */
export async function openSqliteRecords(options: SqliteRecordsOptions): Promise<SqliteRecords> {
  const { path } = options;
  const database = openDatabase(path, { ...options, isOurs: hasSchema });
  const store = createSqliteStore(database);
  try {
    const found = await store.read((db) => schemaVersion(db, path));
    const mayCreate = options.create !== false && !database.readOnly;
    if (found === 0 && !mayCreate) throw missingStore(path);
    if (found !== SCHEMA_VERSION && database.readOnly)
      await (await openSqliteRecords({ path, create: false })).close();
    else await migrate(store, path, { create: mayCreate });
  } catch (error) {
    database.close();
    throw error;
  }
  const clock = await openRecordsClock(store); // a file's processes are on one machine, and have its clock
  const engine: EngineParts = {
    clock,
    version: () => store.read(async () => database.version()), // after a transaction that is under way
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

/** Whether a file that was replaced still holds records of this schema. */
function hasSchema(handle: DatabaseSync): boolean {
  return handle.prepare('SELECT count(*) AS n FROM kysely_migration').get()?.n === SCHEMA_VERSION;
}
