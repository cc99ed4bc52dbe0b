import { INTERVAL_HOURS } from '../../../../domain/compliance.ts';
import type { VisitKind } from '../../../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../../../domain/stitch.ts';
import { WANTED_MS } from '../../../../ports/politeness.ts';
import { LONGEST_LEASE_MS } from '../../locks.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../../statements.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** By then an agent that has left the list, and that nobody has declared again, is pruned. */
export const PARKED_MS = 30 * DAY;

/** A time of a table, and how far ahead it may lie, milliseconds. */
type StrayTime = readonly [table: keyof Tables, column: string, aheadMs: number];

/** What is planned or held: it ends or comes now when it lies further ahead. */
const PLANNED: readonly StrayTime[] = [
  ['source', 'lease_until', LONGEST_LEASE_MS],
  ['robots', 'expires_at', DAY],
  ['domain_turn', 'until', LONGEST_LEASE_MS],
  ['domain_turn', 'wanted_until', WANTED_MS],
  ['named_lease', 'until', LONGEST_LEASE_MS],
  ['run_schedule', 'next_run_at', INTERVAL_HOURS.max * HOUR],
  ['run_schedule', 'reconsider_at', DAY],
  ['run_schedule', 'lease_until', LONGEST_LEASE_MS],
];

/** What has happened: it cannot be later than now. */
const HAPPENED: readonly StrayTime[] = [
  ['source', 'first_seen_at', 0],
  ['source', 'absent_since', 0],
  ['agent', 'first_seen_at', 0],
  ['agent', 'dirty_since', 0],
  ['agent', 'declaration_ended_at', 0],
  ['agent', 'restitch_at', DECLARATION_GRACE_MS],
  ['crawl_run', 'progressed_at', 0],
  ['ownership', 'proven_at', 0],
  ['ownership', 'asked_again_at', 0],
  ['run_schedule', 'asked_at', 0],
];

/**
 * Clears what a clock that was ahead has left behind, inside the caller's transaction: a visit that lies beyond what any
 * schedule chooses is due now. An agent that left the list stays parked, if it was parked by a clock that was right. What
 * has happened is left as it is when `now` may itself be wrong: everything would be older than it is for ever.
 */
export function* clearStrayTimes(store: SqlStore, now: number, mayBeBehind: boolean): SqlTask<void> {
  yield* run(
    store,
    sql
      .updateTable('source')
      .set({ next_visit_at: now })
      .where('next_visit_at', '>', now + DAY)
      .where((row) =>
        row.or([
          // of a domain only one that never published is put off further than a day
          row.and([row('visit', '=', 'domain'), row('last_success_at', 'is not', null)]),
          row('next_visit_at', '>', now + PARKED_MS),
          row(row.fn.coalesce('last_visit_at', 'first_seen_at'), '>', now),
        ]),
      ),
  );
  for (const [table, column, aheadMs] of mayBeBehind ? PLANNED : [...PLANNED, ...HAPPENED]) {
    const { ref } = sql.dynamic;
    const stray = sql.updateTable(table).set({ [column]: now });
    yield* run(store, stray.where(ref<string>(column), '>', now + aheadMs));
  }
}

/**
 * Further than any visit is put off: an agent that is parked, and a domain that never published, wait for so long from the
 * clock of whoever wrote it, and that may be ahead of ours by a little.
 */
const LATEST_MS = PARKED_MS + HOUR;
/** Each look makes some due: a month's worth in one statement would take longer than one may. */
const BACK_AT_ONCE = 1_000;

interface Latest {
  readonly kind: VisitKind;
  readonly latest: number;
}

/** Visits further ahead than any is put off, inside the caller's transaction. One look at an index finds them. */
interface StrayVisits {
  found(kind: VisitKind, now: number): SqlTask<boolean>;
  /** Makes the furthest of them due. */
  bringBack(kind: VisitKind, now: number): SqlTask<void>;
}

export function createStrayVisits(store: SqlStore): StrayVisits {
  // the last one in the index: of a bound that it does not know, PostgreSQL thinks that it finds one in any row
  const selectLast = prepare(store, (param: Param<{ kind: VisitKind }>) =>
    sql
      .selectFrom('visit_due')
      .select('at')
      .where('visit', '=', param('kind'))
      .orderBy('at', 'desc')
      .limit(1),
  );
  const makeDue = prepare(store, (param: Param<Latest & { now: number }>) =>
    sql
      .updateTable('source')
      .set({ next_visit_at: param('now') })
      .where('id', 'in', (row) =>
        row
          .selectFrom('visit_due')
          .select('visit_due.source')
          .where('visit_due.visit', '=', param('kind'))
          .where('visit_due.at', '>', param('latest'))
          .orderBy('visit_due.at', 'desc')
          .limit(BACK_AT_ONCE),
      ),
  );
  return {
    *found(kind, now) {
      const last = yield* selectLast.first({ kind });
      return last !== undefined && last.at > now + LATEST_MS;
    },
    *bringBack(kind, now) {
      yield* makeDue.run({ kind, now, latest: now + LATEST_MS });
    },
  };
}
