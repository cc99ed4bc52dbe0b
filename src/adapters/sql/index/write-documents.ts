import { createHash } from 'node:crypto';
import type { AgentDocument } from '../../../domain/agent-document.ts';
import type { SavedDocument } from '../../../ports/agent-store.ts';
import { documentTexts, recordPieces, textsDigest } from '../../../query/record-text.ts';
import { lastingFactor, searchDocument, textLines } from '../../../query/search-document.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { AGENTS_ROW, LENGTH_ROW, markToken, tablesOf } from './tables.ts';
import type { Flags, Vocabulary } from './terms.ts';
import { createListWriter, type Listing, type ListWriter } from './write-lists.ts';

export interface GenerationTarget {
  readonly id: number;
  readonly changes: number;
  /** As of `changes`. */
  readonly vocabulary: Vocabulary;
}

interface Stored {
  readonly id: number;
  readonly seq: number;
  readonly flags: Flags;
}

/**
 * Writes documents into one generation, or drops those without one; an older version never wins. Lists and
 * counts are touched only for agents whose type, badges or values changed. Runs inside a write transaction.
 */
export function writeDocuments(
  database: SqliteDatabase,
  { id, changes, vocabulary }: GenerationTarget,
  documents: readonly SavedDocument[],
): void {
  const sql = documentSql(id);
  const lists = createListWriter(database, id, vocabulary);
  const search = createSearchWriter(database, id);
  for (const document of documents) writeDocument(database, { sql, lists, search }, document);
  search.finish();
  if (lists.finish(changes + 1)) database.statement(sql.changed).run(changes + 1, id);
}

interface Writers {
  readonly sql: DocumentSql;
  readonly lists: ListWriter;
  readonly search: ReturnType<typeof createSearchWriter>;
}

function writeDocument(
  database: SqliteDatabase,
  { sql, lists, search }: Writers,
  { agent: url, version: seq, document }: SavedDocument,
): void {
  const stored = database.statement(sql.stored).get(url) as Stored | undefined;
  const dropped = stored === undefined ? database.statement(sql.droppedAt).get(url) : undefined;
  const known = stored ?? (dropped as { seq: number } | undefined);
  if (known !== undefined && known.seq >= seq) return;
  const from = stored && storedListing(database, sql, url, stored);
  if (document === undefined) {
    if (stored !== undefined) {
      database.statement(sql.remove).run(url);
      search.remove(stored.id);
    }
    database.statement(sql.drop).run(url, seq);
    lists.move(url, from, undefined);
    return;
  }
  const to = lists.listingOf(document);
  if (dropped !== undefined) database.statement(sql.undrop).run(url);
  const saved = database.statement(sql.save).get(url, seq, to.flags, ...pieceTexts(document));
  search.put((saved as { id: number }).id, document);
  lists.move(url, from, to);
}

function storedListing(database: SqliteDatabase, sql: DocumentSql, url: string, { flags }: Stored): Listing {
  const held = database.statement(sql.held).get(url) as { terms: string } | undefined;
  return { flags, terms: held?.terms ?? '[]' };
}

function pieceTexts(document: AgentDocument) {
  const texts = documentTexts(document);
  const { head, stats, capabilities, compliance, domains } = recordPieces(texts);
  return [textsDigest(texts), head, stats, capabilities, compliance, domains] as const;
}

type DocumentSql = ReturnType<typeof documentSql>;

function documentSql(generation: number) {
  const { agent, held, dropped } = tablesOf(generation);
  return {
    stored: `SELECT id, seq, flags FROM ${agent} WHERE url = ?`,
    droppedAt: `SELECT seq FROM ${dropped} WHERE url = ?`,
    held: `SELECT terms FROM ${held} WHERE url = ?`,
    save: `INSERT INTO ${agent} (url, seq, flags, digest, head, stats, capabilities, compliance, domains)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (url) DO UPDATE SET seq = excluded.seq, flags = excluded.flags, digest = excluded.digest,
        head = excluded.head, stats = excluded.stats, capabilities = excluded.capabilities,
        compliance = excluded.compliance, domains = excluded.domains
      RETURNING id`,
    remove: `DELETE FROM ${agent} WHERE url = ?`,
    drop: `INSERT INTO ${dropped} (url, seq) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET seq = excluded.seq`,
    undrop: `DELETE FROM ${dropped} WHERE url = ?`,
    changed: 'UPDATE index_generation SET changes = ? WHERE id = ?',
  } as const;
}

