import type { Insertable } from 'kysely';
import type { SqliteDatabase } from '../database.ts';
import { sql } from '../prepared.ts';
import { run } from '../run-query.ts';
import type { Tables } from '../schema.ts';

/** Notes who did what to what, in the transaction of the deed. Rows are never changed or deleted. */
export function audit(database: SqliteDatabase, entry: Insertable<Tables['audit']>): void {
  run(database, sql.insertInto('audit').values(entry));
}
