import { sql } from 'kysely';
import { present } from '../../base/json.ts';
import type { FileKind, PropertyIdentifier } from '../../domain/declaration.ts';
import type { AuthorisationVia, DeclarationKind, ListedProperty } from '../../domain/declared-facts.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { type Db, listOf, type RecordsDatabase, tableOf } from '../database.ts';
import { isPointer, isSeen, pointerBack } from '../sources/pointers.ts';
import { identifierName, idName, listedProperty } from '../visits/property-rows.ts';

/** What may be read; a single property may be as long as a file. */
interface PropertiesRoom {
  readonly count: number;
  readonly bytes: number;
  /** Only the properties with one of these ids; if absent, the first ones. */
  readonly ids?: readonly string[];
}

export interface PropertiesRead {
  readonly properties: readonly ListedProperty[];
  /** What was read. */
  readonly bytes: number;
  /** The publisher lists more. */
  readonly isCut: boolean;
}

/** A domain as its adagents.json was last found. */
export interface KnownPublisher {
  readonly domain: string;
  /** Its file is valid now. */
  readonly isValid: boolean;
  readonly via?: AuthorisationVia;
  readonly manager?: string;
  readonly url?: string;
  /** Of everything that the file was read from, as in FileVersion. */
  readonly contentHash?: string;
  readonly lastVisitAt?: number;
  readonly lastSuccessAt?: number;
  readonly lastOutcome?: Outcome;
  /** Why no file is valid, from the last conclusive visit; absent with `isValid: false`: none yet. */
  readonly lacking?: 'absent' | 'broken';
  /** Agents that it authorises for something that it has. */
  readonly agents: number;
  /** Properties in its catalogue. */
  readonly properties: number;
}

export interface DomainPage {
  readonly after: string;
  readonly limit: number;
}

/** A publisher that a file of another domain names. */
interface NamedPublisher {
  readonly domain: string;
  /** It was visited at least once while our own network worked. */
  readonly isVisited: boolean;
  /** Its own file, or its ads.txt, points to the domain that names it. */
  readonly pointsBack: boolean;
}

/** The content of a file between two visits. */
export interface FileVersion {
  /** The same for two versions with the same content. */
  readonly hash: string;
  /** Of everything that it was read from; the last part is the body (SHA-256). */
  readonly contentHash: string;
  readonly via: AuthorisationVia;
  readonly manager?: string;
  readonly url: string;
  /** Agents that it authorised for something, and properties in its catalogue. */
  readonly agents: number;
  readonly properties: number;
  /** Epoch milliseconds. */
  readonly seenFrom: number;
}

/** Publishers: their files and versions, the properties that they list, and the files that point to each other. */
export function createPublisherReads(database: RecordsDatabase) {
  return {
    /** Domains with a valid adagents.json, behind `after`. */
    publishers: (after: string | undefined, limit: number) =>
      database.read((db) => readPublishers(db, after, limit)),
    /** Those of these domains that were ever looked at. */
    publishersAmong: (domains: readonly string[]) => database.read((db) => readPublishersAmong(db, domains)),
    /** The publisher with a valid file at this place behind `after`, from 1; undefined if there are fewer. */
    publisherAt: (after: string, place: number) => database.read((db) => readPublisherAt(db, after, place)),
    /** The versions of a file of a domain, the newest first, for as long as their contents are kept. */
    versions: (domain: string, file: FileKind, limit: number) =>
      database.read((db) => readVersions(db, domain, file, limit)),
    /** The first properties that a publisher lists in its file's catalogue and in entries, as many as fit. */
    properties: (publisher: string, room: PropertiesRoom) =>
      database.read((db) => readProperties(db, publisher, room)),
    /** Publishers that list an identifier. */
    publishersListing: (type: string, value: string, limit: number) =>
      database.read((db) => readPublishersListing(db, identifierName({ type, value }), limit)),
    /** Of each identifier whether any publisher lists it now. */
    async areListed(identifiers: readonly PropertyIdentifier[]) {
      const names = identifiers.map(identifierName);
      const listed = await database.read((db) => readListedNames(db, names));
      return names.map((name) => listed.has(name));
    },
    /** Domains after `after` whose file points to the adagents.json of this one. */
    pointingTo: (domain: string, page: DomainPage) => database.read((db) => readPointingTo(db, domain, page)),
    /** How many do, counted up to `most`. */
    countPointingTo: (domain: string, most: number) =>
      database.read((db) => countPointingTo(db, domain, most)),
    /** Domains that the adagents.json of this one names as publishers, behind `after`. */
    namedBy: (domain: string, page: DomainPage) => database.read((db) => readNamedBy(db, domain, page)),
  };
}

