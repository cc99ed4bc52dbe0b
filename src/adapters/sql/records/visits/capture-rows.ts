import type { Capture } from '../../../../domain/capture.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { CaptureTable } from '../../schema.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';
import { jsonOrNull } from '../json-column.ts';
import type { Contents } from './shared-contents.ts';

type NewRow = Omit<CaptureTable, 'id'>;

/**
 * Keeps what the network said. Only the body of a 200 is kept, once per hash: an error page explains nothing that
 * its status does not. Headers live on as the source's validators and schedule.
 */
export type CaptureWriter = (source: number, capture: Capture, contents: Contents) => Work<void>;

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

function newCapture(place: Place<NewRow>) {
  return sql.insertInto('capture').values({
    source: place('source'),
    at: place('at'),
    requested_url: place('requested_url'),
    final_url: place('final_url'),
    trail: place('trail'),
    status: place('status'),
    body_hash: place('body_hash'),
    bytes: place('bytes'),
    duration_ms: place('duration_ms'),
    error_code: place('error_code'),
    error_detail: place('error_detail'),
  });
}
