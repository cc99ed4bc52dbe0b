import { hash as digest } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { present } from '../../base/json.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import { KINDS_OF_VISIT, type SourceKey, type SourceState } from '../../domain/source.ts';
import { RegistryError } from '../../errors.ts';
import type { BodyStore } from '../../ports/body-store.ts';
import { type Db, parsed, type RecordsDatabase } from '../database.ts';
import type { KeptBody } from '../visits/domain-visit.ts';
import { type StoredCapture, storedCapture } from './journey.ts';
import { sourceState } from './source-rows.ts';

/** Whose file it is. */
export interface FileKey {
  readonly kind: DeclarationKind;
  readonly key: string;
}

/** An answer that brought a text. */
export interface CapturedText extends StoredCapture {
  readonly id: number;
  readonly source: SourceKey;
  readonly bodyHash: string;
}

/** A file as it was last looked for, and its valid version. */
interface LiveFile {
  readonly source: SourceState;
  /** Absent: no file is valid. */
  readonly url?: string;
  /** What it was read from, while that is kept. */
  readonly body?: { readonly hash: string; readonly bytes: number };
}

/** What a visit last read of a file. */
export interface LastReading {
  readonly source: SourceState;
  /** The current declaration was read from this text; otherwise the text is newer than it. */
  readonly isLive: boolean;
  readonly findings: readonly Finding[];
  readonly url?: string;
  /** Absent: no text was ever read, or it is not kept any more. */
  readonly body?: { readonly hash: string; readonly bytes: number };
}

const unpack = promisify(zstdDecompress);
/** No file is larger, whatever limit an operator sets, so no body unpacks to more. */
const MOST = 256 * 2 ** 20;

/** Reads the texts of files, and where a domain's file was read from and when, without its contents. */
export function createFileTexts(database: RecordsDatabase, bodies?: BodyStore) {
  /** Bodies are verified by hash, because the store of bodies is not trusted. */
  async function textOf(kept: KeptBody | undefined, hash: string, most: number) {
    if (kept === undefined || kept.packing === null) return kept?.bytes;
    if (kept.packing === 'zstd') return unpackWithin(kept.bytes, most);
    if (bodies === undefined) throw notConfigured();
    const packed = await bodies.get(hash);
    const text = packed && (await unpackWithin(packed, most).catch(() => undefined));
    return text && digest('sha256', text) === hash ? text : undefined;
  }
  return {
    async body(hash: string) {
      const kept = await database.read((db) => bodyByHash(db, hash).executeTakeFirst());
      return textOf(kept, hash, MOST);
    },
    /** The same of at most so many bytes; undefined for a longer one, which is not read. */
    async bodyWithin(hash: string, most: number) {
      const kept = await database.read((db) =>
        bodyByHash(db, hash)
          .where((row) => row(row.fn<number>('octet_length', ['bytes']), '<=', most))
          .executeTakeFirst(),
      );
      return textOf(kept, hash, most);
    },
    /** Whether it is kept; it is not read. */
    hasBody: (hash: string) =>
      database.read(async (db) => {
        const row = await db.selectFrom('body').select('hash').where('hash', '=', hash).executeTakeFirst();
        return row !== undefined;
      }),
    /** Where the live declaration of a file was read from, and how fresh it is, without its content. */
    liveFile: (source: FileKey) => database.read((db) => readLiveFile(db, source)),
    /** The answers that brought a text, in the order of their ids behind `after`; of one domain's files, when it is named. */
    captured: (after: number, limit: number, domain?: string) =>
      database.read((db) => capturedTexts(db, { after, limit, domain })),
    /** The text of a file as it was last read, valid or not, and what was found in it. */
    lastReading: (source: FileKey) => database.read((db) => readLastReading(db, source)),
  };
}

export type FileTexts = ReturnType<typeof createFileTexts>;

async function readLiveFile(db: Db, { kind, key }: FileKey): Promise<LiveFile | undefined> {
  const row = await sourceWithFile(db, kind, key);
  if (row === undefined) return undefined;
  const { file_url: url, declaration } = row;
  const body = declaration === null || url === null ? undefined : await bodyOfFile(db, declaration, url);
  return { source: sourceState(row), ...present({ url, body }) };
}

