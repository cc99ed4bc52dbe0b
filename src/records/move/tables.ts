import { sql as rawSql } from 'kysely';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { rowsOf } from '../postgres/migrate-postgres.ts';
import type { SqlTask } from '../sql-tasks.ts';
import { openDatabase } from '../sqlite/database.ts';
import { storable } from '../statements.ts';

/** One column; the types are those of PostgreSQL. */
interface Column {
  readonly name: string;
  readonly type: 'bigint' | 'text' | 'bytea';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The column whose numbers the engine gives. */
  readonly identity?: string;
}

/** Tables that are not copied: leases and rate-limit state belong to processes of the old store. */
const FREED: Readonly<Record<string, Readonly<Record<string, '0' | 'NULL'>>>> = {
  source: { lease_until: '0' },
  visit_due: { lease_until: '0' },
  run_schedule: { lease_until: '0', lease_holder: 'NULL' },
  named_lease: { until: '0' },
};
const LEFT_BEHIND: ReadonlySet<string> = new Set(['domain_turn', 'budget_use']);

/** What a program writes into an empty store by opening it; a target with nothing else in it is empty. */
export const NO_RECORDS: ReadonlySet<string> = new Set(['meta', 'named_lease', 'domain_turn', 'budget_use']);

const TYPES: Readonly<Record<string, Column['type']>> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' };

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** The tables of a schema in the order in which they are created, so that no row comes before one that it refers to. */
export function tablesOfSchema(schema: number): readonly Table[] {
  const model = openDatabase(':memory:');
  try {
    for (const migration of MIGRATIONS.slice(0, schema)) model.exec(migration);
    const created = model
      .statement(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid",
      )
      .all() as unknown as readonly { name: string }[];
    return created.map(({ name }) => {
      const found = model
        .statement(`PRAGMA table_info(${quotedName(name)})`)
        .all() as unknown as ColumnInfo[];
      return tableOf(name, found);
    });
  } finally {
    model.close();
  }
}

/** Whether the rows of this table are copied. */
export function isCopied({ name }: Table): boolean {
  return !LEFT_BEHIND.has(name);
}

/** Reads all rows of a table from the source. */
export function selectText({ name, columns }: Table): string {
  const wanted = columns.map((column) => FREED[name]?.[column.name] ?? quotedName(column.name));
  return `SELECT ${wanted.join(', ')} FROM ${quotedName(name)}`;
}

export function countText({ name }: Pick<Table, 'name'>): string {
  return `SELECT count(*) AS rows FROM ${quotedName(name)}`;
}

export function quotedName(name: string): string {
  return `"${name}"`;
}

function tableOf(name: string, found: readonly ColumnInfo[]): Table {
  const [key, another] = found.filter(({ pk }) => pk > 0);
  const isNumbered = key?.type === 'INTEGER' && another === undefined;
  return { name, columns: found.map(columnOf), ...(isNumbered && { identity: key.name }) };
}

function columnOf({ name, type }: ColumnInfo): Column {
  const own = TYPES[type];
  if (own === undefined)
    throw new Error(`the type ${type} of column ${name} has no equivalent in PostgreSQL`);
  return { name, type: own };
}

/** A batch is full with so many rows or so much in them, whichever comes first: memory stays the same for any size. */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;

interface Batch {
  readonly rows: number;
  /** One array for each column. */
  readonly values: readonly (readonly unknown[])[];
}

/** Writes all rows of a table in batches; `onBatch` gets the size of each batch, and can throw to stop. */
export function* copyTable(
  table: Table,
  rows: Iterable<readonly unknown[]>,
  onBatch: (rows: number) => void,
): SqlTask<number> {
  let copied = 0;
  for (const batch of batchesOf(table.columns, rows)) {
    yield* rowsOf(insertOf(table, batch));
    copied += batch.rows;
    onBatch(batch.rows);
  }
  return copied;
}

/** One array of values for each column. */
function insertOf({ name, columns }: Table, { values }: Batch) {
  const names = columns.map((column) => rawSql.id(column.name));
  const arrays = columns.map(({ type }, index) => rawSql`${values[index]}::${rawSql.raw(type)}[]`);
  return rawSql`INSERT INTO ${rawSql.id(name)} (${rawSql.join(names)}) SELECT * FROM unnest(${rawSql.join(arrays)})`;
}

function* batchesOf(columns: readonly Column[], source: Iterable<readonly unknown[]>): Generator<Batch> {
  let values = columns.map((): unknown[] => []);
  let [rows, bytes] = [0, 0];
  for (const row of source) {
    for (const [index, column] of columns.entries()) {
      values[index]?.push(valueFor(column, row[index]));
      bytes += sizeOf(row[index]);
    }
    rows += 1;
    if (rows < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    yield { rows, values };
    values = columns.map(() => []);
    [rows, bytes] = [0, 0];
  }
  if (rows > 0) yield { rows, values };
}

/** SQLite keeps a fraction in an integer column; PostgreSQL refuses it. */
function valueFor({ type }: Column, value: unknown): unknown {
  return type === 'bigint' && typeof value === 'number' ? Math.round(value) : storable(value);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.byteLength : 8;
}
