import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { run, sql } from '../../statements.ts';

/** Marks agents whose facts changed, so that they are stitched anew. */
export function* markDirty(
  store: SqlStore,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): SqlTask<void> {
  const touched = sql.updateTable('agent').set((row) => ({
    revision: row('revision', '+', 1),
    dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
  }));
  yield* run(store, touched.where('agent', 'in', agents));
}

/** The same for one agent. */
export function markOneDirty(store: SqlStore, agent: string, now: number): SqlTask<void> {
  return markDirty(store, sql.selectFrom('agent').select('agent').where('agent', '=', agent), now);
}
