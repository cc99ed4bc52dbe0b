import { present } from '../../base/json.ts';
import {
  type AuthorisingEntry,
  MAX_PUBLISHERS,
  type PublisherFacts,
  QUESTION_BOUNDS,
  type Question,
} from '../../domain/authorisation-question.ts';
import { type AuthorisationLimits, SITE_TYPES } from '../../domain/declaration.ts';
import type { Coverage, ListedProperty } from '../../domain/declared-facts.ts';
import { identifiersOfSite, publishersNamed, sitesAbove } from '../../domain/domain-name.ts';
import type { StoredDeclaration } from '../../domain/visit.ts';
import { type Db, listOf, parsed, type RecordsDatabase, tableOf } from '../database.ts';
import { type Freshness, freshnessOf } from '../sources/source-rows.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import { identifierName, idName, listedProperty } from '../visits/property-rows.ts';
import { readPublishersListing } from './publishers.ts';
import { bytesOf, jsonRows } from './queries.ts';

/** What is asked for one agent or for many, now. */
type QuestionOfMany = Pick<Question, 'publisher' | 'property'>;

interface FactsOfAgent {
  readonly agent: string;
  readonly publishers: readonly StoredPublisher[];
}

interface DeclarationRead {
  /** Characters that were read; none: it is too long. */
  readonly chars: number;
  readonly declaration?: StoredDeclaration;
}

/** A publisher as the rows describe it. `url` is where its file was read, `source` shows how fresh that is. */
export interface StoredPublisher extends Omit<PublisherFacts, 'file'> {
  readonly url?: string;
  /**
   * Bytes of entries and properties that were read. One question reads 4 MiB at most; callers with many questions add
   * them up.
   */
  readonly bytes: number;
  readonly source: Freshness;
}

/**
 * Who may sell what: the rows of the edges and of the publishers' properties that answer a question, and what a
 * declaration said at another moment.
 */
export function createAuthorisationStore(database: RecordsDatabase) {
  return {
    /**
     * The live rows that answer a question about these agents, in one read and in the order of the agents: as many
     * agents as fit into about 4 MiB, the first one at least. The rows are those of the publisher in the question, of
     * the site in the question and the domains above it, and of the publishers that list another identifier, one more
     * than `MAX_PUBLISHERS` at most.
     */
    facts: (question: QuestionOfMany, agents: readonly string[]) =>
      database.read((db) => readFacts(db, question, agents)),
    /**
     * Known agents of a host, with any scheme, port and path in their URLs: at most `limit` for each of the four kinds
     * of URL.
     */
    agentsOnHost: (host: string, limit: number) => database.read((db) => readAgentsOnHost(db, host, limit)),
    /** The entries by which a publisher authorised an agent at a moment. */
    entriesAt: (publisher: string, agent: string, at: number) =>
      database.read((db) => readEntriesAt(db, publisher, agent, at)),
    /** The valid declaration of a publisher at a moment. A text longer than `maxChars` is not read. */
    declarationAt: (publisher: string, at: number, maxChars: number) =>
      database.read((db) => readDeclarationAt(db, publisher, at, maxChars)),
  };
}

export type AuthorisationStore = ReturnType<typeof createAuthorisationStore>;

/** The sizes are read first, without the texts: they decide for which agents and publishers the texts are read. */
async function readFacts(
  db: Db,
  question: QuestionOfMany,
  agents: readonly string[],
): Promise<readonly FactsOfAgent[]> {
  const names = namesAsked(question);
  const publishers = await readKnownPublishers(db, await publishersAsked(db, question, names), names);
  const domains = publishers.map(({ known }) => known.publisher);
  const shares = sharesOf(publishers, agents, await readEntrySizes(db, domains, agents));
  const readable = domains.filter((domain) => shares.some(({ bytes }) => bytes.has(domain)));
  const properties = await readPropertiesNamed(db, readable, names);
  const facts: FactsOfAgent[] = [];
  for (const share of shares) {
    const { agent, bytes } = share;
    const entries = await readEntriesOfShare(db, share);
    const found = publishers.map(({ known }): StoredPublisher => {
      const { publisher } = known;
      return {
        ...known,
        bytes: bytes.get(publisher) ?? 0,
        properties: bytes.has(publisher) ? (properties.get(publisher) ?? []) : [],
        entries: entries.get(publisher) ?? [],
      };
    });
    facts.push({ agent, publishers: found });
  }
  return facts;
}

