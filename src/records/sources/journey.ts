import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import type { SourceKey } from '../../domain/source.ts';
import type { SeenAuthorisation, SeenMention } from '../../ports/agent-store.ts';
import type { StoredCapture } from '../../ports/file-texts.ts';
import type { SourceJourney } from '../../ports/source-store.ts';
import { type Db, parsed } from '../database.ts';
import type { CaptureTable } from '../tables.ts';
import { seenAuthorisation } from '../visits/authorisation-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { seenMention } from '../visits/mention-rows.ts';
import { readPointers } from './pointers.ts';
import { type SourceRow, sourceState } from './source-rows.ts';

/** Everything kept of one source and what its file says, newest first, each list at most `limit`; for `explain`, so not a hot path. */
export async function readJourney(db: Db, source: SourceRow, limit: number): Promise<SourceJourney> {
  const versions = await selectDeclarations(db)
    .where('declaration.source', '=', source.id)
    .orderBy('declaration.id', 'desc')
    .limit(limit)
    .execute();
  const declarations = versions.map(storedDeclaration);
  const live = declarations.find((version) => version.seenUntil === undefined);
  return {
    source: sourceState(source),
    captures: await readCaptures(db, source.id, limit),
    declarations,
    lastFindings: parsed<Finding[]>(source.findings) ?? live?.findings ?? [],
    authorisations: await readAuthorisations(db, source, limit),
    mentions: await readMentions(db, source, limit),
    references: await readReferences(db, source, limit),
    ...(source.kind === 'adagents' && { pointers: await readPointers(db, source.key, limit) }),
  };
}

async function readCaptures(db: Db, source: number, limit: number): Promise<StoredCapture[]> {
  const rows = await db
    .selectFrom('capture')
    .selectAll()
    .where('source', '=', source)
    .orderBy((row) => row.fn.coalesce('last_seen_at', 'at'), 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(storedCapture);
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

async function readAuthorisations(
  db: Db,
  { kind, key }: SourceKey,
  limit: number,
): Promise<SeenAuthorisation[]> {
  if (kind !== 'adagents') return [];
  const rows = await db
    .selectFrom('authorisation')
    .selectAll()
    .where('publisher', '=', key)
    .orderBy('seen_from', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(seenAuthorisation);
}

async function readMentions(db: Db, { kind, key }: SourceKey, limit: number): Promise<SeenMention[]> {
  if (kind === 'agent') return [];
  const rows = await db
    .selectFrom('mention')
    .selectAll()
    .where('declarer', '=', key)
    .where('file', '=', kind)
    .orderBy('seen_from', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(seenMention);
}

async function readReferences(
  db: Db,
  { kind, key }: SourceKey,
  limit: number,
): Promise<SourceJourney['references']> {
  const rows = await db
    .selectFrom('reference_to')
    .select(['domain', 'reason'])
    .where('declarer', '=', key)
    .where('file', '=', kind as DeclarationKind)
    .orderBy('domain')
    .limit(limit)
    .execute();
  return rows.map(({ domain, reason }) => ({ domain, reason }));
}
