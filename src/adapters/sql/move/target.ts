import { RegistryError } from '../../../errors.ts';
import { tryLock } from '../locks.ts';
import { ask, noteSchema, schemaOf, statementsBetween } from '../postgres/migrate-postgres.ts';
import type { Work } from '../work.ts';
import { countText, NO_RECORDS, quoted, type Table } from './tables.ts';

/** What the target holds now: rows by table, for those of the tables that are there. */
export interface Held {
  readonly schema: number;
  readonly rows: ReadonlyMap<string, number>;
  /** Other processes of ours that have a connection to it. */
  readonly others: number;
}

export function* heldBy(place: string, tables: readonly Table[]): Work<Held> {
  const schema = yield* schemaOf(place);
  const rows = new Map<string, number>();
  if (schema > 0) for (const { name } of yield* those(tables)) rows.set(name, yield* count(name));
  return { schema, rows, others: yield* countOthers() };
}

function* countOthers(): Work<number> {
  const [busy] = yield* ask(
    "SELECT count(*) AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-registry' AND pid <> pg_backend_pid()",
  );
  return busy?.others as number;
}

/** A connection that was closed is listed until the server has noticed: that of our own look before, for one. */
export function* waitForOthers(): Work<void> {
  for (let looks = 0; looks < 10 && (yield* countOthers()) > 0; looks += 1) {
    yield* ask('SELECT pg_sleep(0.1)::text');
    yield* ask('SELECT pg_stat_clear_snapshot()::text'); // a transaction sees the list as it first read it
  }
}

/** Why nothing can be moved there; undefined when it can. */
export function refusalOf(place: string, { rows, others }: Held): string | undefined {
  const held = [...rows].filter(([table, n]) => n > 0 && !NO_RECORDS.has(table));
  const [first] = held;
  if (first !== undefined)
    return `the database ${place} already holds records (${first[1]} in the table ${first[0]})`;
  return others > 0 ? `${others} connections of other registry processes are open to ${place}` : undefined;
}

/** What to do about a refusal. */
export function refused(refusal: string, { others }: Held): RegistryError {
  return new RegistryError('usage', refusal, {
    hint:
      others > 0
        ? 'stop whatever runs on that database, then try again'
        : 'give the address of an empty database; what is there is never overwritten',
  });
}

/** SQLSTATE of a DROP that something else needs. */
const DEPENDED_ON = '2BP01';

/** An empty table that an operator's own view or table is made from cannot give place to ours. Other errors unchanged. */
export function asMoveError(error: unknown, place: string): unknown {
  const { code, message, detail } = error as { code?: string; message?: string; detail?: string };
  if (code !== DEPENDED_ON) return error;
  const what = [message, ...(detail?.split('\n').slice(0, 3) ?? [])].join('; ');
  return new RegistryError('store_unwritable', `an empty table of ${place} cannot be made anew: ${what}`, {
    hint: 'drop what was made on top of the tables and make it again afterwards, or give the address of a new database',
    cause: error,
  });
}

/** Rejects at once when another process makes or moves a schema there: it may take long. */
export function* lockTarget(place: string): Work<void> {
  if (yield* tryLock({ dialect: 'postgres' }, 'migration')) return;
  throw new RegistryError('store_locked', `another process is filling the database ${place}`, {
    hint: 'wait until it has finished, then look at the plan again',
    retryable: true,
  });
}

/** Makes the tables of a schema in the place of the empty ones that are there, without indexes: these come last. */
export function* makeTables(present: readonly Table[], schema: number): Work<void> {
  for (const { name } of (yield* those(present)).toReversed()) yield* ask(`DROP TABLE ${quoted(name)}`);
  for (const statement of statementsBetween(0, schema)) if (!isOfIndex(statement)) yield* ask(statement);
}

/** The indexes of that schema, and what leads from it to this program's. */
export function* finishSchema(schema: number, current: number): Work<void> {
  for (const statement of indexesOf(schema)) yield* ask(statement);
  for (const statement of statementsBetween(schema, current)) yield* ask(statement);
  yield* noteSchema();
}

/** The next number that an identity column gives is behind `last`. */
export function* setNext({ name }: Table, column: string, last: number): Work<void> {
  yield* ask('SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::bigint, 1), $3::bigint > 0)', [
    name,
    column,
    last,
  ]);
}

export function* count(name: string): Work<number> {
  const [row] = yield* ask(countText({ name }));
  return row?.rows as number;
}

/** So that the first queries are planned well. */
export function* analyse(tables: readonly Table[]): Work<void> {
  for (const { name } of tables) yield* ask(`ANALYZE ${quoted(name)}`);
}

function* those(tables: readonly Table[]): Work<readonly Table[]> {
  const names = tables.map(({ name }) => name);
  const rows = yield* ask(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL',
    [names],
  );
  const there = new Set(rows.map((row) => row.name));
  return tables.filter(({ name }) => there.has(name));
}

const INDEX = /^(CREATE(?: UNIQUE)?|DROP) INDEX (\w+)/;
const isOfIndex = (statement: string) => INDEX.test(statement);

/** Those that are left at the end, so that none is made only to be dropped. */
function indexesOf(schema: number): readonly string[] {
  const made = new Map<string, string>();
  for (const statement of statementsBetween(0, schema)) {
    const [, verb, name = ''] = INDEX.exec(statement) ?? [];
    if (verb === 'DROP') made.delete(name);
    else if (verb !== undefined) made.set(name, statement);
  }
  return [...made.values()];
}