/** The names by which the property of a question is found. */
function namesAsked({ property }: QuestionOfMany): readonly string[] {
  if (property === undefined) return [];
  if ('id' in property) return [idName(property.id)];
  const { type, value } = property;
  const values = type === 'domain' ? identifiersOfSite(value) : [value];
  return values.map((name) => identifierName({ type, value: name }));
}

async function publishersAsked(
  db: Db,
  { publisher, property }: QuestionOfMany,
  names: readonly string[],
): Promise<readonly string[]> {
  if (publisher !== undefined) return publishersNamed(publisher);
  if (property === undefined || !('type' in property)) return [];
  if (SITE_TYPES.has(property.type)) return sitesAbove(property.value);
  return readPublishersListing(db, names[0] ?? '', MAX_PUBLISHERS + 1);
}

interface FoundPublisher {
  readonly known: Omit<StoredPublisher, 'bytes' | 'properties' | 'entries'>;
  /** Of the texts of its properties with the names that are asked for. */
  readonly propertyBytes: number;
}

/** The known ones of these publishers, in their order. */
async function readKnownPublishers(
  db: Db,
  publishers: readonly string[],
  names: readonly string[],
): Promise<readonly FoundPublisher[]> {
  const rows = await db
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .select(['source.key', 'source.failures', 'source.first_seen_at', 'source.next_visit_at'])
    .select(['source.last_visit_at', 'source.last_success_at', 'declaration.url'])
    .select((row) => [
      row
        .selectFrom('property')
        .select('property.id')
        .whereRef('property.publisher', '=', 'source.key')
        .where('property.entry', 'is', null)
        .limit(1)
        .as('catalogue'),
      row
        .selectFrom('property_name')
        .innerJoin('property', 'property.id', 'property_name.property')
        .select(({ fn }) => fn.sum<number>(bytesOf('property.identifiers', 'property.tags')).as('bytes'))
        .where('property_name.name', 'in', listOf(db, names))
        .whereRef('property_name.publisher', '=', 'source.key')
        .as('property_bytes'),
    ])
    .where('source.kind', '=', 'adagents')
    .where('source.key', 'in', listOf(db, publishers))
    .execute();
  const found = new Map(
    rows.map((row) => {
      const source = freshnessOf(row);
      const hasCatalogue = row.catalogue !== null;
      const known = { publisher: row.key, source, ...present({ url: row.url }), hasCatalogue };
      return [row.key, { known, propertyBytes: row.property_bytes ?? 0 }];
    }),
  );
  return publishers.flatMap((publisher) => found.get(publisher) ?? []);
}

interface EntrySize {
  readonly publisher: string;
  readonly agent: string;
  readonly bytes: number;
  readonly count: number;
}

/** The sizes of each agent's entries at each publisher. Each pair is looked up by itself: a publisher may have 100,000 other entries. */
async function readEntrySizes(
  db: Db,
  publishers: readonly string[],
  agents: readonly string[],
): Promise<readonly EntrySize[]> {
  const rows = await db
    .selectFrom('source')
    .innerJoin(tableOf(db, agents), (join) => join.onTrue())
    .select(['source.key as publisher', 'listed.value as agent'])
    .select((row) => {
      const live = row
        .selectFrom('authorisation')
        .whereRef('authorisation.agent', '=', 'listed.value')
        .whereRef('authorisation.publisher', '=', 'source.key')
        .where('authorisation.seen_until', 'is', null);
      return [
        live.select(({ fn }) => fn.sum<number>(bytesOf('covers', 'limits')).as('sum')).as('bytes'),
        live.select(({ fn }) => fn.countAll<number>().as('n')).as('count'),
      ];
    })
    .where('source.kind', '=', 'adagents')
    .where('source.key', 'in', listOf(db, publishers))
    .execute();
  return rows.map(({ publisher, agent, bytes, count }) => ({
    publisher,
    agent,
    bytes: bytes ?? 0,
    count: Math.min(count ?? 0, QUESTION_BOUNDS.entries),
  }));
}

