import { MIGRATIONS, SCHEMA_VERSION } from '../migrations/migrations.ts';
import type { SqliteDatabase } from './database.ts';
import { corruptStore, newerStore } from './store-error.ts';

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
