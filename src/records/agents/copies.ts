import { defined, present } from '../../base/json.ts';
import type { AuthorisingEntry } from '../../domain/authorisation-question.ts';
import type { AuthorisationLimits } from '../../domain/declaration.ts';
import type { Coverage, ListedProperty } from '../../domain/declared-facts.ts';
import { type Db, listOf, parsed, type RecordsDatabase } from '../database.ts';
import { freshnessOf } from '../sources/source-rows.ts';
import { listedProperty } from '../visits/property-rows.ts';
import type { StoredPublisher } from './authorisations.ts';
import { bytesOf, idsIn } from './queries.ts';

/** A publisher with a valid file. */
export interface CopiedPublisher extends Pick<StoredPublisher, 'publisher' | 'source'> {
  /** Where its file was read. */
  readonly url: string;
  /** All that the answers about it are made of. */
  readonly content?: CopiedContent;
}

export interface CopiedContent {
  readonly properties: readonly ListedProperty[];
  /** Of all agents, in the order in which they began. */
  readonly entries: readonly CopiedEntry[];
}

interface CopiedEntry extends Pick<AuthorisingEntry, 'entry' | 'covers' | 'limits'> {
  readonly agent: string;
}

/**
 * What a copy of the directory is made of, publisher by publisher. Each call is a short read of its own: a long one would
 * keep SQLite from truncating its write-ahead log.
 */
export function createCopies(database: RecordsDatabase) {
  return {
    /**
     * The next publishers with a valid file behind a domain, in the order of their bytes: as many as have about 4 MiB of
     * file together, one at least, none at the end. A publisher with a long file has no content here; read it with `contentOf`.
     */
    publishersBehind: (after: string) => database.read((db) => readPublishersBehind(db, after)),
    /** One of them without its content; undefined if it has no valid file. */
    publisher: (domain: string) => database.read((db) => readPublisher(db, domain)),
    /**
     * The contents of its live rows, in pieces of about 256 KiB: first its entries, then its properties. Each piece is
     * a separate read, so a visit in between may change later pieces.
     */
    contentOf: (domain: string) => readContentInPieces(database, domain),
    /** Publishers with a valid file, and live entries, as of now. */
    count: () => database.read(countRows),
  };
}

export type Copies = ReturnType<typeof createCopies>;

/** Publishers that are read at once, at most, and the bytes of their files: the rows of a file are about as long. */
const MAX_PUBLISHERS = 100;
const MAX_BYTES = 4 * 1024 * 1024;
/** A longer file is read separately, in pieces. */
const LONG_BYTES = 512 * 1024;
/** Maximum size of a piece; a longer row is a piece of its own. */
const PIECE = { bytes: 256 * 1024, rows: 1_000 };
/** Bytes of a row besides its long texts. */
const ROW_BYTES = 100;

async function readPublishersBehind(db: Db, after: string): Promise<readonly CopiedPublisher[]> {
  const next = await publisherRows(db)
    .where('source.key', '>', after)
    .orderBy('source.key')
    .limit(MAX_PUBLISHERS)
    .execute();
  const rows = withRoom(next);
  const short = rows.filter(({ bytes }) => bytes <= LONG_BYTES).map(({ key }) => key);
  const contents = await readContents(db, short);
  return rows.map((row) => ({ ...knownPublisher(row), ...defined({ content: contents.get(row.key) }) }));
}

async function readPublisher(db: Db, domain: string): Promise<CopiedPublisher | undefined> {
  const row = await publisherRows(db).where('source.key', '=', domain).executeTakeFirst();
  return row && knownPublisher(row);
}

/** Publishers with a valid file, with its size. */
function publisherRows(db: Db) {
  return db
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select(['source.key', 'source.failures', 'source.first_seen_at', 'source.next_visit_at'])
    .select(['source.last_visit_at', 'source.last_success_at', 'declaration.url'])
    .select(({ fn }) => fn<number>('octet_length', ['declared_value.value']).as('bytes'))
    .where('source.kind', '=', 'adagents')
    .where('source.declaration', 'is not', null);
}

type PublisherRow = Awaited<ReturnType<ReturnType<typeof publisherRows>['execute']>>[number];

/** The first rows that have room together, at least one. */
function withRoom(rows: readonly PublisherRow[]): readonly PublisherRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes > MAX_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

function knownPublisher(row: PublisherRow): Pick<CopiedPublisher, 'publisher' | 'url' | 'source'> {
  return { publisher: row.key, url: row.url, source: freshnessOf(row) };
}

