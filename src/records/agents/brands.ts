import { present } from '../../base/json.ts';
import type { BrandDeclaration } from '../../domain/declaration.ts';
import type { AuthorisationVia } from '../../domain/declared-facts.ts';
import { SHORTEST_BEGINNING } from '../../index/query/search-words.ts';
import { type Db, listOf, type RecordsDatabase } from '../database.ts';

interface BrandPage {
  readonly after: string;
  readonly skipped: number;
  readonly limit: number;
}

export interface BrandFile {
  readonly domain: string;
  readonly via: AuthorisationVia;
  /** The URL whose bytes were read. */
  readonly url: string;
  readonly contentHash: string;
  readonly lastSuccessAt?: number;
  /** Absent: it had no room. */
  readonly value?: BrandDeclaration;
}

/**
 * The brand.json files that count now, and the domains that are found by the words of their brands. Texts are in the
 * order of their bytes. Every read uses an index.
 */
export function createBrands(database: RecordsDatabase) {
  return {
    /** The brand.json files of these domains, with as many contents as fit, the shortest first. */
    files: (domains: readonly string[], maxBytes: number) =>
      database.read((db) => readFiles(db, domains, maxBytes)),
    /** Domains with a brand.json behind `after`, the first `skipped` left out. */
    domains: (page: BrandPage) => database.read((db) => readDomains(db, page)),
    /**
     * Domains whose brands' names have each of these words, which `wordsOf` has made, or one that begins with it
     * (`isBeginning`); those with the word itself first. Incomplete if thousands of domains match every word.
     */
    withWords: (words: readonly string[], limit: number) =>
      database.read((db) => readDomainsWithWords(db, words, limit)),
    /** Domains whose brand.json names this one as the domain of one of its brands. */
    naming: (domain: string, limit: number) => database.read((db) => readHousesNaming(db, domain, limit)),
  };
}

export type Brands = ReturnType<typeof createBrands>;

/** The sizes are read first, without the texts. */
async function readFiles(
  db: Db,
  domains: readonly string[],
  maxBytes: number,
): Promise<readonly BrandFile[]> {
  const rows = await db
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select(['source.key', 'source.last_success_at'])
    .select(['declaration.via', 'declaration.url', 'declaration.content_hash', 'declaration.value_hash'])
    .select(({ fn }) => fn<number>('octet_length', ['declared_value.value']).as('bytes'))
    .where('source.kind', '=', 'brand')
    .where('source.key', 'in', listOf(db, domains))
    .orderBy('source.key')
    .execute();
  const hashes = fitting(new Map(rows.map((row) => [row.value_hash, row.bytes])), maxBytes);
  const read = await db
    .selectFrom('declared_value')
    .select(['hash', 'value'])
    .where('hash', 'in', listOf(db, hashes))
    .execute();
  const values = new Map(read.map(({ hash, value }) => [hash, JSON.parse(value) as BrandDeclaration]));
  return rows.map((row) => ({
    domain: row.key,
    via: row.via,
    url: row.url,
    contentHash: row.content_hash,
    ...present({ lastSuccessAt: row.last_success_at, value: values.get(row.value_hash) }),
  }));
}

/** As many as fit, the shortest first. A value that many domains share counts once. */
function fitting(sizes: ReadonlyMap<string, number>, room: number): readonly string[] {
  let left = room;
  return [...sizes]
    .toSorted(([, a], [, b]) => a - b)
    .filter(([, bytes]) => {
      left -= bytes;
      return left >= 0;
    })
    .map(([hash]) => hash);
}

async function readDomains(db: Db, { after, skipped, limit }: BrandPage): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('source')
    .select('key')
    .where('kind', '=', 'brand')
    .where('declaration', 'is not', null)
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .offset(skipped)
    .execute();
  return rows.map(({ key }) => key);
}

async function readHousesNaming(db: Db, domain: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('reference_to')
    .select('declarer')
    .where('domain', '=', domain)
    .where('file', '=', 'brand')
    .where('reason', '=', 'brand')
    .orderBy('declarer')
    .limit(limit)
    .execute();
  return rows.map(({ declarer }) => declarer);
}

/** Domains with one word that are looked at, which bounds the cost of a search. */
const LOOKED_AT = 2_000;
/** Words among which the rarest is looked for: the longest ones. */
const COUNTED = 4;
/** Sorts behind every word. */
const LAST = '\u{10ffff}';

/** The words that match one of a search: all from the first one on, before the last one. */
interface WordRange {
  readonly first: string;
  readonly last: string;
}

/** Domains that have all of the words, found by the rarest one. */
async function readDomainsWithWords(
  db: Db,
  words: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const ranges = words.toSorted((a, b) => b.length - a.length).map(rangeOf);
  let found: readonly string[] | undefined;
  let rarest: WordRange | undefined;
  for (const range of ranges.slice(0, COUNTED)) {
    const most = found?.length ?? LOOKED_AT;
    const rows = await wordsIn(db, range).orderBy('word').orderBy('domain').limit(most).execute();
    if (found !== undefined && rows.length >= most) continue;
    found = [...new Set(rows.map(({ domain }) => domain))]; // those with the word itself come first
    rarest = range;
  }
  for (const range of ranges) {
    if (range === rarest || found === undefined || found.length === 0) continue;
    const rows = await wordsIn(db, range).distinct().where('domain', 'in', listOf(db, found)).execute();
    const having = new Set(rows.map(({ domain }) => domain));
    found = found.filter((domain) => having.has(domain));
  }
  return found?.slice(0, limit) ?? [];
}

function rangeOf(word: string): WordRange {
  return { first: word, last: word.length >= SHORTEST_BEGINNING ? word + LAST : `${word} ` };
}

function wordsIn(db: Db, { first, last }: WordRange) {
  return db.selectFrom('brand_word').select('domain').where('word', '>=', first).where('word', '<', last);
}