/** What is read for one agent. */
interface Share {
  readonly agent: string;
  /** Publishers that have entries for it. */
  readonly naming: readonly string[];
  /** The bytes to read of each publisher; absent: one question has no room for it. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** The size of an entry besides its texts, where several agents are read together. */
const ENTRY_BYTES = 256;

/** The shares of the first agents, at least one, that together have room in one question. */
function sharesOf(
  publishers: readonly FoundPublisher[],
  agents: readonly string[],
  sizes: readonly EntrySize[],
): readonly Share[] {
  const sizesOf = Map.groupBy(sizes, ({ agent }) => agent);
  const shares: Share[] = [];
  let used = 0;
  for (const agent of agents) {
    const entries = sizesOf.get(agent) ?? [];
    const entryBytes = new Map(entries.map(({ publisher, bytes }) => [publisher, bytes]));
    const bytes = bytesWithRoom(
      publishers.map(({ known: { publisher }, propertyBytes }) => ({
        publisher,
        bytes: propertyBytes + (entryBytes.get(publisher) ?? 0),
      })),
    );
    used += sumOf(entries.map(({ count }) => count * ENTRY_BYTES)) + sumOf([...bytes.values()]);
    if (shares.length > 0 && used > QUESTION_BOUNDS.bytes) break;
    const naming = entries.flatMap(({ publisher, count }) => (count > 0 ? publisher : []));
    shares.push({ agent, naming, bytes });
  }
  return shares;
}

/** The publishers that one question has room for, the shortest first. */
function bytesWithRoom(
  sizes: readonly { readonly publisher: string; readonly bytes: number }[],
): ReadonlyMap<string, number> {
  const read = new Map<string, number>();
  let used = 0;
  for (const { publisher, bytes } of sizes.toSorted((a, b) => a.bytes - b.bytes)) {
    used += bytes;
    if (used <= QUESTION_BOUNDS.bytes) read.set(publisher, bytes);
  }
  return read;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The properties of each publisher that have one of these names, in an order that does not depend on the engine. */
async function readPropertiesNamed(
  db: Db,
  publishers: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly ListedProperty[]>> {
  if (publishers.length === 0 || names.length === 0) return new Map();
  const rows = await db
    .selectFrom(tableOf(db, publishers))
    .select('listed.value as publisher')
    .select((row) =>
      jsonRows(
        db,
        row
          .selectFrom('property_name')
          .innerJoin('property', 'property.id', 'property_name.property')
          .select(['property.id', 'property.publisher', 'property.entry', 'property.property_id'])
          .select(['property.property_type', 'property.name', 'property.identifiers', 'property.tags'])
          .where('property_name.name', 'in', listOf(db, names))
          .whereRef('property_name.publisher', '=', 'listed.value')
          .orderBy('property_name.name')
          .orderBy('property.id')
          .limit(QUESTION_BOUNDS.properties),
      ).as('properties'),
    )
    .execute();
  return new Map(
    rows.map(({ publisher, properties }) => [
      publisher,
      (JSON.parse(properties) as Parameters<typeof listedProperty>[0][]).map(listedProperty),
    ]),
  );
}

/** An agent's entries at each publisher. Entries beyond the size limit are listed without texts: they authorise nothing, but still count as denials. */
async function readEntriesOfShare(
  db: Db,
  { agent, naming, bytes }: Share,
): Promise<ReadonlyMap<string, readonly AuthorisingEntry[]>> {
  if (naming.length === 0) return new Map();
  const readable = naming.filter((publisher) => bytes.has(publisher));
  const rows = await db
    .selectFrom(tableOf(db, naming))
    .select('listed.value as publisher')
    .select((row) => {
      const isReadable = row('listed.value', 'in', listOf(db, readable));
      return jsonRows(
        db,
        row
          .selectFrom('authorisation')
          .select('authorisation.entry')
          .select((entry) => [
            entry.case().when(isReadable).then(entry.ref('authorisation.covers')).end().as('covers'),
            entry.case().when(isReadable).then(entry.ref('authorisation.limits')).end().as('limits'),
          ])
          .where('authorisation.agent', '=', agent)
          .whereRef('authorisation.publisher', '=', 'listed.value')
          .where('authorisation.seen_until', 'is', null)
          .where('authorisation.id', '>', 0) // or SQLite reads all entries of the publisher, in the order of their ids
          .orderBy('authorisation.id')
          .limit(QUESTION_BOUNDS.entries),
      ).as('entries');
    })
    .execute();
  return new Map(
    rows.map(({ publisher, entries }) => [
      publisher,
      (JSON.parse(entries) as EntryRow[]).map(authorisingEntry),
    ]),
  );
}

interface EntryRow {
  readonly entry: string;
  readonly covers: string | null;
  readonly limits: string | null;
}

function authorisingEntry({ entry, covers, limits }: EntryRow): AuthorisingEntry {
  return {
    entry,
    ...present({ covers: parsed<Coverage>(covers), limits: parsed<AuthorisationLimits>(limits) }),
  };
}

/** What may follow the host in a canonical URL, a path or a port, each with the next character. */
const BEHIND_HOST = [
  ['/', '0'],
  [':', ';'],
] as const;

async function readAgentsOnHost(db: Db, host: string, limit: number): Promise<readonly string[]> {
  const agents: string[] = [];
  for (const scheme of ['https', 'http'])
    for (const [from, to] of BEHIND_HOST) {
      const rows = await db
        .selectFrom('agent')
        .select('agent')
        .where('agent', '>=', `${scheme}://${host}${from}`)
        .where('agent', '<', `${scheme}://${host}${to}`)
        .orderBy('agent')
        .limit(limit)
        .execute();
      agents.push(...rows.map(({ agent }) => agent));
    }
  return agents;
}

async function readEntriesAt(
  db: Db,
  publisher: string,
  agent: string,
  at: number,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('authorisation')
    .select('entry')
    .where('publisher', '=', publisher)
    .where('agent', '=', agent)
    .where('seen_from', '<=', at)
    .where((row) => row.or([row('seen_until', 'is', null), row('seen_until', '>', at)]))
    .orderBy('id')
    .limit(QUESTION_BOUNDS.entries)
    .execute();
  return new Set(rows.map(({ entry }) => entry));
}

/** The valid declaration of a publisher at a moment; its text is read only if it is short enough. */
async function readDeclarationAt(
  db: Db,
  publisher: string,
  at: number,
  maxChars: number,
): Promise<DeclarationRead | undefined> {
  const found = await db
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.source', 'source.id')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select('declaration.id')
    .select(({ fn }) => fn<number>('length', ['declared_value.value']).as('chars'))
    .where('source.kind', '=', 'adagents')
    .where('source.key', '=', publisher)
    .where('declaration.seen_from', '<=', at)
    .where((row) =>
      row.or([row('declaration.seen_until', 'is', null), row('declaration.seen_until', '>', at)]),
    )
    .orderBy('declaration.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  if (found.chars > maxChars) return { chars: 0 };
  const row = await selectDeclarations(db).where('declaration.id', '=', found.id).executeTakeFirstOrThrow();
  return { chars: found.chars, declaration: storedDeclaration(row) };
}
