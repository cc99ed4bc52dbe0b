import type { VisitKind } from '../../domain/source.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** A look from the very beginning so often: it finds what somebody has planned for a time that was past already. */
const WHOLE_MS = 10 * 60_000;
/** Others plan visits for their now, which is so far behind ours at most: clocks differ, and a commit takes its time. */
const BEHIND_MS = 60_000;

/** A place in the order of the due times. */
interface DuePlace {
  readonly at: number;
  readonly source: number;
}

/** The first one that is due, visited by somebody or not. */
interface Front extends DuePlace {
  /** When the last look from the beginning was. */
  readonly wholeAt: number;
}

/**
 * Behind which place a look at the due times may begin. Each visit moves its row back, and PostgreSQL keeps the old entry in
 * front of those that are due until it cleans up, which may be a million visits later. To pass them takes longer than to
 * read a batch, so a look begins where the first row was the last time: also among those that were added together, for one time.
 */
export function createDueFront(store: SqlStore): (kind: VisitKind, now: number) => SqlTask<DuePlace> {
  const selectFirst = prepare(store, firstFrom);
  const fronts = new Map<VisitKind, Front>();
  return function* (kind, now) {
    const last = fronts.get(kind);
    // a clock that was put back begins anew
    const known =
      last !== undefined && last.wholeAt <= now && now < last.wholeAt + WHOLE_MS ? last : undefined;
    const safe = { at: now - BEHIND_MS, source: 0 };
    const begin = ({ at, source }: DuePlace) => (at < safe.at ? { at, source: source - 1 } : safe);
    const from = known ? begin(known) : { at: 0, source: 0 };
    const first = yield* selectFirst.first({ kind, afterAt: from.at, afterSource: from.source });
    const front = { ...(first ?? { at: now, source: 0 }), wholeAt: known?.wholeAt ?? now };
    fronts.set(kind, front);
    return begin(front);
  };
}

function firstFrom(param: Param<{ kind: VisitKind; afterAt: number; afterSource: number }>) {
  return sql
    .selectFrom('visit_due')
    .select(['at', 'source'])
    .where('visit', '=', param('kind'))
    .where((row) => row(row.refTuple('at', 'source'), '>', row.tuple(param('afterAt'), param('afterSource'))))
    .orderBy('at')
    .orderBy('source')
    .limit(1);
}
