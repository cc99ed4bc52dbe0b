import { sql as rawSql } from 'kysely';
import { QUEUE_SCHEMA } from '../../adapters/queue/boss-options.ts';
import { RegistryError } from '../../errors.ts';
import type { SqlTask } from '../sql-tasks.ts';
import { migratePostgres, rowsOf, runText } from './migrate-postgres.ts';
import { placeOf } from './postgres-error.ts';
import { createPostgresStore } from './postgres-store.ts';

/** Only ever added to by a process: a record that is there cannot be changed or removed. */
const APPEND_ONLY = /^audit/;
/** What says which schema the tables have: changed by their owner alone. */
const OWNERS = /^registry_schema$/;
/** A whole schema is granted in one transaction. */
const LONG_MS = 60_000;

/** Makes the tables of the records, or brings them up to date, as the user of the address: their owner. */
export async function upgradeSchema(url: string): Promise<void> {
  const store = createPostgresStore({ url, connections: 1 });
  try {
    await migratePostgres(store, url, true);
  } finally {
    await store.close();
  }
}

/**
 * Lets a role do what processes do, and no more: read and write rows, add to the audit log, and change no table. Whatever
 * it had before is taken away first. Rejects with `usage` for a role that is not there, and for one that could do more all
 * the same, as its own owner or a superuser can.
 */
export async function grantRuntime(url: string, role: string): Promise<void> {
  const store = createPostgresStore({ url, connections: 1 });
  try {
    await store.transaction(() => grants(role, placeOf(url)), { longMs: LONG_MS });
  } finally {
    await store.close();
  }
}

interface TableRow {
  readonly schema: string;
  readonly name: string;
}

function* grants(role: string, place: string): SqlTask<void> {
  const [known] = yield* rowsOf(
    rawSql<{ ours: string; is_there: boolean }>`SELECT current_schema() AS ours,
      EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${role}) AS is_there`,
  );
  if (known?.is_there !== true)
    throw new RegistryError('usage', `the database ${place} has no role ${role}`, {
      hint: `create it first: CREATE ROLE ${role} LOGIN, with a password`,
    });
  const name = quoted(role);
  for (const schema of [known.ours, QUEUE_SCHEMA]) {
    const all = (what: string) => `ALL ${what} IN SCHEMA ${quoted(schema)}`;
    yield* runText(`REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM PUBLIC, ${name}`);
    yield* runText(`GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${name}`);
    yield* runText(`REVOKE ALL ON ${all('TABLES')} FROM ${name}`);
    yield* runText(`GRANT USAGE, SELECT ON ${all('SEQUENCES')} TO ${name}`);
    yield* runText(`GRANT EXECUTE ON ${all('FUNCTIONS')} TO ${name}`);
  }
  const tables = yield* rowsOf(
    rawSql<TableRow>`SELECT schemaname AS schema, tablename AS name FROM pg_tables
      WHERE schemaname IN (${known.ours}, ${QUEUE_SCHEMA}) AND tableowner = current_user`,
  );
  for (const table of tables)
    yield* runText(
      `GRANT ${rightsOn(table, known.ours)} ON ${quoted(table.schema)}.${quoted(table.name)} TO ${name}`,
    );
  yield* ensureBounded(role, known.ours);
}

function rightsOn({ schema, name }: TableRow, ours: string): string {
  if (schema === ours && OWNERS.test(name)) return 'SELECT';
  return schema === ours && APPEND_ONLY.test(name) ? 'SELECT, INSERT' : 'SELECT, INSERT, UPDATE, DELETE';
}

/** What a role may do it may do by other ways too: as the owner, as a member of it, as a superuser. */
function* ensureBounded(role: string, ours: string): SqlTask<void> {
  const [found] = yield* rowsOf(
    rawSql<{ unbounded: boolean }>`SELECT has_schema_privilege(${role}, ${ours}, 'CREATE')
      OR has_table_privilege(${role}, 'audit', 'UPDATE, DELETE, TRUNCATE')
      OR pg_has_role(${role}, current_user, 'MEMBER') AS unbounded`,
  );
  if (found?.unbounded !== true) return;
  throw new RegistryError('usage', `${role} can still change tables and the audit log`, {
    hint: 'the role is the owner, a member of the owner or a superuser: use a separate role for the processes',
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
