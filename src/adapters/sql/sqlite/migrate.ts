import { RECORDS_SCHEMA } from '../migrations/001-records.ts';
import { MANY_MACHINES } from '../migrations/002-many-machines.ts';
import { OWNERS } from '../migrations/003-owners.ts';
import { COMPLIANCE } from '../migrations/004-compliance.ts';
import type { SqliteDatabase } from './database.ts';
import { corruptStore, newerStore } from './store-error.ts';

/** In order; the number of a migration is its place, counted from 1. A released one is never edited. */
export const MIGRATIONS: readonly string[] = [RECORDS_SCHEMA, MANY_MACHINES, OWNERS, COMPLIANCE];

/** The schema that this program reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the store to this program's schema. Two processes that start at once do it once: the version is read
 * again under the write lock. Throws store_newer, or store_corrupt for a database that is somebody else's.
 */
export function migrate(database: SqliteDatabase): void {
  if (schemaVersion(database) === SCHEMA_VERSION) return;
  database.transaction(() => {
    const from = schemaVersion(database);
    if (from === 0 && isSomebodyElses(database)) throw corruptStore(database.path);
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** The schema that the store has now; throws store_newer when this program does not know it. */
export function schemaVersion(database: SqliteDatabase): number {
  const row = database.guard(() => database.statement('PRAGMA user_version').get()) as {
    user_version: number;
  };
  if (row.user_version > SCHEMA_VERSION) throw newerStore(database.path, row.user_version, SCHEMA_VERSION);
  return row.user_version;
}

/** Whether the file holds tables that are not a registry's. */
export function isSomebodyElses(database: SqliteDatabase): boolean {
  const foreign = database.statement(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'index\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  );
  return foreign.get() !== undefined;
}
