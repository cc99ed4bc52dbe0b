import type { NearestValues, SearchQuery } from '../../domain/agent-search.ts';
import { joinedAround } from '../../domain/text.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import {
  type KnownWord,
  MOST_UNKNOWN,
  mostWrong,
  nearestValues,
  nearestWords,
  relatedWords,
  stemOf,
  unknownValues,
} from '../query/nearest.ts';
import { askedValues } from '../query/search-filters.ts';
import { joinedToken, SHORTEST_BEGINNING } from '../query/search-words.ts';
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
  /** No agent has the word: it was probably meant to be one of these, with the fewest mistakes. */
  readonly corrected?: readonly string[];
}

/** The words of the index that stand for each word of a search: itself and its completions, or those of what it may have been meant to be. */
export function knownWords(
  database: SqliteDatabase,
  generation: number,
  words: readonly string[],
): readonly KnownWords[] {
  const sql = knownSql(generation);
  const compared = Math.floor(MAX_COMPARED / Math.max(1, words.length));
  return words.map((word, at) => {
    const asOne = [joinedToken(word), ...joinedAround(words, at)];
    const group = withExact(database, sql, groupOf(database, sql, [word], 1), asOne);
    if (group.words.length > 0) return group;
    const corrected = meantWords(database, sql, word, compared).map((meant) => meant.word);
    if (corrected.length === 0) return group;
    const meant = groupOf(database, sql, corrected, MEANT_SHARE);
    return { ...withExact(database, sql, meant, corrected.map(joinedToken)), corrected };
  });
}

/** With these words, as far as they are known and themselves only. */
function withExact(
  database: SqliteDatabase,
  sql: KnownSql,
  { words, holders }: WordGroup,
  exact: readonly string[],
): WordGroup {
  const missing = exact.filter((word) => !words.some((known) => known.word === word));
  const rows = missing.flatMap((word) => wordRows(database, sql.exact, [word]));
  return {
    words: [...words, ...rows.map(({ word, agents }) => ({ word, agents, share: 1 }))],
    holders: rows.reduce((sum, { agents }) => sum + agents, holders),
  };
}

/** These words, as far as they are known, and the commonest that begin with them. */
function groupOf(
  database: SqliteDatabase,
  sql: KnownSql,
  words: readonly string[],
  share: number,
): WordGroup {
  const rows = words.flatMap((word) =>
    wordRows(database, sql.beginning, [
      ...[word, word.length >= SHORTEST_BEGINNING ? word + LAST : `${word} `],
      MAX_LOOKED_AT,
    ]),
  );
  const known = [...new Map(rows.map((row) => [row.word, row])).values()];
  const completions = known.filter(({ word }) => !words.includes(word));
  const found = [
    ...known.filter(({ word }) => words.includes(word)),
    ...completions.sort((a, b) => b.agents - a.agents).slice(0, MAX_COMPLETIONS),
  ];
  return {
    words: found.map(({ word, agents }) => ({
      ...{ word, agents },
      share: words.includes(word) ? share : share * COMPLETION_SHARE,
    })),
    holders: found.reduce((sum, { agents }) => sum + agents, 0),
  };
}

/** The nearest by their letters, or else those of the same stem. */
function meantWords(
  database: SqliteDatabase,
  sql: KnownSql,
  word: string,
  compared: number,
): readonly KnownWord[] {
  const most = mostWrong(word);
  for (const letters of most === 0 ? [] : [2, 1]) {
    const first = word.slice(0, letters).toWellFormed();
    const lengths = [word.length - most, word.length + most];
    const alike = wordRows(database, sql.alike, [first, first + LAST, compared, ...lengths]);
    const meant = nearestWords(word, alike);
    if (meant.length > 0) return meant;
  }
  const stem = stemOf(word);
  return stem === undefined
    ? []
    : relatedWords(word, wordRows(database, sql.beginning, [stem, stem + LAST, compared]));
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

type KnownSql = ReturnType<typeof knownSql>;

function knownSql(generation: number) {
  const { text, word, facet } = tablesOf(generation);
  const range = `SELECT word, agents FROM ${word} WHERE word >= ? AND word < ? AND agents > 0 ORDER BY word LIMIT +?`;
  return {
    beginning: range,
    exact: `SELECT word, agents FROM ${word} WHERE word = ? AND agents > 0`,
    alike: `SELECT word, agents FROM (${range}) WHERE length(word) BETWEEN ? AND ?`,
    holder: `SELECT 1 FROM ${text} WHERE ${text} MATCH ? LIMIT 1`,
    values: `SELECT value FROM ${facet} WHERE parameter = ? ORDER BY agents DESC, value LIMIT +?`,
  } as const;
}
