import type { AgentDocument } from '../../../domain/agent-document.ts';
import type { SavedDocument } from '../../../ports/agent-store.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { tablesOf } from './tables.ts';
import type { Flags, Vocabulary } from './terms.ts';
import { createListWriter, type Listing, type ListWriter } from './write-lists.ts';

export interface GenerationTarget {
  readonly id: number;
  readonly changes: number;
  /** As of `changes`. */
  readonly vocabulary: Vocabulary;
}

interface Stored {
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
  for (const document of documents) writeDocument(database, sql, lists, document);
  if (lists.finish(changes + 1)) database.statement(sql.changed).run(changes + 1, id);
}

function writeDocument(
  database: SqliteDatabase,
  sql: DocumentSql,
  lists: ListWriter,
  { agent: url, seq, document }: SavedDocument,
): void {
  const stored = database.statement(sql.stored).get(url) as Stored | undefined;
  const dropped = stored === undefined ? database.statement(sql.droppedAt).get(url) : undefined;
  const known = stored ?? (dropped as { seq: number } | undefined);
  if (known !== undefined && known.seq >= seq) return;
  const from = stored && storedListing(database, sql, url, stored);
  if (document === undefined) {
    if (stored !== undefined) database.statement(sql.remove).run(url);
    database.statement(sql.drop).run(url, seq);
    lists.move(url, from, undefined);
    return;
  }
  const to = lists.listingOf(document);
  if (dropped !== undefined) database.statement(sql.undrop).run(url);
  database.statement(sql.save).run(url, seq, to.flags, ...groupTexts(document));
  lists.move(url, from, to);
}

function storedListing(database: SqliteDatabase, sql: DocumentSql, url: string, { flags }: Stored): Listing {
  const held = database.statement(sql.held).get(url) as { terms: string } | undefined;
  return { flags, terms: held?.terms ?? '[]' };
}

function groupTexts({ base, properties, capabilities, compliance }: AgentDocument) {
  const optional = (group: object | undefined) => (group === undefined ? null : JSON.stringify(group));
  const groups = [optional(properties), optional(capabilities)] as const;
  return [JSON.stringify(base), ...groups, JSON.stringify(compliance)] as const;
}

type DocumentSql = ReturnType<typeof documentSql>;

function documentSql(generation: number) {
  const { agent, held, dropped } = tablesOf(generation);
  return {
    stored: `SELECT seq, flags FROM ${agent} WHERE url = ?`,
    droppedAt: `SELECT seq FROM ${dropped} WHERE url = ?`,
    held: `SELECT terms FROM ${held} WHERE url = ?`,
    save: `INSERT INTO ${agent} (url, seq, flags, base, properties, capabilities, compliance)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (url) DO UPDATE SET seq = excluded.seq, flags = excluded.flags, base = excluded.base,
        properties = excluded.properties, capabilities = excluded.capabilities, compliance = excluded.compliance`,
    remove: `DELETE FROM ${agent} WHERE url = ?`,
    drop: `INSERT INTO ${dropped} (url, seq) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET seq = excluded.seq`,
    undrop: `DELETE FROM ${dropped} WHERE url = ?`,
    changed: 'UPDATE index_generation SET changes = ? WHERE id = ?',
  } as const;
}