/** Domains with a valid file, behind one of them. */
async function readPublishers(db: Db, after = '', limit: number): Promise<readonly KnownPublisher[]> {
  const rows = await publisherRows(db)
    .where('source.declaration', 'is not', null)
    .where('source.key', '>', after)
    .orderBy('source.key')
    .limit(limit)
    .execute();
  return rows.map(knownPublisher);
}

async function readPublishersAmong(db: Db, domains: readonly string[]): Promise<readonly KnownPublisher[]> {
  const rows = await publisherRows(db)
    .where('source.key', 'in', listOf(db, domains))
    .orderBy('source.key')
    .execute();
  return rows.map(knownPublisher);
}

/** From the last conclusive visit: a failed visit changes neither of these columns. */
const lacking = sql<
  'absent' | 'broken' | null
>`CASE WHEN source.absent_since IS NOT NULL THEN 'absent' WHEN source.findings <> '[]' THEN 'broken' END`;

function publisherRows(db: Db) {
  return db
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .select(['source.key', 'source.declaration', 'source.last_visit_at', 'source.last_success_at'])
    .select(lacking.as('lacking'))
    .select(['source.last_outcome', 'declaration.via', 'declaration.manager', 'declaration.url'])
    .select(['declaration.agents', 'declaration.properties', 'declaration.content_hash'])
    .where('source.kind', '=', 'adagents');
}

interface PublisherRow {
  readonly key: string;
  readonly declaration: number | null;
  readonly last_visit_at: number | null;
  readonly last_success_at: number | null;
  readonly last_outcome: Outcome | null;
  readonly lacking: 'absent' | 'broken' | null;
  readonly via: KnownPublisher['via'] | null;
  readonly manager: string | null;
  readonly url: string | null;
  readonly content_hash: string | null;
  readonly agents: number | null;
  readonly properties: number | null;
}

/** A domain as its adagents.json was last found. */
function knownPublisher(row: PublisherRow): KnownPublisher {
  return {
    domain: row.key,
    isValid: row.declaration !== null,
    agents: row.agents ?? 0,
    properties: row.properties ?? 0,
    ...present({
      via: row.via,
      manager: row.manager,
      url: row.url,
      contentHash: row.content_hash,
      lastVisitAt: row.last_visit_at,
      lastSuccessAt: row.last_success_at,
      lastOutcome: row.last_outcome,
      lacking: row.lacking,
    }),
  };
}

async function readPublisherAt(db: Db, after: string, place: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'adagents')
    .where('declaration', 'is not', null)
    .where('key', '>', after)
    .orderBy('key')
    .limit(1)
    .offset(place - 1)
    .executeTakeFirst();
  return row?.key;
}

/** The versions of a file, newest first, by the index of its source and without their texts. */
async function readVersions(
  db: Db,
  domain: string,
  file: DeclarationKind,
  limit: number,
): Promise<readonly FileVersion[]> {
  const rows = await db
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.source', 'source.id')
    .select(['declaration.value_hash', 'declaration.via', 'declaration.manager', 'declaration.url'])
    .select(['declaration.agents', 'declaration.properties'])
    .select(['declaration.seen_from', 'declaration.content_hash'])
    .where('source.kind', '=', file)
    .where('source.key', '=', domain)
    .orderBy('declaration.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    hash: row.value_hash,
    contentHash: row.content_hash,
    via: row.via,
    url: row.url,
    seenFrom: row.seen_from,
    agents: row.agents,
    properties: row.properties,
    ...present({ manager: row.manager }),
  }));
}

