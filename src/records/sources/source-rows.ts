import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { Validator } from '../../domain/capture.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { FileMemory, Lease, SourceState, VisitError } from '../../domain/source.ts';
import type { SourceTable } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../statements.ts';

export type SourceRow = Selectable<SourceTable>;

/** A source as the rest of the program knows it. */
export function sourceState(row: SourceRow): SourceState {
  return {
    kind: row.kind,
    key: row.key,
    foundVia: row.found_via,
    firstSeenAt: row.first_seen_at,
    nextVisitAt: row.next_visit_at,
    failures: row.failures,
    validators: JSON.parse(row.validators) as Validator[],
    absentVisits: row.absent_visits,
    ...present({
      lastVisitAt: row.last_visit_at,
      lastSuccessAt: row.last_success_at,
      lastOutcome: row.last_outcome,
      lastError: parsed<VisitError>(row.last_error),
      contentHash: row.content_hash,
      absentSince: row.absent_since,
      memory: parsed<FileMemory>(row.memory),
    }),
  };
}

/** What a visit may keep of a source as it was. */
export interface HeldSource {
  readonly id: number;
  /** Of an agent: as it was first declared, or as a probe reached it since. */
  readonly url: string | null;
  readonly declaration: number | null;
  readonly content_hash: string | null;
  /** Null: it was never visited. */
  readonly last_visit_at: number | null;
  readonly last_success_at: number | null;
  readonly rederive_at: number | null;
  readonly findings: string | null;
  readonly memory: string | null;
  readonly planned_at: number | null;
}

type Visited = Omit<
  SourceTable,
  | 'kind'
  | 'key'
  | 'visit'
  | 'registrable_domain'
  | 'url'
  | 'found_via'
  | 'first_seen_at'
  | 'fence'
  | 'lease_until'
  | 'id'
  | 'failures'
  | 'validators'
  | 'absent_visits'
  | 'trace'
  | 'asked'
  | 'planned_at'
> & {
  readonly id: number;
  readonly failures: number;
  readonly validators: string;
  readonly absent_visits: number;
};

interface Planned {
  /** A plan that lies behind this moment stands. */
  readonly planAfter: number;
  /** When to come again, if that was asked for during the visit. */
  readonly againAt: number;
}

interface VisitedSources {
  /** The sources under these leases; undefined where the lease was lost. */
  held(leases: readonly Lease[]): SqlTask<readonly (HeldSource | undefined)[]>;
  /**
   * Writes what the visit left, and gives the lease back: the same lease cannot commit twice. The trace of whoever
   * found the source ends here. A visit that somebody asked for leaves the plan as it was, and puts nothing off.
   */
  write(row: Visited): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createVisitedSources(store: SqlStore): VisitedSources {
  const select = prepare(store, heldSource, { kinds: { fence: 'number' } });
  const update = prepare(store, visitedSource, {
    kinds: {
      id: 'number',
      next_visit_at: 'number',
      planAfter: 'number',
      againAt: 'number',
      last_visit_at: 'number',
      last_success_at: 'number',
      failures: 'number',
      absent_since: 'number',
      absent_visits: 'number',
      declaration: 'number',
      rederive_at: 'number',
    },
  });
  return {
    held: (leases) => select.firstEach(leases),
    *write(row) {
      const { last_outcome: outcome, next_visit_at: next, last_visit_at: at } = row;
      // who asks us to wait is not asked again before, whatever was planned
      const planned =
        outcome === 'throttled' || at === null
          ? { planAfter: Number.MAX_SAFE_INTEGER, againAt: next }
          : { planAfter: at, againAt: at };
      yield* update.run({ ...row, ...planned });
    },
  };
}

/** Whether a visit at that moment was made beside the schedule. */
export function isBesidePlan({ planned_at: plannedAt }: Pick<HeldSource, 'planned_at'>, at: number): boolean {
  return plannedAt !== null && plannedAt > at;
}

/** A visit that read what it came for, changed or not. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome === 'indexed' || outcome === 'unchanged';
}

function heldSource(param: Param<Pick<Lease, 'kind' | 'key' | 'fence'>>) {
  return sql
    .selectFrom('source')
    .select(['id', 'declaration', 'content_hash', 'last_success_at', 'rederive_at', 'findings', 'memory'])
    .select(['planned_at', 'last_visit_at', 'url'])
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'))
    .where('fence', '=', param('fence'))
    .forUpdate();
}

function visitedSource(param: Param<Visited & Planned>) {
  return sql
    .updateTable('source')
    .set((row) => ({
      next_visit_at: row
        .case()
        .when('asked', '=', row.lit(2))
        .then(param('againAt'))
        .when(
          row.and([
            row('planned_at', '>', param('planAfter')),
            row('planned_at', '<', param('next_visit_at')),
          ]),
        )
        .then(row.ref('planned_at').$notNull())
        .else(param('next_visit_at'))
        .end(),
      asked: row.case().when('asked', '=', row.lit(2)).then(row.lit(1)).else(null).end(),
      planned_at: row
        .case()
        .when('asked', '=', row.lit(2))
        .then(param('next_visit_at'))
        .else(row.cast<number>(row.lit(null), 'bigint')) // or PostgreSQL takes it for a text
        .end(),
      last_visit_at: param('last_visit_at'),
      last_success_at: param('last_success_at'),
      last_outcome: param('last_outcome'),
      last_error: param('last_error'),
      failures: row
        .case()
        .when(row.and([row('planned_at', '>', param('planAfter')), row('failures', '<', param('failures'))]))
        .then(row.ref('failures'))
        .else(param('failures'))
        .end(),
      validators: param('validators'),
      content_hash: param('content_hash'),
      absent_since: param('absent_since'),
      absent_visits: param('absent_visits'),
      memory: param('memory'),
      findings: param('findings'),
      declaration: param('declaration'),
      rederive_at: param('rederive_at'),
      fence: row('fence', '+', 1),
      lease_until: 0,
      trace: null,
    }))
    .where('id', '=', param('id'));
}
