import { sql } from 'kysely';
import { QUEUE_SCHEMA } from '../../adapters/queue/boss-options.ts';
import { RegistryError } from '../../errors.ts';
import type { Db } from '../database.ts';
import { placeOf } from './postgres-error.ts';
import { migrateAsOwner } from './postgres-records.ts';
import { createPostgresStore } from './postgres-store.ts';

/** Only ever added to by a process: a record that is there cannot be changed or removed. */
const APPEND_ONLY = /^audit/;
/** Which migrations were run: changed by the owner of the tables alone. */
const OWNERS = /^kysely_migration/;
/** A whole schema is granted in one transaction. */
const LONG_MS = 60_000;

/** Makes the tables of the records, or brings them up to date, as the user of the address: their owner. */
export async function upgradeSchema(url: string): Promise<void> {
  const store = createPostgresStore({ url, connections: 1 });
  try {
    await migrateAsOwner(store, url, true);
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
    await store.transaction((db) => grant(db, role, placeOf(url)), { longMs: LONG_MS });
  } finally {
    await store.close();
  }
}

interface TableRow {
  readonly schema: string;
  readonly name: string;
}

async function grant(db: Db, role: string, place: string): Promise<void> {
  const { rows } = await sql<{ ours: string; exists: boolean }>`SELECT current_schema() AS ours,
    EXISTS (SELECT 1 FROM pg_roles WHERE rolname = ${role}) AS exists`.execute(db);
  const [known] = rows;
  if (known?.exists !== true)
    throw new RegistryError('usage', `the database ${place} has no role ${role}`, {
      hint: `create it first: CREATE ROLE ${role} LOGIN, with a password`,
    });
  const name = quoted(role);
  const run = (text: string) => sql.raw(text).execute(db);
  for (const schema of [known.ours, QUEUE_SCHEMA]) {
    const all = (what: string) => `ALL ${what} IN SCHEMA ${quoted(schema)}`;
    await run(`REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM PUBLIC, ${name}`);
    await run(`GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${name}`);
    await run(`REVOKE ALL ON ${all('TABLES')} FROM ${name}`);
    await run(`GRANT USAGE, SELECT ON ${all('SEQUENCES')} TO ${name}`);
    await run(`GRANT EXECUTE ON ${all('FUNCTIONS')} TO ${name}`);
  }
  const tables = await sql<TableRow>`SELECT schemaname AS schema, tablename AS name FROM pg_tables
      WHERE schemaname IN (${known.ours}, ${QUEUE_SCHEMA}) AND tableowner = current_user`.execute(db);
  for (const table of tables.rows)
    await run(
      `GRANT ${rightsOn(table, known.ours)} ON ${quoted(table.schema)}.${quoted(table.name)} TO ${name}`,
    );
  await ensureBounded(db, role, known.ours);
}

function rightsOn({ schema, name }: TableRow, ours: string): string {
  if (schema === ours && OWNERS.test(name)) return 'SELECT';
  return schema === ours && APPEND_ONLY.test(name) ? 'SELECT, INSERT' : 'SELECT, INSERT, UPDATE, DELETE';
}

/** A role can have more rights: as owner, by membership, as superuser. */
async function ensureBounded(db: Db, role: string, ours: string): Promise<void> {
  const { rows } = await sql<{ unbounded: boolean }>`SELECT has_schema_privilege(${role}, ${ours}, 'CREATE')
    OR has_table_privilege(${role}, 'audit', 'UPDATE, DELETE, TRUNCATE')
    OR pg_has_role(${role}, current_user, 'MEMBER') AS unbounded`.execute(db);
  if (rows[0]?.unbounded !== true) return;
  throw new RegistryError('usage', `${role} can still change tables and the audit log`, {
    hint: 'the role is the owner, a member of the owner or a superuser: use a separate role for the processes',
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
