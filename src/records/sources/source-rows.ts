import { expressionBuilder, type Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { Validator } from '../../domain/capture.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { FileMemory, Lease, SourceState, VisitError } from '../../domain/source.ts';
import { type Db, listOf, parsed } from '../database.ts';
import { LONGEST_LEASE_MS } from '../locks.ts';
import type { SourceTable, Tables } from '../schema.ts';

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

/** Whether no lease covers this moment. A lease that ends too far ahead was taken by a clock that was wrong. */
export function isFree(now: number) {
  const source = expressionBuilder<Tables, 'source'>();
  return source.or([
    source('source.lease_until', '<=', now),
    source('source.lease_until', '>', now + LONGEST_LEASE_MS),
  ]);
}

/** What a visit needs of a source as it was. */
export type HeldSource = Pick<
  SourceRow,
  | 'id'
  | 'url'
  | 'declaration'
  | 'content_hash'
  | 'last_visit_at'
  | 'last_success_at'
  | 'rederive_at'
  | 'findings'
  | 'memory'
  | 'planned_at'
>;

/**
 * Locks the sources under these leases; undefined where the lease was lost. Inside the caller's transaction, for the leases
 * of one visit or of many.
 */
export async function heldSources(
  db: Db,
  leases: readonly Lease[],
): Promise<readonly (HeldSource | undefined)[]> {
  if (leases.length === 0) return [];
  const kinds = [...new Set(leases.map(({ kind }) => kind))];
  const keys = [...new Set(leases.map(({ key }) => key))];
  const rows = await db
    .selectFrom('source')
    .select(['kind', 'key', 'fence', 'id', 'url', 'declaration', 'content_hash', 'last_visit_at'])
    .select(['last_success_at', 'rederive_at', 'findings', 'memory', 'planned_at'])
    .where('kind', 'in', kinds)
    .where('key', 'in', listOf(db, keys))
    .orderBy('key') // the order in which all processes lock them
    .orderBy('kind')
    .forUpdate()
    .execute();
  const byLease = new Map(rows.map((row) => [nameOf(row), row]));
  return leases.map((lease) => byLease.get(nameOf(lease)));
}

function nameOf({ kind, key, fence }: Pick<Lease, 'kind' | 'key' | 'fence'>): string {
  return `${kind} ${fence} ${key}`;
}

/** What a visit leaves of a source. */
type VisitedSource = Pick<SourceRow, 'id' | 'declaration' | 'content_hash' | 'rederive_at' | 'findings'> &
  Pick<SourceRow, 'next_visit_at' | 'last_visit_at' | 'last_success_at' | 'last_outcome' | 'last_error'> &
  Pick<SourceRow, 'failures' | 'validators' | 'absent_since' | 'absent_visits' | 'memory'>;

/**
 * Writes what a visit leaves of a source, and gives the lease back: the same lease cannot commit twice. The trace of the
 * visit that found the source ends here. A requested visit leaves the plan as it was, and puts nothing off. Inside the
 * caller's transaction.
 */
export async function writeVisited(db: Db, { id, ...visited }: VisitedSource): Promise<void> {
  const { last_outcome: outcome, next_visit_at: next, last_visit_at: at, failures } = visited;
  // a site that asks us to wait is not visited before, whatever was planned
  const mustWait = outcome === 'throttled' || at === null;
  const planAfter = mustWait ? Number.MAX_SAFE_INTEGER : at; // an earlier plan is over
  const againAt = mustWait ? next : at; // if another visit was requested during this one
  await db
    .updateTable('source')
    .set((row) => ({
      last_visit_at: at,
      last_success_at: visited.last_success_at,
      last_outcome: outcome,
      last_error: visited.last_error,
      validators: visited.validators,
      content_hash: visited.content_hash,
      absent_since: visited.absent_since,
      absent_visits: visited.absent_visits,
      memory: visited.memory,
      findings: visited.findings,
      declaration: visited.declaration,
      rederive_at: visited.rederive_at,
      next_visit_at: row
        .case()
        .when('asked', '=', 2)
        .then(againAt)
        .when(row.and([row('planned_at', '>', planAfter), row('planned_at', '<', next)]))
        .then(row.ref('planned_at').$notNull())
        .else(next)
        .end(),
      asked: row.case().when('asked', '=', 2).then(row.lit(1)).else(null).end(),
      planned_at: row
        .case()
        .when('asked', '=', 2)
        .then(row.cast<number>(row.val(next), 'bigint')) // or PostgreSQL takes both for texts
        .else(null)
        .end(),
      failures: row
        .case()
        .when(row.and([row('planned_at', '>', planAfter), row('failures', '<', failures)]))
        .then(row.ref('failures'))
        .else(failures)
        .end(),
      fence: row('fence', '+', 1),
      lease_until: 0,
      trace: null,
    }))
    .where('id', '=', id)
    .execute();
}

/** Whether a visit at that moment was made beside the schedule. */
export function isBesidePlan({ planned_at: plannedAt }: Pick<HeldSource, 'planned_at'>, at: number): boolean {
  return plannedAt !== null && plannedAt > at;
}

/** A visit that read what it came for, changed or not. */
export function isSuccess(outcome: Outcome): boolean {
  return outcome === 'indexed' || outcome === 'unchanged';
}
