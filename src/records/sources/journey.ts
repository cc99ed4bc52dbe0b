import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import type { DeclarationKind, ReferenceReason } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Pointers } from '../../domain/pointers.ts';
import type { SourceKey, SourceState, VisitError } from '../../domain/source.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import { type Db, parsed } from '../database.ts';
import type { CaptureTable } from '../tables.ts';
import { type SeenAuthorisation, seenAuthorisation } from '../visits/authorisation-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { type SeenMention, seenMention } from '../visits/mention-rows.ts';
import { readPointers } from './pointers.ts';
import { type SourceRow, sourceState } from './source-rows.ts';

export interface SourceJourney {
  readonly source: SourceState;
  readonly captures: readonly StoredCapture[];
  readonly declarations: readonly StoredDeclaration[];
  /** Of the last visit's file, valid or not. */
  readonly lastFindings: readonly Finding[];
  readonly authorisations: readonly SeenAuthorisation[];
  readonly mentions: readonly SeenMention[];
  readonly references: readonly { readonly domain: string; readonly reason: ReferenceReason }[];
  /** Of an adagents.json that other domains point to, or that names other domains. */
  readonly pointers?: Pointers;
}

/** An answer, and how long it has stayed the same: each visit that gets it again extends it. */
export interface StoredCapture {
  /** When it came first. */
  readonly at: number;
  /** When a visit got it last. */
  readonly lastSeenAt: number;
  /** How many visits in a row got it; at least 1. */
  readonly times: number;
  readonly requestedUrl: string;
  readonly finalUrl: string;
  readonly trail: readonly { readonly url: string; readonly status: number; readonly location?: string }[];
  readonly status?: number;
  /** Of a 200. */
  readonly bodyHash?: string;
  readonly bytes?: number;
  /** Of the last time, as the words of an error are. */
  readonly durationMs: number;
  readonly error?: VisitError;
}

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
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(storedCapture);
}

export function storedCapture(row: Selectable<CaptureTable>): StoredCapture {
  return {
    at: row.at,
    lastSeenAt: row.last_seen_at,
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
