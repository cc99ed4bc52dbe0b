import { present } from '../../../../base/json.ts';
import type { RunSchedule } from '../../../../ports/run-schedule.ts';
import { type SqlStore, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { consentedRuns, isDue, isFree, type LeaseMoment, leaseMomentOf } from './due-runs.ts';

/** No agent is put off for longer: what lies further ahead is of a clock that has been put back. */
const LONGEST_MS = 25 * 3_600_000;

/** How much waits, and whose badges are to be considered again. */
export function createRunCounts(
  store: SqlStore,
): Pick<RunSchedule, 'countDue' | 'toReconsider' | 'reconsiderLater'> {
  const selectDue = prepare(store, waitingByClock);
  const selectAsked = prepare(store, waitingAsked);
  const selectOld = prepare(store, (param: Param<{ now: number; limit: number }>) =>
    byReconsideration().where('reconsider_at', '<=', param('now')).limit(param('limit')),
  );
  const selectFar = prepare(store, (param: Param<{ latest: number; limit: number }>) =>
    byReconsideration().where('reconsider_at', '>', param('latest')).limit(param('limit')),
  );
  const putOff = prepare(store, (param: Param<{ agent: string; at: number }>) =>
    sql
      .updateTable('run_schedule')
      .set({ reconsider_at: param('at') })
      .where('agent', '=', param('agent'))
      .where('reconsider_at', 'is not', null),
  );
  return {
    countDue: (now) =>
      store.read(function* () {
        const due = yield* selectDue.first(leaseMomentOf(now));
        const asked = yield* selectAsked.first(leaseMomentOf(now));
        return { due: due?.n ?? 0, asked: asked?.n ?? 0, ...present({ oldestAt: due?.oldest }) };
      }),
    async toReconsider(limit, now) {
      const [old = [], far = []] = await store.read(() =>
        together([selectOld.all({ now, limit }), selectFar.all({ latest: now + LONGEST_MS, limit })]),
      );
      return [...old, ...far].slice(0, limit).map(({ agent }) => agent);
    },
    async reconsiderLater(agent, at) {
      await store.transaction(() => putOff.run({ agent, at }));
    },
  };
}

function waitingByClock(param: Param<LeaseMoment>) {
  return consentedRuns()
    .where((row) => isFree(row, param))
    .where((row) => isDue(row, param))
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'))
    .select((row) => row.fn.min('run_schedule.next_run_at').as('oldest'));
}

function waitingAsked(param: Param<LeaseMoment>) {
  return consentedRuns()
    .where((row) => isFree(row, param))
    .where('run_schedule.asked_at', 'is not', null)
    .select((row) => row.fn.count<number>('run_schedule.agent').as('n'));
}

function byReconsideration() {
  return sql.selectFrom('run_schedule').select('agent').orderBy('reconsider_at').orderBy('agent');
}
