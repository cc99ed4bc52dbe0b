import { sql as rawSql } from 'kysely';
import { rowsOf } from '../postgres/migrate-postgres.ts';
import type { SqlTask } from '../sql-tasks.ts';
import { storable } from '../statements.ts';
import type { Column, Table } from './tables.ts';

/** A batch is full with so many rows or so much in them, whichever comes first: memory stays the same for any size. */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Writes all rows of a table in batches; `onBatch` is told how many each one had, and may throw to stop. */
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

interface Batch {
  readonly rows: number;
  /** One array for each column. */
  readonly values: readonly (readonly unknown[])[];
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
