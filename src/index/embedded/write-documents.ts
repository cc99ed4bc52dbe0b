import type { AgentDocument } from '../../domain/agent-document.ts';
import type { SavedDocument } from '../../ports/agent-store.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { recordGroups } from '../query/record-groups.ts';
import { tablesOf } from './tables.ts';
import type { Flags, Vocabulary } from './terms.ts';
import { createListWriter, type Listing, type ListWriter } from './write-lists.ts';
import { createSearchWriter } from './write-search.ts';

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
      database.statement(sql.removeRecord).run(stored.id);
      search.remove(stored.id);
    }
    database.statement(sql.drop).run(url, seq);
    lists.move(url, from, undefined);
    return;
  }
  const to = lists.listingOf(document);
  if (dropped !== undefined) database.statement(sql.undrop).run(url);
  search.put(saveRecord(database, sql, { url, seq, flags: to.flags, stored }, document), document);
  lists.move(url, from, to);
}

interface Saving extends Omit<Stored, 'id'> {
  readonly url: string;
  readonly stored: Stored | undefined;
}

/** Returns the number of the record. */
function saveRecord(
  database: SqliteDatabase,
  sql: DocumentSql,
  { url, seq, flags, stored }: Saving,
  document: AgentDocument,
): number {
  const { base, properties, capabilities, compliance } = recordGroups(document);
  const groups = [base, properties ?? null, capabilities ?? null, compliance];
  if (stored !== undefined) {
    database.statement(sql.changeRecord).run(...groups, stored.id);
    database.statement(sql.change).run(seq, flags, url);
    return stored.id;
  }
  const { id } = database.statement(sql.addRecord).get(url, ...groups) as { id: number };
  database.statement(sql.add).run(url, id, seq, flags);
  return id;
}

function storedListing(database: SqliteDatabase, sql: DocumentSql, url: string, { flags }: Stored): Listing {
  const held = database.statement(sql.held).get(url) as { terms: string } | undefined;
  return { flags, terms: held?.terms ?? '[]' };
}

type DocumentSql = ReturnType<typeof documentSql>;

function documentSql(generation: number) {
  const { agent, record, held, dropped } = tablesOf(generation);
  return {
    stored: `SELECT id, seq, flags FROM ${agent} WHERE url = ?`,
    droppedAt: `SELECT seq FROM ${dropped} WHERE url = ?`,
    held: `SELECT terms FROM ${held} WHERE url = ?`,
    addRecord: `INSERT INTO ${record} (url, base, properties, capabilities, compliance)
      VALUES (?, ?, ?, ?, ?) RETURNING id`,
    changeRecord: `UPDATE ${record} SET base = ?, properties = ?, capabilities = ?, compliance = ?
      WHERE id = ?`,
    removeRecord: `DELETE FROM ${record} WHERE id = ?`,
    add: `INSERT INTO ${agent} (url, id, seq, flags) VALUES (?, ?, ?, ?)`,
    change: `UPDATE ${agent} SET seq = ?, flags = ? WHERE url = ?`,
    remove: `DELETE FROM ${agent} WHERE url = ?`,
    drop: `INSERT INTO ${dropped} (url, seq) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET seq = excluded.seq`,
    undrop: `DELETE FROM ${dropped} WHERE url = ?`,
    changed: 'UPDATE index_generation SET changes = ? WHERE id = ?',
  } as const;
}
