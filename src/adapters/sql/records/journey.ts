import type { Selectable } from 'kysely';
import type { FileKind } from '../../../domain/declaration.ts';
import type { Finding } from '../../../domain/finding.ts';
import type { SourceKey } from '../../../domain/source.ts';
import type { SourceJourney, StoredCapture } from '../../../ports/source-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { sql } from '../prepared.ts';
import { all } from '../run-query.ts';
import type { CaptureTable } from '../schema.ts';
import { selectDeclarations, storedDeclaration } from './declaration-rows.ts';
import { parsed, present } from './present.ts';
import { seenAuthorisation, seenMention } from './seen-rows.ts';
import { type SourceRow, sourceState } from './source-state.ts';

/** Everything kept of one source, newest first, each list at most `limit`; for `explain`, so not a hot path. */
export function readJourney(database: SqliteDatabase, source: SourceRow, limit: number): SourceJourney {
  const declarations = all(
    database,
    selectDeclarations()
      .where('declaration.source', '=', source.id)
      .orderBy('declaration.id', 'desc')
      .limit(limit),
  ).map(storedDeclaration);
  return {
    source: sourceState(source),
    captures: captures(database, source.id, limit),
    declarations,
    lastFindings:
      parsed<Finding[]>(source.findings) ??
      declarations.find((version) => version.seenUntil === undefined)?.findings ??
      [],
    authorisations: authorisations(database, source, limit),
    mentions: mentions(database, source, limit),
    references: references(database, source, limit),
  };
}

function captures(database: SqliteDatabase, source: number, limit: number): StoredCapture[] {
  return all(
    database,
    sql.selectFrom('capture').selectAll().where('source', '=', source).orderBy('id', 'desc').limit(limit),
  ).map(storedCapture);
}

function storedCapture(row: Selectable<CaptureTable>): StoredCapture {
  return {
    at: row.at,
    requestedUrl: row.requested_url,
    finalUrl: row.final_url ?? row.requested_url,
    trail: parsed<StoredCapture['trail']>(row.trail) ?? [],
    durationMs: row.duration_ms,
    ...present({
      status: row.status,
      bodyHash: row.body_hash,
      bytes: row.bytes,
      error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    }),
  };
}

function authorisations(database: SqliteDatabase, { kind, key }: SourceKey, limit: number) {
  if (kind === 'brand') return [];
  const owner = kind === 'agent' ? 'agent' : 'publisher';
  const query = sql.selectFrom('authorisation').selectAll().where(owner, '=', key);
  return all(database, query.orderBy('seen_from', 'desc').orderBy('id', 'desc').limit(limit)).map(
    seenAuthorisation,
  );
}

function mentions(database: SqliteDatabase, { kind, key }: SourceKey, limit: number) {
  const rows = sql.selectFrom('mention').selectAll();
  const query =
    kind === 'agent'
      ? rows.where('agent', '=', key)
      : rows.where('declarer', '=', key).where('file', '=', kind);
  return all(database, query.orderBy('seen_from', 'desc').orderBy('id', 'desc').limit(limit)).map(
    seenMention,
  );
}

function references(database: SqliteDatabase, { kind, key }: SourceKey, limit: number) {
  const query = sql
    .selectFrom('reference_to')
    .select(['domain', 'reason'])
    .where('declarer', '=', key)
    .where('file', '=', kind as FileKind);
  return all(database, query.orderBy('domain').limit(limit)).map((row) => ({ ...row }));
}
