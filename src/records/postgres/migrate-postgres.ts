import { type RawBuilder, sql as rawSql } from 'kysely';
import { RegistryError } from '../../errors.ts';
import { lockAlone } from '../locks.ts';
import { inPostgres, statementsOf } from '../migrations/in-postgres.ts';
import { CARRIED, MIGRATIONS, SCHEMA_VERSION } from '../migrations/migrations.ts';
import { call, type Limits, type SqlTask } from '../sql-tasks.ts';
import { corruptStore, missingStore, newerStore } from '../sqlite/store-error.ts';
import { all } from '../statements.ts';
import { placeOf } from './postgres-error.ts';
import type { PostgresStore } from './postgres-store.ts';

/** An index of millions of rows is created in one statement, and another process may be at it. */
const MIGRATING: Limits = { longMs: 6 * 3_600_000 };

/**
 * Brings the database to this program's schema. Processes that start at once do it once: the version is read again
 * under a lock that the transaction holds. Rejects with store_newer, store_corrupt for tables of somebody else's, or
 * store_missing for a database without tables when none are to be created (`create`).
 */
export async function migratePostgres(store: PostgresStore, url: string, create: boolean): Promise<void> {
  const place = placeOf(url);
  const found = await store.read(currentVersion);
  if (found === SCHEMA_VERSION) return;
  if (found === 0 && !create) throw missingStore(place, undefined, { hint: EMPTY_HINT });
  if (found < SCHEMA_VERSION && !(await store.read(mayCreate))) throw notTheOwner(place, found);
  await store.transaction(function* () {
    yield* call((db) => lockAlone(db, 'migration'));
    const from = yield* schemaOf(place);
    yield* runMigrations(from, SCHEMA_VERSION);
    yield* noteSchema();
  }, MIGRATING);
}

const EMPTY_HINT =
  'the database has no tables: create them with "agent-registry schema", or check the database name in REGISTRY_STORE';

function* mayCreate(): SqlTask<boolean> {
  const [row] = yield* rowsOf(
    rawSql<{ may: boolean }>`SELECT has_schema_privilege(current_schema(), 'CREATE') AS may`,
  );
  return row?.may === true;
}

function notTheOwner(place: string, found: number): RegistryError {
  return new RegistryError(
    'store_denied',
    `the tables in ${place} have schema ${found}, and this user has no privileges to upgrade them to ${SCHEMA_VERSION}`,
    { hint: 'run "agent-registry schema" with the address of their owner; waiting processes then continue' },
  );
}

/** Whether the database has this program's schema. */
export async function isCurrent(store: PostgresStore): Promise<boolean> {
  return (await store.read(currentVersion)) === SCHEMA_VERSION;
}

/** The schema that the database has, 0 for none; throws for one that this program cannot use. */
export function* schemaOf(place: string): SqlTask<number> {
  const found = yield* currentVersion();
  if (found > SCHEMA_VERSION) throw newerStore(place, found, SCHEMA_VERSION);
  if (found === 0 && (yield* isSomebodyElses())) throw corruptStore(place);
  return found;
}

/** The statements that lead from one schema to another, in order. */
export function statementsBetween(from: number, to: number): readonly string[] {
  return MIGRATIONS.slice(from, to).flatMap((migration) => statementsOf(inPostgres(migration)));
}

/** Leads from one schema to another, with the rows that are there. */
export function* runMigrations(from: number, to: number): SqlTask<void> {
  for (let version = from + 1; version <= to; version += 1) {
    const carry = CARRIED[version];
    if (carry !== undefined) yield* carry({ dialect: 'postgres' });
    for (const statement of statementsBetween(version - 1, version)) yield* runText(statement);
  }
}

/** Notes that the database now has this program's schema. */
export function* noteSchema(): SqlTask<void> {
  yield* runText('CREATE TABLE IF NOT EXISTS registry_schema (version BIGINT NOT NULL)');
  yield* runText('DELETE FROM registry_schema');
  yield* runText(`INSERT INTO registry_schema (version) VALUES (${SCHEMA_VERSION})`);
}

function* currentVersion(): SqlTask<number> {
  const [known] = yield* rowsOf(
    rawSql<{ is_there: boolean }>`SELECT to_regclass('registry_schema') IS NOT NULL AS is_there`,
  );
  if (known?.is_there !== true) return 0;
  const [row] = yield* rowsOf(rawSql<{ version: number }>`SELECT version FROM registry_schema`);
  return row?.version ?? 0;
}

interface Taken {
  readonly taken: boolean;
}

/** A migration is one transaction, so it never leaves tables without a version. */
function* isSomebodyElses(): SqlTask<boolean> {
  const [row] = yield* rowsOf(
    rawSql<Taken>`SELECT to_regclass('source') IS NOT NULL OR to_regclass('agent') IS NOT NULL AS taken`,
  );
  return row?.taken === true;
}

/** The rows of a statement in PostgreSQL's own words. */
export function rowsOf<Row>(statement: RawBuilder<Row>): SqlTask<Row[]> {
  return all({ dialect: 'postgres' }, statement);
}

/** Runs a statement that is only text. */
export function* runText(text: string): SqlTask<void> {
  yield* rowsOf(rawSql.raw(text));
}
