import { hash } from 'node:crypto';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { lastingFactor, searchDocument, textLines } from '../query/search-document.ts';
import { AGENTS_ROW, LENGTH_ROW, markToken, tablesOf } from './tables.ts';

interface Searched {
  readonly digest: string;
  readonly words: string;
  readonly facets: string;
}

/** Keeps what a generation is searched by. Lives for one write transaction. */
export function createSearchWriter(database: SqliteDatabase, generation: number) {
  const sql = searchWriteSql(generation);
  const words = new Map<string, number>();
  const facets = new Map<number, number>();
  const facetIds = new Map<string, number>();

  const facetId = ([parameter, value]: readonly [string, string]): number => {
    const text = value.toWellFormed(); // SQLite keeps no other
    const key = `${parameter}:${text}`;
    const known = facetIds.get(key);
    if (known !== undefined) return known;
    const row = database.statement(sql.facet).get(parameter, text) as { id: number } | undefined;
    const id = row?.id ?? Number(database.statement(sql.addFacet).run(parameter, text).lastInsertRowid);
    facetIds.set(key, id);
    return id;
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
      if (stored?.words !== texts || stored.facets !== ids) {
        if (stored !== undefined) count(stored, -1);
        count(row, 1);
      }
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
  return hash('sha256', tokens, 'base64url');
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
    facet: `SELECT id FROM ${facet} WHERE parameter = ? AND value = ?`,
    addFacet: `INSERT INTO ${facet} (parameter, value, agents) VALUES (?, ?, 0)`,
    countWord: `INSERT INTO ${word} (word, agents) VALUES (?, ?)
      ON CONFLICT (word) DO UPDATE SET agents = agents + excluded.agents`,
    dropWord: `DELETE FROM ${word} WHERE word = ? AND agents <= 0`,
    dropFacet: `DELETE FROM ${facet} WHERE id = ? AND agents <= 0`,
    countFacet: `UPDATE ${facet} SET agents = agents + ? WHERE id = ?`,
  } as const;
}
