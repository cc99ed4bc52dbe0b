import type { VisitKind } from '../../../../domain/source.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** A look from the very beginning so often: it finds what somebody has planned for a time that was past already. */
const WHOLE_MS = 10 * 60_000;
/** Others plan visits for their now, which is so far behind ours at most: clocks differ, and a commit takes its time. */
const BEHIND_MS = 60_000;

interface Front {
  /** When the first one is due, visited by somebody or not. */
  readonly at: number;
  /** When the last look from the beginning was. */
  readonly wholeAt: number;
}

/**
 * From when on a look at the due times may begin. Each visit moves its row back, and PostgreSQL keeps the old entry in
 * front of those that are due until it cleans up, which may be a million visits later. To pass them takes longer than to
 * read a batch, so a look begins where the first row was the last time.
 */
export function createDueFront(store: SqlStore): (kind: VisitKind, now: number) => SqlTask<number> {
  const selectFirst = prepare(store, firstFrom);
  const fronts = new Map<VisitKind, Front>();
  return function* (kind, now) {
    const last = fronts.get(kind);
    // a clock that was put back begins anew
    const known =
      last !== undefined && last.wholeAt <= now && now < last.wholeAt + WHOLE_MS ? last : undefined;
    const begin = (at: number) => Math.min(at, now - BEHIND_MS);
    const first = yield* selectFirst.first({ kind, from: known ? begin(known.at) : 0 });
    const front = { at: first?.at ?? now, wholeAt: known?.wholeAt ?? now };
    fronts.set(kind, front);
    return begin(front.at);
  };
}

function firstFrom(param: Param<{ kind: VisitKind; from: number }>) {
  return sql
    .selectFrom('visit_due')
    .select('at')
    .where('visit', '=', param('kind'))
    .where('at', '>=', param('from'))
    .orderBy('at')
    .orderBy('source')
    .limit(1);
}