async function readLastReading(db: Db, { kind, key }: FileKey): Promise<LastReading | undefined> {
  const row = await sourceWithFile(db, kind, key);
  if (row === undefined) return undefined;
  const { declaration, file_url: url } = row;
  const source = sourceState(row);
  const own = parsed<readonly Finding[]>(row.findings);
  if (own !== undefined || declaration === null || url === null) {
    const last = await lastBody(db, row.id);
    const read = last && { url: last.url, body: { hash: last.hash, bytes: last.bytes } };
    return { source, isLive: false, findings: own ?? [], ...read };
  }
  const findings = await findingsOf(db, declaration);
  const body = await bodyOfFile(db, declaration, url);
  return { source, isLive: true, findings, url, ...present({ body }) };
}

function unpackWithin(packed: Uint8Array, most: number): Promise<Uint8Array | undefined> {
  return unpack(packed, { maxOutputLength: most }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw fault;
  });
}

function notConfigured(): RegistryError {
  return new RegistryError('store_unavailable', 'the text of this file is stored outside of the records', {
    hint: 'set REGISTRY_BODIES to the address that the bodies were moved to',
  });
}

function sourceWithFile(db: Db, kind: DeclarationKind, key: string) {
  return db
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .selectAll('source')
    .select('declaration.url as file_url')
    .where('source.kind', '=', kind)
    .where('source.key', '=', key)
    .executeTakeFirst();
}

/** The bytes at that URL of which the declaration was read; not those of a pointer on the way. */
function bodyOfFile(db: Db, declaration: number, url: string) {
  return db
    .selectFrom('declaration')
    .innerJoin('declaration_body', 'declaration_body.declaration', 'declaration.id')
    .innerJoin('capture', (join) =>
      join
        .onRef('capture.source', '=', 'declaration.source')
        .onRef('capture.body_hash', '=', 'declaration_body.hash'),
    )
    .select((row) => ['declaration_body.hash', row.ref('capture.bytes').$notNull().as('bytes')])
    .where('declaration.id', '=', declaration)
    .where((row) => row(row.fn.coalesce('capture.final_url', 'capture.requested_url'), '=', url))
    .orderBy('capture.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function findingsOf(db: Db, declaration: number): Promise<readonly Finding[]> {
  const row = await db
    .selectFrom('declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select('declared_value.findings')
    .where('declaration.id', '=', declaration)
    .executeTakeFirst();
  return parsed<readonly Finding[]>(row?.findings ?? null) ?? [];
}

/** The last text that came as the file. An ads.txt, by which a manager is found, is not the file. */
function lastBody(db: Db, source: number) {
  return db
    .selectFrom('capture')
    .select((row) => [
      row.fn.coalesce('final_url', 'requested_url').as('url'),
      row.ref('body_hash').$notNull().as('hash'),
      row.ref('bytes').$notNull().as('bytes'),
    ])
    .where('source', '=', source)
    .where('status', '=', 200)
    .where('body_hash', 'is not', null)
    .where('requested_url', 'not like', '%/ads.txt')
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function capturedTexts(
  db: Db,
  {
    after,
    limit,
    domain,
  }: { readonly after: number; readonly limit: number; readonly domain: string | undefined },
): Promise<readonly CapturedText[]> {
  let captures = db
    .selectFrom('capture')
    .innerJoin('source', 'source.id', 'capture.source')
    .selectAll('capture')
    .select((row) => ['source.kind', 'source.key', row.ref('capture.body_hash').$notNull().as('hash')])
    .where('capture.id', '>', after)
    .where('capture.body_hash', 'is not', null)
    .orderBy('capture.id')
    .limit(limit);
  if (domain !== undefined)
    captures = captures.where('source.kind', 'in', KINDS_OF_VISIT.domain).where('source.key', '=', domain);
  const rows = await captures.execute();
  return rows.map((row) => ({
    ...storedCapture(row),
    id: row.id,
    source: { kind: row.kind, key: row.key },
    bodyHash: row.hash,
  }));
}

function bodyByHash(db: Db, hash: string) {
  return db.selectFrom('body').select(['bytes', 'packing']).where('hash', '=', hash);
}