interface Searched {
  readonly digest: string;
  readonly words: string;
  readonly facets: string;
}

/** Keeps what a generation is searched by. Lives for one write transaction. */
function createSearchWriter(database: SqliteDatabase, generation: number) {
  const sql = searchWriteSql(generation);
  const words = new Map<string, number>();
  const facets = new Map<number, number>();
  const facetIds = new Map<string, number>();

  const facetId = ([parameter, value]: readonly [string, string]): number => {
    const text = value.toWellFormed(); // SQLite keeps no other
    const key = `${parameter}:${text}`;
    const known =
      facetIds.get(key) ?? (database.statement(sql.addFacet).get(parameter, text) as { id: number }).id;
    facetIds.set(key, known);
    return known;
  };
  const count = ({ words: texts, facets: ids }: Searched, by: 1 | -1) => {
    for (const word of new Set(texts.match(/\S+/g))) add(words, word, by);
    add(words, AGENTS_ROW, by);
    add(words, LENGTH_ROW, by * texts.length);
    for (const id of new Set(JSON.parse(ids) as number[])) add(facets, id, by);
  };
  const storedOf = (id: number) => database.statement(sql.stored).get(id) as Searched | undefined;

  return {
    put(id: number, document: AgentDocument): void {
      const found = searchDocument(document);
      const texts = textLines(found);
      const tokens = [...new Set([...(texts.match(/\S+/g) ?? []), ...found.marks.map(markToken)])].join(' ');
      const ids = JSON.stringify(found.facets.map(facetId));
      const row: Searched = { digest: digestOf(tokens), words: texts, facets: ids };
      const stored = storedOf(id);
      if (stored !== undefined) count(stored, -1);
      count(row, 1);
      if (stored?.digest !== row.digest) {
        if (stored !== undefined) database.statement(sql.forget).run(id);
        database.statement(sql.learn).run(id, tokens);
      }
      const { card } = found;
      const shown = [lastingFactor(card), card.property_count, texts, ids, JSON.stringify(card)] as const;
      database.statement(sql.save).run(id, document.url, row.digest, ...shown);
    },
    remove(id: number): void {
      const stored = storedOf(id);
      if (stored === undefined) return;
      count(stored, -1);
      database.statement(sql.forget).run(id);
      database.statement(sql.remove).run(id);
    },
    /** Writes the counts. */
    finish(): void {
      for (const [word, by] of words) if (by !== 0) database.statement(sql.countWord).run(word, by);
      for (const [id, by] of facets) if (by !== 0) database.statement(sql.countFacet).run(by, id);
      // words and values that nobody has any more
      for (const [word, by] of words) if (by < 0) database.statement(sql.dropWord).run(word);
      for (const [id, by] of facets) if (by < 0) database.statement(sql.dropFacet).run(id);
    },
  };
}

function digestOf(tokens: string): string {
  return createHash('sha256').update(tokens).digest('base64url');
}

function add<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function searchWriteSql(generation: number) {
  const { text, found, word, facet } = tablesOf(generation);
  return {
    stored: `SELECT digest, words, facets FROM ${found} WHERE id = ?`,
    learn: `INSERT INTO ${text} (rowid, tokens) VALUES (?, ?)`,
    forget: `DELETE FROM ${text} WHERE rowid = ?`,
    save: `INSERT INTO ${found} (id, url, digest, factor, properties, words, facets, card)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, factor = excluded.factor,
        properties = excluded.properties, words = excluded.words, facets = excluded.facets, card = excluded.card`,
    remove: `DELETE FROM ${found} WHERE id = ?`,
    addFacet: `INSERT INTO ${facet} (parameter, value, agents) VALUES (?, ?, 0)
      ON CONFLICT (parameter, value) DO UPDATE SET agents = agents RETURNING id`,
    countWord: `INSERT INTO ${word} (word, agents) VALUES (?, ?)
      ON CONFLICT (word) DO UPDATE SET agents = agents + excluded.agents`,
    dropWord: `DELETE FROM ${word} WHERE word = ? AND agents <= 0`,
    dropFacet: `DELETE FROM ${facet} WHERE id = ? AND agents <= 0`,
    countFacet: `UPDATE ${facet} SET agents = agents + ? WHERE id = ?`,
  } as const;
}
