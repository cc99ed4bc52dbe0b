import type { NearestValues, SearchQuery } from '../../../domain/agent-search.ts';
import {
  type KnownWord,
  MOST_UNKNOWN,
  mostWrong,
  nearestValues,
  nearestWords,
  relatedWords,
  stemOf,
  unknownValues,
} from '../../../query/nearest.ts';
import { askedValues } from '../../../query/search-filters.ts';
import { SHORTEST_BEGINNING } from '../../../query/search-words.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import type { WordGroup } from './rank-found.ts';
import { markToken, tablesOf } from './tables.ts';

/** Completions of a word that are looked at, and that are searched for with it. */
const MAX_LOOKED_AT = 64;
const MAX_COMPLETIONS = 7;
/** Words with the same first letters that all mistaken ones together are compared with, and values that one is. */
const MAX_COMPARED = 20_000;
const MAX_VALUES_COMPARED = 1_000;
/** How much a word counts that begins with the one that is searched for, or that was probably meant. */
const COMPLETION_SHARE = 0.4;
const MEANT_SHARE = 0.6;
/** Behind every word. */
const LAST = '\u{10ffff}';

export interface KnownWords extends WordGroup {
  /** No agent has the word: these are others, with the fewest mistakes. */
  readonly isCorrected: boolean;
}

/** The words of the index that stand for each word of a search: itself and its completions, or else those that it may have been meant to be, or those of its stem. */
export function knownWords(
  database: SqliteDatabase,
  generation: number,
  words: readonly string[],
): readonly KnownWords[] {
  const sql = knownSql(generation);
  const compared = Math.floor(MAX_COMPARED / Math.max(1, words.length));
  return words.map((word) => wordsFor(database, sql, word, compared));
}

function wordsFor(
  database: SqliteDatabase,
  sql: ReturnType<typeof knownSql>,
  word: string,
  compared: number,
): KnownWords {
  const rows = wordRows(database, sql.beginning, [
    word,
    word.length >= SHORTEST_BEGINNING ? word + LAST : `${word} `,
    MAX_LOOKED_AT,
  ]);
  const completions = rows
    .filter((row) => row.word !== word)
    .sort((a, b) => b.agents - a.agents)
    .slice(0, MAX_COMPLETIONS);
  const found = [...rows.filter((row) => row.word === word), ...completions];
  if (found.length > 0) return groupOf(found, (known) => (known === word ? 1 : COMPLETION_SHARE), false);
  const most = mostWrong(word);
  for (const letters of most === 0 ? [] : [2, 1]) {
    const first = word.slice(0, letters).toWellFormed();
    const lengths = [word.length - most, word.length + most];
    const meant = nearestWords(
      word,
      wordRows(database, sql.alike, [first, first + LAST, compared, ...lengths]),
    );
    if (meant.length > 0) return groupOf(meant, () => MEANT_SHARE, true);
  }
  const stem = stemOf(word);
  const alike = stem === undefined ? [] : wordRows(database, sql.beginning, [stem, stem + LAST, compared]);
  const related = relatedWords(word, alike);
  return groupOf(related, () => MEANT_SHARE, related.length > 0);
}

function groupOf(
  rows: readonly KnownWord[],
  shareOf: (word: string) => number,
  isCorrected: boolean,
): KnownWords {
  return {
    words: rows.map(({ word }) => ({ word, share: shareOf(word) })),
    holders: rows.reduce((sum, { agents }) => sum + agents, 0),
    isCorrected,
  };
}

function wordRows(
  database: SqliteDatabase,
  sql: string,
  values: readonly (string | number)[],
): readonly KnownWord[] {
  return database.statement(sql).all(...values) as unknown as KnownWord[];
}

/**
 * For the first values of a filter that no agent has: those that agents have and that are most alike. Before them the
 * words that nobody has, and nothing like them.
 */
export function nearestKnown(
  database: SqliteDatabase,
  generation: number,
  { filter }: SearchQuery,
  unknownWords: readonly string[],
): readonly NearestValues[] {
  const sql = knownSql(generation);
  const found: NearestValues[] = [...unknownValues(unknownWords)];
  for (const { parameter, value, mark } of askedValues(filter)) {
    if (found.length >= MOST_UNKNOWN) break;
    if (database.statement(sql.holder).get(`"${markToken(mark)}"`) !== undefined) continue;
    const rows = database.statement(sql.values).all(parameter, MAX_VALUES_COMPARED) as { value: string }[];
    const known = rows.map((row) => row.value);
    found.push({ parameter, value, nearest: nearestValues(value, known) });
  }
  return found;
}

function knownSql(generation: number) {
  const { text, word, facet } = tablesOf(generation);
  const range = `SELECT word, agents FROM ${word} WHERE word >= ? AND word < ? AND agents > 0 ORDER BY word LIMIT ?`;
  return {
    beginning: range,
    alike: `SELECT word, agents FROM (${range}) WHERE length(word) BETWEEN ? AND ?`,
    holder: `SELECT 1 FROM ${text} WHERE ${text} MATCH ? LIMIT 1`,
    values: `SELECT value FROM ${facet} WHERE parameter = ? ORDER BY agents DESC LIMIT ?`,
  } as const;
}
