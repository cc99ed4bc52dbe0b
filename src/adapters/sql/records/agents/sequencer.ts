import { sql as rawSql } from 'kysely';
import { lockAlone } from '../../locks.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { lastSeq } from './change-log.ts';

/** Rows numbered in one transaction: others who number wait for it. */
const AT_ONCE = 5_000;

/**
 * Gives the changes that were committed since the last time their numbers in the log, without gaps. Returns how many got
 * one.
 *
 * Writers append in their own transactions and wait for nobody. Only who numbers holds the lock, in a transaction of its
 * own: a reader that has seen a number has seen all below it. Nobody numbers from what he remembers, so one who comes back
 * late does no harm: he goes on behind the last number. Of one agent the changes keep their order, since whoever writes
 * the second one has waited for the first.
 */
export function createSequencer(store: SqlStore, commit: SqlStore['transaction']): () => Promise<number> {
  const selectWaiting = prepare(store, firstWaiting);
  const selectLast = prepare(store, lastSeq);
  const number = prepare(store, numbered);
  return async () => {
    for (let total = 0; ; ) {
      // nearly always there is none, and a look locks nothing
      if ((await store.read(() => selectWaiting.first({}))) === undefined) return total;
      total += await commit(function* () {
        yield* lockAlone(store, 'changeLog');
        const last = (yield* selectLast.first({}))?.seq ?? 0;
        return yield* number.run({ last, limit: AT_ONCE });
      });
    }
  };
}

function firstWaiting(_place: Param<object>) {
  return sql.selectFrom('change_log').select('version').where('seq', 'is', null).orderBy('version').limit(1);
}

function numbered(param: Param<{ last: number; limit: number }>) {
  const waiting = sql
    .selectFrom('change_log')
    .select(['version', rawSql<number>`row_number() over (order by version)`.as('place')])
    .where('seq', 'is', null)
    .orderBy('version')
    .limit(param('limit'));
  return sql
    .updateTable('change_log')
    .from(waiting.as('waiting'))
    .set((row) => ({ seq: row('waiting.place', '+', param('last')) }))
    .whereRef('change_log.version', '=', 'waiting.version');
}
