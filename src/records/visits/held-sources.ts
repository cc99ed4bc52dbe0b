import type { Updateable } from 'kysely';
import type { Outcome } from '../../domain/outcome.ts';
import type { Lease, VisitError } from '../../domain/source.ts';
import { type Db, jsonOrNull } from '../database.ts';
import type { SourceTable } from '../tables.ts';

/** The columns of a source that a visit reads before it writes. */
const COLUMNS = [
  ...(['id', 'kind', 'url', 'fence', 'asked', 'planned_at', 'failures', 'last_visit_at'] as const),
  ...(['last_success_at', 'declaration', 'content_hash', 'rederive_at', 'findings', 'memory'] as const),
] as const;

/** A source under the lease of the visit that is being written. */
export type HeldSource = Awaited<ReturnType<typeof selectSources>>[number];

/**
 * The sources under the leases of one visit, in the order of the leases, and locked until the end of the transaction.
 * Undefined if one of the leases was lost: its visit must not be written.
 */
export async function heldSources(
  db: Db,
  leases: readonly Lease[],
): Promise<readonly HeldSource[] | undefined> {
  const [first] = leases;
  if (first === undefined) return [];
  const rows = await selectSources(db, first.key, leases);
  const held = leases.map(({ kind, fence }) => rows.find((row) => row.kind === kind && row.fence === fence));
  return held.every((source) => source !== undefined) ? held : undefined;
}

function selectSources(db: Db, key: string, leases: readonly Lease[]) {
  const kinds = leases.map(({ kind }) => kind);
  return db
    .selectFrom('source')
    .select(COLUMNS)
    .where('key', '=', key)
    .where('kind', 'in', kinds)
    .orderBy('kind') // all processes lock the rows in one order
    .forUpdate()
    .execute();
}

/** The result of a visit, as far as it is the same for files and agents. */
interface VisitResult {
  readonly at: number;
  readonly outcome: Outcome;
  readonly nextVisitAt: number;
  readonly failures: number;
  readonly error?: VisitError;
}

/**
 * Writes the result of a visit and releases the lease, so the same lease cannot commit twice. The trace of the visit that
 * found the source ends here.
 */
export async function writeResult(
  db: Db,
  source: HeldSource,
  result: VisitResult,
  columns: Updateable<SourceTable>,
): Promise<void> {
  const { at, outcome, error } = result;
  await db
    .updateTable('source')
    .set({
      ...planAfter(source, result),
      last_visit_at: at,
      last_success_at: isSuccess(outcome) ? at : source.last_success_at,
      last_outcome: outcome,
      last_error: jsonOrNull(error),
      fence: source.fence + 1,
      lease_until: 0,
      trace: null,
      ...columns,
    })
    .where('id', '=', source.id)
    .execute();
}

/**
 * The schedule after a visit. A requested visit is made in addition to the planned one: it neither postpones the plan nor
 * adds to the failures. A site that throttles us is never visited before the time it asked for.
 */
function planAfter(source: HeldSource, { at, outcome, nextVisitAt, failures }: VisitResult) {
  const isThrottled = outcome === 'throttled';
  const plan = isThrottled || !isBesidePlan(source, at) ? null : source.planned_at;
  const counted = plan === null ? failures : Math.min(source.failures, failures);
  // another visit was requested while this one was under way
  if (source.asked === 2) {
    const again = isThrottled ? nextVisitAt : at;
    return { next_visit_at: again, asked: 1, planned_at: nextVisitAt, failures: counted };
  }
  const next = plan === null ? nextVisitAt : Math.min(plan, nextVisitAt);
  return { next_visit_at: next, asked: null, planned_at: null, failures: counted };
}

/** Whether a visit at that moment was made in addition to the planned one. */
export function isBesidePlan({ planned_at: plannedAt }: Pick<HeldSource, 'planned_at'>, at: number): boolean {
  return plannedAt !== null && plannedAt > at;
}

/** Whether a visit read what it came for, changed or not. */
function isSuccess(outcome: Outcome): boolean {
  return outcome === 'indexed' || outcome === 'unchanged';
}