const ENTRY = ['publisher', 'agent', 'entry', 'covers', 'limits'] as const;

/** The whole content of each of these publishers. */
async function readContents(
  db: Db,
  publishers: readonly string[],
): Promise<ReadonlyMap<string, CopiedContent>> {
  const properties = await db
    .selectFrom('property')
    .selectAll()
    .where('publisher', 'in', listOf(db, publishers))
    .orderBy('publisher')
    .orderBy('id')
    .execute();
  const entries = await db
    .selectFrom('authorisation')
    .select(ENTRY)
    .where('publisher', 'in', listOf(db, publishers))
    .where('seen_until', 'is', null)
    .orderBy('publisher')
    .orderBy('id')
    .execute();
  const propertiesOf = Map.groupBy(properties, (row) => row.publisher);
  const entriesOf = Map.groupBy(entries, (row) => row.publisher);
  return new Map(
    publishers.map((publisher) => {
      const content = {
        properties: (propertiesOf.get(publisher) ?? []).map(listedProperty),
        entries: (entriesOf.get(publisher) ?? []).map(copiedEntry),
      };
      return [publisher, content];
    }),
  );
}

/** The ids of all rows are read first, as no index has them in the order of pages. */
async function* readContentInPieces(
  database: RecordsDatabase,
  domain: string,
): AsyncGenerator<CopiedContent> {
  for (const ids of piecesOf(await database.read((db) => readEntrySizes(db, domain)))) {
    const entries = await database.read((db) => readEntries(db, ids));
    yield { properties: [], entries };
  }
  for (const ids of piecesOf(await database.read((db) => readPropertySizes(db, domain)))) {
    const properties = await database.read((db) => readProperties(db, ids));
    yield { properties, entries: [] };
  }
}

interface RowSize {
  readonly id: number;
  /** Of its long texts. */
  readonly bytes: number;
}

/** The ids of rows in pieces, in the order of the rows. */
function piecesOf(rows: readonly RowSize[]): readonly (readonly number[])[] {
  const pieces: number[][] = [];
  let piece: number[] = [];
  let room = 0;
  for (const { id, bytes: textBytes } of rows) {
    const bytes = textBytes + ROW_BYTES;
    if (room < bytes || piece.length === PIECE.rows) {
      piece = [];
      room = PIECE.bytes;
      pieces.push(piece);
    }
    piece.push(id);
    room -= bytes;
  }
  return pieces;
}

function readEntrySizes(db: Db, domain: string): Promise<RowSize[]> {
  return db
    .selectFrom('authorisation')
    .select(['id', bytesOf('covers', 'limits').as('bytes')])
    .where('publisher', '=', domain)
    .where('seen_until', 'is', null)
    .orderBy('id')
    .execute();
}

function readPropertySizes(db: Db, domain: string): Promise<RowSize[]> {
  return db
    .selectFrom('property')
    .select(['id', bytesOf('identifiers', 'tags').as('bytes')])
    .where('publisher', '=', domain)
    .orderBy('id')
    .execute();
}

async function readEntries(db: Db, ids: readonly number[]): Promise<readonly CopiedEntry[]> {
  const rows = await db
    .selectFrom('authorisation')
    .select(ENTRY)
    .where('id', 'in', idsIn(db, ids))
    .orderBy('id')
    .execute();
  return rows.map(copiedEntry);
}

async function readProperties(db: Db, ids: readonly number[]) {
  const rows = await db
    .selectFrom('property')
    .selectAll()
    .where('id', 'in', idsIn(db, ids))
    .orderBy('id')
    .execute();
  return rows.map(listedProperty);
}

function copiedEntry(row: {
  readonly agent: string;
  readonly entry: string;
  readonly covers: string | null;
  readonly limits: string | null;
}): CopiedEntry {
  const { agent, entry } = row;
  return {
    agent,
    entry,
    ...present({ covers: parsed<Coverage>(row.covers), limits: parsed<AuthorisationLimits>(row.limits) }),
  };
}

async function countRows(db: Db): Promise<{ readonly publishers: number; readonly entries: number }> {
  const publishers = await db
    .selectFrom('source')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('kind', '=', 'adagents')
    .where('declaration', 'is not', null)
    .executeTakeFirstOrThrow();
  const entries = await db
    .selectFrom('authorisation')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('seen_until', 'is', null)
    .executeTakeFirstOrThrow();
  return { publishers: publishers.n, entries: entries.n };
}
