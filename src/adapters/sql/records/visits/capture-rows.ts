import type { Capture } from '../../../../domain/capture.ts';
import type { CaptureTable } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

import { jsonOrNull } from '../json-column.ts';
import type { Contents } from './shared-contents.ts';

type NewRow = Omit<CaptureTable, 'id'>;

/**
 * Keeps what the network said. Only the body of a 200 is kept, once per hash: an error page explains nothing that
 * its status does not. Headers live on as the source's validators and schedule.
 */
export type CaptureWriter = (source: number, capture: Capture, contents: Contents) => SqlTask<void>;

/** Inside the caller's transaction. */
export function createCaptureWriter(store: SqlStore): CaptureWriter {
  const insert = prepare(store, newCapture);
  return function* (source, capture, { bodies }) {
    if (capture.ok && capture.status === 200 && capture.bodyHash !== '')
      bodies.set(capture.bodyHash, capture.body);
    yield* insert.run(rowOf(source, capture));
  };
}

function rowOf(source: number, capture: Capture): NewRow {
  return {
    source,
    at: capture.at,
    requested_url: capture.requestedUrl,
    final_url: capture.finalUrl === capture.requestedUrl ? null : capture.finalUrl,
    trail: jsonOrNull(capture.trail.length === 0 ? undefined : capture.trail),
    status: capture.ok ? capture.status : null,
    body_hash: capture.ok && capture.bodyHash !== '' ? capture.bodyHash : null,
    bytes: capture.ok ? capture.body.byteLength : null,
    duration_ms: Math.round(capture.durationMs),
    error_code: capture.ok ? null : capture.failure.code,
    error_detail: capture.ok ? null : capture.failure.detail,
  };
}

function newCapture(param: Param<NewRow>) {
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
  });
}
