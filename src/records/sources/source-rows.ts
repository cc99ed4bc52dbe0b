import { expressionBuilder, type Selectable, sql } from 'kysely';
import { present } from '../../base/json.ts';
import type { Validator } from '../../domain/capture.ts';
import type { FileMemory, SourceState, VisitError } from '../../domain/source.ts';
import { parsed } from '../database.ts';
import { isLeaseOver } from '../locks.ts';
import type { SourceTable, Tables } from '../tables.ts';

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

/** How fresh the file of a source is. */
export function freshnessOf(
  row: Pick<SourceRow, 'failures' | 'first_seen_at' | 'next_visit_at' | 'last_visit_at' | 'last_success_at'>,
): Freshness {
  return {
    failures: row.failures,
    firstSeenAt: row.first_seen_at,
    nextVisitAt: row.next_visit_at,
    ...present({ lastVisitAt: row.last_visit_at, lastSuccessAt: row.last_success_at }),
  };
}

export type Freshness = Pick<
  SourceState,
  'failures' | 'nextVisitAt' | 'lastVisitAt' | 'lastSuccessAt' | 'firstSeenAt'
>;

/** Whether the last visit of a source failed because our own network did not work. */
export const isOwnFault = sql<boolean>`source.last_error LIKE '{"code":"own_network"%'`;

/** Whether no lease covers this moment. */
export function isFree(now: number) {
  return isLeaseOver(expressionBuilder<Tables, 'source'>().ref('source.lease_until'), now);
}
