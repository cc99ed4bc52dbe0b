import { setImmediate } from 'node:timers/promises';
import { createEdgeLog } from '../agents/edge-log.ts';
import { type SqlStore, UNHURRIED } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Rows looked at in one transaction. */
const CHUNK = 10_000;

interface Span {
  /** Numbers of rows: behind the first, up to the second. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * Deletes rows of the edge log that tell no reader anything, whatever its cursor; returns their number. The begin of an
 * entry that has ended is no event any more. An end before another end of the same edge and scope is told by the later
 * one. Of a publisher's file the first and the last row tell everything. The last row stays: by it a cursor is known to be of these records.
 */
export async function pruneEdgeLog(store: SqlStore): Promise<number> {
  const drop = prepare(store, (param: Param<Span>) =>
    sql.deleteFrom('edge_log').where('seq', 'in', superfluous(param)),
  );
  const last = await createEdgeLog(store).lastEdgeChange();
  let deleted = 0;
  for (let after = 0; after < last - 1; after += CHUNK) {
    const upTo = Math.min(after + CHUNK, last - 1);
    deleted += await store.transaction(() => drop.run({ after, upTo }), UNHURRIED);
    await setImmediate();
  }
  return deleted;
}

function superfluous(param: Param<Span>) {
  return sql
    .selectFrom('edge_log as old')
    .select('old.seq')
    .where('old.seq', '>', param('after'))
    .where('old.seq', '<=', param('upTo'))
    .where((row) => {
      /** Whether the log has an earlier or a later row of the same publisher's file. */
      const hasOther = (side: '<' | '>') =>
        row.exists(
          row
            .selectFrom('edge_log as other')
            .select('other.seq')
            .whereRef('other.publisher', '=', 'old.publisher')
            .whereRef('other.seq', side, 'old.seq')
            .where('other.declaration', 'is not', null),
        );
      return row.or([
        row.and([
          row('old.ended_at', 'is', null),
          row.exists(
            row
              .selectFrom('authorisation')
              .select('authorisation.id')
              .whereRef('authorisation.id', '=', 'old.authorisation')
              .where('authorisation.seen_until', 'is not', null),
          ),
        ]),
        row.and([
          row('old.ended_at', 'is not', null),
          row('old.declaration', 'is', null),
          row.exists(
            row
              .selectFrom('edge_log as later')
              .select('later.seq')
              .whereRef('later.agent', '=', 'old.agent')
              .whereRef('later.publisher', '=', 'old.publisher')
              .whereRef('later.scope', '=', 'old.scope')
              .whereRef('later.seq', '>', 'old.seq')
              .where('later.ended_at', 'is not', null),
          ),
        ]),
        row.and([row('old.declaration', 'is not', null), hasOther('<'), hasOther('>')]),
      ]);
    });
}
