import { lockAlone } from '../locks.ts';
import { inPostgres } from '../migrations/in-postgres.ts';
import type { Limits } from '../sql-store.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../sqlite/migrate.ts';
import { corruptStore, missingStore, newerStore } from '../sqlite/store-error.ts';
import type { Work } from '../work.ts';
import { placeOf } from './postgres-error.ts';
import type { PostgresStore } from './postgres-store.ts';

/** An index of millions of rows is made in one statement, and another process may be at it. */
const MIGRATING: Limits = { longMs: 6 * 3_600_000 };

/**
 * Brings the database to this program's schema. Processes that start at once do it once: the version is read again
 * under a lock that the transaction holds. Rejects with store_newer, store_corrupt for tables of somebody else's, or
 * store_missing for a database without tables when none are to be made (`create`).
 */
export async function migratePostgres(store: PostgresStore, url: string, create: boolean): Promise<void> {
  const place = placeOf(url);
  const found = await store.read(currentVersion);
  if (found === SCHEMA_VERSION) return;
  if (found === 0 && !create) throw missingStore(place);
  await store.transaction(function* () {
    yield* lockAlone(store, 'migration');
    const from = yield* schemaOf(place);
    for (const statement of statementsBetween(from, SCHEMA_VERSION)) yield* ask(statement);
    yield* noteSchema();
  }, MIGRATING);
}

/** Whether the database has this program's schema. */
export async function isCurrent(store: PostgresStore): Promise<boolean> {
  return (await store.read(currentVersion)) === SCHEMA_VERSION;
}

/** The schema that the database has, 0 for none; throws for one that this program cannot use. */
export function* schemaOf(place: string): Work<number> {
  const found = yield* currentVersion();
  if (found > SCHEMA_VERSION) throw newerStore(place, found, SCHEMA_VERSION);
  if (found === 0 && (yield* isSomebodyElses())) throw corruptStore(place);
  return found;
}

/** The statements that lead from one schema to another, in order. */
export function statementsBetween(from: number, to: number): readonly string[] {
  return MIGRATIONS.slice(from, to).flatMap((migration) => statementsOf(inPostgres(migration)));
}

/** Notes that the database now has this program's schema. */
export function* noteSchema(): Work<void> {
  yield* ask('CREATE TABLE IF NOT EXISTS registry_schema (version BIGINT NOT NULL)');
  yield* ask('DELETE FROM registry_schema');
  yield* ask(`INSERT INTO registry_schema (version) VALUES (${SCHEMA_VERSION})`);
}

function* currentVersion(): Work<number> {
  const [known] = yield* ask("SELECT to_regclass('registry_schema') IS NOT NULL AS is_there");
  if (known?.is_there !== true) return 0;
  const [row] = yield* ask('SELECT version FROM registry_schema');
  return (row?.version as number | undefined) ?? 0;
}

/** Tables of ours without a version are left by nobody: a migration is one transaction. */
function* isSomebodyElses(): Work<boolean> {
  const [row] = yield* ask(
    "SELECT to_regclass('source') IS NOT NULL OR to_regclass('agent') IS NOT NULL AS taken",
  );
  return row?.taken === true;
}

/** The rows of one statement. */
export function* ask(
  text: string,
  values: readonly unknown[] = [],
): Work<readonly Readonly<Record<string, unknown>>[]> {
  return (yield { text, values, wants: 'rows' }) as readonly Readonly<Record<string, unknown>>[];
}

/** A prepared statement is one statement; the schema's texts hold no semicolon but those between statements. */
function statementsOf(schema: string): readonly string[] {
  const withoutComments = schema.replaceAll(/--.*$/gm, '');
  return withoutComments
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