const TEXTS = ['property_type', 'property_id', 'name', 'entry', 'identifiers', 'tags'] as const;

/**
 * The first properties of a publisher that fit. A single property may be as long as a file, so the sizes are read first,
 * without the texts.
 */
async function readProperties(
  db: Db,
  publisher: string,
  { count, bytes: room, ids }: PropertiesRoom,
): Promise<PropertiesRead> {
  let wanted = db.selectFrom('property').where('publisher', '=', publisher).orderBy('id');
  if (ids !== undefined) {
    const named = db
      .selectFrom('property_name')
      .select('property')
      .where('name', 'in', listOf(db, ids.map(idName)))
      .where('publisher', '=', publisher);
    wanted = wanted.where('id', 'in', named);
  }
  const sizes = await wanted
    .select('id')
    .select(({ fn }) => TEXTS.map((column) => fn<number | null>('octet_length', [column]).as(column)))
    .limit(count + 1)
    .execute();
  let bytes = 0;
  let last: number | undefined;
  for (const { id, ...lengths } of sizes.slice(0, count)) {
    const size = Object.values(lengths).reduce<number>((sum, length) => sum + (length ?? 0), 0);
    if (bytes + size > room) break;
    bytes += size;
    last = id;
  }
  if (last === undefined) return { properties: [], bytes, isCut: sizes.length > 0 };
  const rows = await wanted.selectAll().where('id', '<=', last).execute();
  return { properties: rows.map(listedProperty), bytes, isCut: rows.length < sizes.length };
}

/** Publishers that list an identifier, or an id, by its name. */
export async function readPublishersListing(db: Db, name: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('property_name')
    .select('publisher')
    .distinct()
    .where('name', '=', name)
    .orderBy('publisher')
    .limit(limit)
    .execute();
  return rows.map(({ publisher }) => publisher);
}

/** Those of these names that any publisher lists. */
async function readListedNames(db: Db, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom(tableOf(db, names))
    .select('listed.value as name')
    .where((row) =>
      row.exists(
        row.selectFrom('property_name').select('name').whereRef('property_name.name', '=', 'listed.value'),
      ),
    )
    .execute();
  return new Set(rows.map(({ name }) => name));
}

async function readPointingTo(db: Db, domain: string, page: DomainPage): Promise<readonly string[]> {
  const rows = await pointersTo(db, domain, page).execute();
  return rows.map(({ declarer }) => declarer);
}

async function countPointingTo(db: Db, domain: string, most: number): Promise<number> {
  const { n } = await db
    .selectFrom(pointersTo(db, domain, { after: '', limit: most }).as('pointers'))
    .select((row) => row.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** A network has 100,000 of them. */
function pointersTo(db: Db, domain: string, { after, limit }: DomainPage) {
  return db
    .selectFrom('reference_to as pointer')
    .select('declarer')
    .distinct()
    .where('domain', '=', domain)
    .where(isPointer('pointer'))
    .where('declarer', '>', after)
    .orderBy('declarer')
    .limit(limit);
}

async function readNamedBy(
  db: Db,
  domain: string,
  { after, limit }: DomainPage,
): Promise<readonly NamedPublisher[]> {
  const namesBelow = `%.${domain}`;
  const rows = await db
    .selectFrom('reference_to as named')
    .leftJoin('source', (join) =>
      join.onRef('source.key', '=', 'named.domain').on('source.kind', '=', 'adagents'),
    )
    .select('named.domain')
    .select(sql<number>`CASE WHEN ${isSeen} THEN 1 ELSE 0 END`.as('seen'))
    .select((row) =>
      row
        .case()
        .when(row.exists(pointerBack(row, domain, namesBelow)))
        .then(1)
        .else(0)
        .end()
        .as('back'),
    )
    .where('named.declarer', '=', domain)
    .where('named.file', '=', 'adagents')
    .where('named.reason', '=', 'publisher_selector')
    .where('named.domain', '>', after)
    .orderBy('named.domain')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ domain: row.domain, isVisited: row.seen === 1, pointsBack: row.back === 1 }));
}
