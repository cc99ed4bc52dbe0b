import { sql as rawSql } from 'kysely';
import { RegistryError } from '../../errors.ts';
import { tryLock } from '../locks.ts';
import {
  noteSchema,
  rowsOf,
  runMigrations,
  runText,
  schemaOf,
  statementsBetween,
} from '../postgres/migrate-postgres.ts';
import { call, type SqlTask } from '../sql-tasks.ts';
import { countText, NO_RECORDS, quotedName, type Table, tablesOfSchema } from './tables.ts';

/** What the target holds now: rows by table, for those of the tables that are there. */
export interface TargetContents {
  readonly schema: number;
  readonly rows: ReadonlyMap<string, number>;
  /** Other processes of ours that have a connection to it. */
  readonly others: number;
}

export function* contentsOfTarget(place: string, tables: readonly Table[]): SqlTask<TargetContents> {
  const schema = yield* schemaOf(place);
  const rows = new Map<string, number>();
  if (schema > 0) for (const { name } of yield* those(tables)) rows.set(name, yield* count(name));
  return { schema, rows, others: yield* countOthers() };
}

function* countOthers(): SqlTask<number> {
  const [busy] = yield* rowsOf(
    rawSql<{
      others: number;
    }>`SELECT count(*) AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-registry' AND pid <> pg_backend_pid()`,
  );
  return busy?.others as number;
}

/** A connection that was closed is listed until the server has noticed: our own from the plan before, for one. */
export function* waitForOthers(): SqlTask<void> {
  for (let reads = 0; reads < 10 && (yield* countOthers()) > 0; reads += 1) {
    yield* runText('SELECT pg_sleep(0.1)::text');
    yield* runText('SELECT pg_stat_clear_snapshot()::text'); // a transaction sees the list as it first read it
  }
}

/** Why nothing can be moved there; undefined when it can. */
export function refusalFor(place: string, { rows, others }: TargetContents): string | undefined {
  const held = [...rows].filter(([table, n]) => n > 0 && !NO_RECORDS.has(table));
  const [first] = held;
  if (first !== undefined)
    return `the database ${place} already holds records (${first[1]} in the table ${first[0]})`;
  return others > 0 ? `other registry processes have ${others} open connections to ${place}` : undefined;
}

/** What to do about a refusal. */
export function targetInUse(refusal: string, { others }: TargetContents): RegistryError {
  return new RegistryError('usage', refusal, {
    hint:
      others > 0
        ? 'stop all processes that use this database, then try again'
        : 'give the address of an empty database; existing records are never overwritten',
  });
}

/** SQLSTATE of a DROP that something else needs. */
const DEPENDED_ON = '2BP01';

/** An empty table that an operator's own view or table is made from cannot give place to ours. Other errors unchanged. */
export function asMoveError(error: unknown, place: string): unknown {
  const { code, message, detail } = error as { code?: string; message?: string; detail?: string };
  if (code !== DEPENDED_ON) return error;
  const what = [message, ...(detail?.split('\n').slice(0, 3) ?? [])].join('; ');
  return new RegistryError('store_unwritable', `an empty table of ${place} cannot be recreated: ${what}`, {
    hint: 'drop the objects that depend on the tables and create them again afterwards, or give the address of a new database',
    cause: error,
  });
}

/** Rejects at once when another process makes or moves a schema there: it may take long. */
export function* lockTarget(place: string): SqlTask<void> {
  if (yield* call((db) => tryLock(db, 'migration'))) return;
  throw new RegistryError('store_locked', `another process is filling the database ${place}`, {
    hint: 'wait until it has finished, then check the plan again',
    retryable: true,
  });
}

/** Makes the tables of a schema in the place of the empty ones that are there, without indexes and triggers: these come last. */
export function* makeTables(held: number, schema: number): SqlTask<void> {
  for (const { name } of tablesOfSchema(held).toReversed()) yield* runText(`DROP TABLE ${quotedName(name)}`);
  for (const statement of statementsBetween(0, schema)) if (!comesLater(statement)) yield* runText(statement);
}

/** The indexes and triggers of that schema, and what leads from it to this program's. */
export function* finishSchema(schema: number, current: number): SqlTask<void> {
  for (const statement of laterOf(schema)) yield* runText(statement);
  yield* runMigrations(schema, current);
  yield* noteSchema();
}

/** The next number that an identity column gives is behind `last`. */
export function* setNext({ name }: Table, column: string, last: number): SqlTask<void> {
  yield* rowsOf(
    rawSql`SELECT setval(pg_get_serial_sequence(${name}, ${column}), greatest(${last}::bigint, 1), ${last}::bigint > 0)`,
  );
}

export function* count(name: string): SqlTask<number> {
  const [row] = yield* rowsOf(rawSql.raw<{ rows: number }>(countText({ name })));
  return row?.rows as number;
}

/** So that the first queries are planned well. */
export function* analyse(tables: readonly Table[]): SqlTask<void> {
  for (const { name } of tables) yield* runText(`ANALYZE ${quotedName(name)}`);
}

function* those(tables: readonly Table[]): SqlTask<readonly Table[]> {
  const names = tables.map(({ name }) => name);
  const rows = yield* rowsOf(
    rawSql<{
      name: string;
    }>`SELECT name FROM unnest(${names}::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL`,
  );
  const there = new Set(rows.map((row) => row.name));
  return tables.filter(({ name }) => there.has(name));
}

/** An index, or a trigger with its function: it would write again what is copied. */
const LATER = /^(CREATE(?: UNIQUE| OR REPLACE)?|DROP) (INDEX|FUNCTION|TRIGGER) (?:IF NOT EXISTS )?(\w+)/;
const comesLater = (statement: string) => LATER.test(statement);

/** Those that are left at the end, so that none is made only to be dropped. */
function laterOf(schema: number): readonly string[] {
  const created = new Map<string, string>();
  for (const statement of statementsBetween(0, schema)) {
    const [, verb, what, name] = LATER.exec(statement) ?? [];
    if (verb === 'DROP') created.delete(`${what} ${name}`);
    else if (verb !== undefined) created.set(`${what} ${name}`, statement);
  }
  return [...created.values()];
}
