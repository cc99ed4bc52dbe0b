import type { Insertable } from 'kysely';
import { sql } from '../prepared.ts';
import { run } from '../run-query.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore } from '../sql-store.ts';
import type { Work } from '../work.ts';

/** Notes who did what to what, in the transaction of the deed. Rows are never changed or deleted. */
export function* audit(store: SqlStore, entry: Insertable<Tables['audit']>): Work<void> {
  yield* run(store, sql.insertInto('audit').values(entry));
}
