import type { SelectQueryBuilder } from 'kysely';
import { sql } from '../../prepared.ts';
import { run } from '../../run-query.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';

/** Marks agents whose facts changed, so that they are stitched anew. */
export function* markDirty(
  store: SqlStore,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): Work<void> {
  const touched = sql.updateTable('agent').set((row) => ({
    revision: row('revision', '+', 1),
    dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
  }));
  yield* run(store, touched.where('agent', 'in', agents));
}

/** The same for one agent. */
export function markOneDirty(store: SqlStore, agent: string, now: number): Work<void> {
  return markDirty(store, sql.selectFrom('agent').select('agent').where('agent', '=', agent), now);
}
