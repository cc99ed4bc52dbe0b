import type { Capture, Validator } from '../../../../domain/capture.ts';
import type { Outcome } from '../../../../domain/outcome.ts';
import type { FileVisit } from '../../../../ports/visit-commits.ts';
import type { CaptureTable } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { jsonOrNull, type Param, prepare, sql } from '../../statements.ts';
import type { HeldSource } from '../sources/source-rows.ts';

interface Row extends Omit<CaptureTable, 'id' | 'times' | 'last_seen_at'> {
  readonly last_seen_at: number;
}

/** What the next answer must be to extend the last one of its URL. */
interface SameRow extends Omit<Row, 'at' | 'bytes'> {
  /** Of the body that a 304 stands for. */
  readonly validated: string | null;
}

/**
 * Keeps what the network said at a visit. An answer that says the same as the last one from its URL extends that row:
 * the same way there, the same status, and for a 200 the same body; or a 304 to it; or the same kind of failure.
 * Headers live on as the source's validators and schedule. Of pages that are not the file only the status is kept. Where no
 * file was ever read and nothing is there, the source says so itself, and nothing else is kept.
 */
type CaptureWriter = (held: HeldSource, file: FileVisit) => SqlTask<void>;

/** Nothing is there, or nobody who answers. A refusal is kept: its site may want to know why. */
const NOTHING: ReadonlySet<Outcome> = new Set(['absent', 'unreachable']);

/** Whether a visit of a file leaves captures and the bodies that they name. */
export function leavesCaptures({ last_success_at: lastSuccessAt }: HeldSource, file: FileVisit): boolean {
  return lastSuccessAt !== null || !NOTHING.has(file.outcome);
}

/** Inside the caller's transaction; for a visit that leaves captures. */
export function createCaptureWriter(store: SqlStore): CaptureWriter {
  const insert = prepare(store, newCapture, {
    kinds: {
      source: 'number',
      at: 'number',
      status: 'number',
      bytes: 'number',
      duration_ms: 'number',
      last_seen_at: 'number',
    },
  });
  const extend = prepare(store, extendedCapture, {
    kinds: { source: 'number', status: 'number', duration_ms: 'number', last_seen_at: 'number' },
    apart: ['source', 'requested_url'],
  });

  return function* ({ id, last_visit_at: lastVisitAt }, file) {
    const { captures, validators } = file;
    // a shared file was perhaps fetched for another domain before: what a visit gets later is seen later
    let seenAt = 0;
    const rows = captures.map((capture) => {
      seenAt = Math.max(capture.at, seenAt + 1);
      return rowOf(id, capture, seenAt);
    });
    const known = lastVisitAt === null ? [] : rows.map((row) => sameAs(row, validators));
    const extended = yield* extend.runEach(known);
    yield* insert.runEach(rows.filter((_, at) => extended[at] !== 1));
  };
}

function rowOf(source: number, capture: Capture, seenAt: number): Row {
  const isFile = capture.ok && capture.status === 200 && capture.bodyHash !== '';
  return {
    source,
    at: capture.at,
    requested_url: capture.requestedUrl,
    final_url: capture.finalUrl === capture.requestedUrl ? null : capture.finalUrl,
    trail: jsonOrNull(capture.trail.length === 0 ? undefined : capture.trail),
    status: capture.ok ? capture.status : null,
    body_hash: isFile ? capture.bodyHash : null,
    bytes: capture.ok ? capture.body.byteLength : null,
    duration_ms: Math.round(capture.durationMs),
    error_code: capture.ok ? null : capture.failure.code,
    error_detail: capture.ok ? null : capture.failure.detail,
    last_seen_at: seenAt,
  };
}

function sameAs({ at: _at, bytes: _bytes, ...row }: Row, validators: readonly Validator[]): SameRow {
  const validator = row.status === 304 && validators.find(({ url }) => url === row.requested_url);
  return { ...row, validated: validator ? validator.bodyHash : null };
}

function newCapture(param: Param<Row>) {
  return sql.insertInto('capture').values({
    source: param('source'),
    at: param('at'),
    requested_url: param('requested_url'),
    final_url: param('final_url'),
    trail: param('trail'),
    status: param('status'),
    body_hash: param('body_hash'),
    bytes: param('bytes'),
    duration_ms: param('duration_ms'),
    error_code: param('error_code'),
    error_detail: param('error_detail'),
    last_seen_at: param('last_seen_at'),
  });
}

function extendedCapture(param: Param<SameRow>) {
  const latest = sql
    .selectFrom('capture')
    .select('id')
    .where('source', '=', param('source'))
    .where('requested_url', '=', param('requested_url'))
    .orderBy('id', 'desc')
    .limit(1);
  return sql
    .updateTable('capture')
    .set((row) => ({
      last_seen_at: param('last_seen_at'),
      times: row('times', '+', 1),
      duration_ms: param('duration_ms'),
      error_detail: param('error_detail'),
    }))
    .where('id', '=', latest)
    .where('final_url', 'is not distinct from', param('final_url'))
    .where('trail', 'is not distinct from', param('trail'))
    .where('error_code', 'is not distinct from', param('error_code'))
    .where((row) =>
      row.or([
        row.and([
          row('status', 'is not distinct from', param('status')),
          row('body_hash', 'is not distinct from', param('body_hash')),
        ]),
        row.and([row('status', '=', 200), row('body_hash', '=', param('validated'))]),
      ]),
    );
}
