import { sql } from 'kysely';
import type { NearestValues, SearchFilter } from '../../domain/agent-search.ts';
import { joinedAround } from '../../domain/text.ts';
import type { Db } from '../../records/database.ts';
import {
  type KnownWord,
  MAX_UNKNOWN,
  maxEdits,
  nearestValues,
  nearestWords,
  relatedWords,
  stemOf,
  unknownValues,
} from '../query/nearest.ts';
import { askedValues } from '../query/search-filters.ts';
import { joinedToken, SHORTEST_BEGINNING } from '../query/search-words.ts';
import { facetCounts } from './facets.ts';
import { exactText } from './filter-sql.ts';
import type { IndexTables } from './tables.ts';

/** Maximum number of known words that the unknown words of a search are compared with, and of known values for one value. */
const MAX_COMPARED = 20_000;
const MAX_VALUES_COMPARED = 1_000;
/** Sorts after every word that begins with the letters before it. */
const LAST = '\u{10ffff}';

/** A word of a search. */
export interface SearchedWord {
  readonly word: string;
  /** The condition in the query language of FTS5; absent if no agent has the word or a similar one. */
  readonly match?: string;
  /** If no agent has the word: the most similar words that agents have. */
  readonly corrected?: readonly string[];
}

/** Looks up each word of a search, and similar words for those that no agent has. */
export async function searchedWords(
  db: Db,
  tables: IndexTables,
  words: readonly string[],
): Promise<readonly SearchedWord[]> {
  const searched: SearchedWord[] = [];
  for (const [at, word] of words.entries()) {
    // consecutive words also match if they are written as one word, in the search or in the texts of an agent
    const match = matchAny([word], [joinedToken(word), ...joinedAround(words, at)]);
    // the word itself first: to look for words that begin with it takes longer
    if ((await isFound(db, tables, quoted(word))) || (await isFound(db, tables, match))) {
      searched.push({ word, match });
      continue;
    }
    const corrected = await similarWords(db, tables, word, Math.floor(MAX_COMPARED / words.length));
    searched.push(
      corrected.length === 0
        ? { word }
        : { word, match: matchAny(corrected, corrected.map(joinedToken)), corrected },
    );
  }
  return searched;
}

/** Matches any of these words, longer words that begin with them, or any of these tokens. */
function matchAny(words: readonly string[], tokens: readonly string[]): string {
  const beginnings = words.filter((word) => word.length >= SHORTEST_BEGINNING);
  const choices = [...words, ...tokens].map(quoted).concat(beginnings.map((word) => `${quoted(word)}*`));
  return `(${choices.join(' OR ')})`;
}

/** As a string of FTS5, in which nothing is an operator (https://www.sqlite.org/fts5.html#fts5_strings). */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

async function isFound(db: Db, { text }: IndexTables, match: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM ${text} WHERE ${text} MATCH ${match} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** The known words with a similar spelling, otherwise those with the same stem. */
async function similarWords(
  db: Db,
  tables: IndexTables,
  word: string,
  compared: number,
): Promise<readonly string[]> {
  const wrong = maxEdits(word);
  // mistakes in the first letters are rare, so words with the same two are tried first
  for (const letters of wrong === 0 ? [] : [2, 1]) {
    const known = await wordsWith(db, tables, word.slice(0, letters).toWellFormed(), compared);
    const similar = known.filter((one) => Math.abs(one.word.length - word.length) <= wrong);
    const nearest = nearestWords(word, similar);
    if (nearest.length > 0) return nearest.map((one) => one.word);
  }
  const stem = stemOf(word);
  if (stem === undefined) return [];
  return relatedWords(word, await wordsWith(db, tables, stem, compared)).map((one) => one.word);
}

async function wordsWith(
  db: Db,
  { word }: IndexTables,
  beginning: string,
  most: number,
): Promise<readonly KnownWord[]> {
  const { rows } = await sql<KnownWord>`
    SELECT term AS word, doc AS agents FROM ${word}
    WHERE term >= ${beginning} AND term < ${beginning + LAST} LIMIT ${most}`.execute(db);
  return rows;
}

/**
 * For a search without results: the words and the filter values that no agent has, each with the most similar known values.
 */
export async function nearestKnown(
  db: Db,
  tables: IndexTables,
  filter: SearchFilter,
  unknownWords: readonly string[],
): Promise<readonly NearestValues[]> {
  const found: NearestValues[] = [...unknownValues(unknownWords)];
  for (const { parameter, value } of askedValues(filter)) {
    if (found.length >= MAX_UNKNOWN) break;
    const { rows } = await sql`
      SELECT 1 FROM ${tables.term} WHERE field = ${parameter} AND value = ${exactText(value)}`.execute(db);
    if (rows.length > 0) continue;
    const known = await facetCounts(db, tables, parameter, MAX_VALUES_COMPARED);
    const nearest = nearestValues(
      value,
      known.map((one) => one.value),
    );
    found.push({ parameter, value, nearest });
  }
  return found;
}
