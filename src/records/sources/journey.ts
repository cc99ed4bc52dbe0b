import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import type { SourceKey } from '../../domain/source.ts';
import type { SeenAuthorisation, SeenMention } from '../../ports/agent-store.ts';
import type { StoredCapture } from '../../ports/file-texts.ts';
import type { SourceJourney } from '../../ports/source-store.ts';
import type { CaptureTable } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, parsed, sql } from '../statements.ts';
import { seenAuthorisation } from '../visits/authorisation-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { seenMention } from '../visits/mention-rows.ts';
import { readPointers } from './pointers.ts';
import { type SourceRow, sourceState } from './source-rows.ts';

/** Everything kept of one source and what its file says, newest first, each list at most `limit`; for `explain`, so not a hot path. */
export function* readJourney(store: SqlStore, source: SourceRow, limit: number): SqlTask<SourceJourney> {
  const stored = yield* all(
    store,
    selectDeclarations()
      .where('declaration.source', '=', source.id)
      .orderBy('declaration.id', 'desc')
      .limit(limit),
  );
  const declarations = stored.map(storedDeclaration);
  return {
    source: sourceState(source),
    captures: yield* captures(store, source.id, limit),
    declarations,
    lastFindings:
      parsed<Finding[]>(source.findings) ??
      declarations.find((version) => version.seenUntil === undefined)?.findings ??
      [],
    authorisations: yield* authorisations(store, source, limit),
    mentions: yield* mentions(store, source, limit),
    references: yield* references(store, source, limit),
    ...(source.kind === 'adagents' && { pointers: yield* readPointers(store, source.key, limit) }),
  };
}

function* captures(store: SqlStore, source: number, limit: number): SqlTask<StoredCapture[]> {
  const query = sql
    .selectFrom('capture')
    .selectAll()
    .where('source', '=', source)
    .orderBy((row) => row.fn.coalesce('last_seen_at', 'at'), 'desc')
    .orderBy('id', 'desc');
  return (yield* all(store, query.limit(limit))).map(storedCapture);
}

export function storedCapture(row: Selectable<CaptureTable>): StoredCapture {
  return {
    at: row.at,
    lastSeenAt: row.last_seen_at ?? row.at,
    times: row.times,
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

function* authorisations(
  store: SqlStore,
  { kind, key }: SourceKey,
  limit: number,
): SqlTask<SeenAuthorisation[]> {
  if (kind !== 'adagents') return [];
  const query = sql.selectFrom('authorisation').selectAll().where('publisher', '=', key);
  const rows = yield* all(store, query.orderBy('seen_from', 'desc').orderBy('id', 'desc').limit(limit));
  return rows.map(seenAuthorisation);
}

function* mentions(store: SqlStore, { kind, key }: SourceKey, limit: number): SqlTask<SeenMention[]> {
  if (kind === 'agent') return [];
  const query = sql.selectFrom('mention').selectAll().where('declarer', '=', key).where('file', '=', kind);
  const rows = yield* all(store, query.orderBy('seen_from', 'desc').orderBy('id', 'desc').limit(limit));
  return rows.map(seenMention);
}

function* references(
  store: SqlStore,
  { kind, key }: SourceKey,
  limit: number,
): SqlTask<SourceJourney['references']> {
  const query = sql
    .selectFrom('reference_to')
    .select(['domain', 'reason'])
    .where('declarer', '=', key)
    .where('file', '=', kind as DeclarationKind);
  const rows = yield* all(store, query.orderBy('domain').limit(limit));
  return rows.map((row) => ({ ...row }));
}
