import { expressionBuilder, type Selectable } from 'kysely';
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

/** Whether no lease covers this moment. */
export function isFree(now: number) {
  return isLeaseOver(expressionBuilder<Tables, 'source'>().ref('source.lease_until'), now);
}
