import { DatabaseSync } from 'node:sqlite';
import { once } from '../../base/once.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../migrations/migrations.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { corruptStore, newerStore, olderStore } from './store-error.ts';

/**
 * Brings the store to this program's schema. Two processes that start at once do it once: the version is read
 * again under the write lock. Throws store_newer, or store_corrupt for a database that is somebody else's.
 */
export function migrate(database: SqliteDatabase): void {
  if (schemaVersion(database) === SCHEMA_VERSION) return;
  database.transaction(() => {
    const from = schemaVersion(database);
    if (from === 0 && isSomebodyElses(database)) throw corruptStore(database.path);
    if (from === 0) database.exec(newTables());
    else throw olderStore(database.path, from, SCHEMA_VERSION, undefined);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/**
 * The tables as all migrations leave them in a new store, where these have no rows to change. Going through them costs
 * five times as much, so a process does it once, however many new stores it makes.
 */
const newTables = once(() => tablesOf(MIGRATIONS));

/** A new store, in the bytes of a database file: to begin with them costs a fifth of making the tables. */
export const newStore = once((): Uint8Array => {
  const model = new DatabaseSync(':memory:');
  model.exec(`${newTables()} PRAGMA user_version = ${SCHEMA_VERSION}`);
  const image = model.serialize();
  model.close();
  return image;
});

function tablesOf(migrations: readonly string[]): string {
  const model = new DatabaseSync(':memory:');
  for (const migration of migrations) model.exec(migration);
  const rows = model
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all();
  model.close();
  return rows.map(({ sql }) => `${sql};`).join('\n');
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
