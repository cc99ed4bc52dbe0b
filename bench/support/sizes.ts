import { DatabaseSync } from 'node:sqlite';

/** Rows and bytes of a SQLite store, indexes included. */
export function sizes(path: string): {
  readonly captures: number;
  readonly captureBytes: number;
  readonly bytes: number;
} {
  const database = new DatabaseSync(path, { readOnly: true });
  const number = (text: string): number => Number(Object.values(database.prepare(text).get() ?? {})[0]);
  const found = {
    captures: number('SELECT count(*) FROM capture'),
    captureBytes: number("SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE 'capture%'"),
    bytes: number('SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE'),
  };
  database.close();
  return found;
}

/** Bytes of a table of a SQLite store, with its indexes. */
export function bytesOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const text =
    'SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)';
  const { bytes } = database.prepare(text).get(table) as { bytes: number | null };
  database.close();
  return bytes ?? 0;
}
