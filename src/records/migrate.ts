import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Db, isPostgres, type Limits, type RecordsDatabase } from './database.ts';
import * as tables from './migrations/0001-tables.ts';
import { corruptStore, missingStore, newerStore, olderStore } from './sqlite/store-error.ts';

/** The changes of the schema, in order. One that was released is never edited: the next change is another migration. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-tables': tables,
};

/** The schema that this program reads and writes: the number of its migrations. */
export const SCHEMA_VERSION = Object.keys(MIGRATIONS).length;

/** One statement may create an index of millions of rows. */
const MIGRATING: Limits = { longMs: 6 * 3_600_000 };

/**
 * Brings a database to this program's schema, in one transaction. Processes that start at once do it once. Rejects with
 * `store_older`, `store_newer`, with `store_corrupt` for a database with tables of another program, and with
 * `store_missing` for an empty one unless its tables may be created.
 */
export async function migrate(
  database: RecordsDatabase,
  place: string,
  { create }: { readonly create: boolean },
): Promise<void> {
  const found = await database.read((db) => schemaVersion(db, place));
  if (found === SCHEMA_VERSION) return;
  if (found === 0 && !create) throw missingStore(place, undefined, { hint: EMPTY_HINT });
  await database.read(runMigrations, MIGRATING);
}

/** Runs the migrations that a database lacks, in one transaction. */
export async function runMigrations(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

const EMPTY_HINT =
  'the database has no tables: create them with "agent-registry schema", or check the address in REGISTRY_STORE';

/**
 * The schema of a database, 0 for an empty one. Throws for one that this program cannot use: a newer or an older one, or
 * another program's.
 */
export async function schemaVersion(db: Db, place: string): Promise<number> {
  const names = await tableNames(db);
  if (!names.has('kysely_migration')) {
    if (names.has('registry_schema') || (await userVersion(db)) > 0) throw olderStore(place);
    if (isForeign(db, names)) throw corruptStore(place);
    return 0;
  }
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db);
  const unknown = rows.find(({ name }) => !(name in MIGRATIONS));
  if (unknown !== undefined) throw newerStore(place, rows.length, SCHEMA_VERSION);
  return rows.length;
}

/** A PostgreSQL database may hold tables of others beside ours; an SQLite file only those of the index. */
function isForeign(db: Db, tables: ReadonlySet<string>): boolean {
  if (isPostgres(db)) return tables.has('source') || tables.has('agent');
  return [...tables].some((name) => !/^(index|sqlite|kysely)_/.test(name));
}

async function tableNames(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = isPostgres(db)
    ? await sql<{
        name: string;
      }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`.execute(db)
    : await sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Earlier programs kept the number of the schema in the header of the file. */
async function userVersion(db: Db): Promise<number> {
  if (isPostgres(db)) return 0;
  const { rows } = await sql<{ user_version: number }>`PRAGMA user_version`.execute(db);
  return rows[0]?.user_version ?? 0;
}
