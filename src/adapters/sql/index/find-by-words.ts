import { setImmediate as letOthersIn } from 'node:timers/promises';
import type { FacetCount, FacetParameter, FoundBlock, SearchQuery } from '../../../domain/agent-search.ts';
import { EVERYBODY } from '../../../query/index-fields.ts';
import { compareUrls } from '../../../query/matches.ts';
import { conditionMarks } from '../../../query/search-filters.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { knownWords, nearestKnown } from './known-words.ts';
import {
  compareRanked,
  type FoundRow,
  type RankedRow,
  rankRow,
  type TextCollection,
  type WordGroup,
} from './rank-found.ts';
import { AGENTS_ROW, LENGTH_ROW, markToken, tablesOf } from './tables.ts';

/** Agents that are ranked together: the first that fit, then the next. It bounds what a search costs. */
const RANKED = 1_000;
/** Characters of an agent's texts that are scored: the shorter texts come first. All of them are searched. */
const SCORED = 8_192;
/** Characters that are looked through for words before others get their turn: a millisecond's work. */
const SCORED_AT_ONCE = 1_048_576;
/** Agents of one answer to the caller. */
const BLOCK = 200;
/** The total is exact up to it, and up to RANKED with `min_properties`. */
const MOST_COUNTED = 10_000;
/** Values of one facet that are told. */
const MAX_VALUES = 20;
/** Where a block begins: in the agents behind `window` of this generation, behind the agent `id` with `key`. */
type Place = readonly [generation: number, window: number, key?: number | string, id?: number];

/**
 * Reads for one block, in one snapshot of the database that the caller holds. What it returns ranks what was read, and lets
 * others in meanwhile: strangers decide how long the texts are.
 */
export function findByWords(
  database: SqliteDatabase,
  generation: number,
  query: SearchQuery,
): () => Promise<FoundBlock> {
  const sql = findSql(generation);
  const groups = knownWords(database, generation, query.words);
  const place = query.place === undefined ? undefined : (JSON.parse(query.place) as Place);
  if (place !== undefined && place[0] !== generation) return async () => expired();
  const asked = { match: matchOf(groups, query), least: query.filter.minProperties ?? 0 };
  const isUnknown = groups.some(({ words }) => words.length === 0);
  const [, window] = place ?? [generation, 0];
  const rowsOf = (from: number) =>
    isUnknown
      ? []
      : (database
          .statement(query.words.length > 0 ? sql.rows : sql.all)
          .all(asked.match, from, asked.least, RANKED) as unknown as WindowRow[]);
  const rows = rowsOf(window);
  const first = window === 0 ? rows : query.facets && rowsOf(0);
  const collection = collectionOf(database, sql);
  const isWhole = first !== undefined && first.length < RANKED;
  const total = isWhole ? { agents: first.length, isExact: true } : totalOf(database, sql, asked);
  const counts = query.facets && first && countFacets(database, sql, first);
  const corrected = query.words.flatMap((word, at) =>
    groups[at]?.isCorrected ? [[word, groups[at].words.map((meant) => meant.word)] as const] : [],
  );
  const nearest = total.agents === 0 ? { nearest: nearestKnown(database, generation, query) } : {};
  return async () => ({
    ...(await ranked({ query, groups, place, generation, rows, collection })),
    ...{ total, ...counts, ...nearest },
    corrected: Object.fromEntries(corrected),
  });
}

function expired(): FoundBlock {
  return { agents: [], total: { agents: 0, isExact: true }, corrected: {}, isExpired: true };
}

type FindSql = ReturnType<typeof findSql>;

/** An expression of FTS5 out of quoted tokens alone: words are letters and digits, marks are digests. */
function matchOf(groups: readonly WordGroup[], { filter }: SearchQuery): string {
  const choices = [
    ...groups.map(({ words }) => words.map(({ word }) => word)),
    ...conditionMarks(filter).map((marks) => marks.map(markToken)),
  ];
  const all = choices.length === 0 ? [[markToken(EVERYBODY)]] : choices;
  return all.map((tokens) => `(${tokens.map((token) => `"${token}"`).join(' OR ')})`).join(' AND ');
}

interface Asked {
  readonly match: string;
  readonly least: number;
}

interface WindowRow extends FoundRow {
  readonly facets: string;
}

interface RankedSearch {
  readonly rows: readonly WindowRow[];
  readonly query: SearchQuery;
  readonly groups: readonly WordGroup[];
  readonly place: Place | undefined;
  readonly generation: number;
  readonly collection: TextCollection;
}

async function ranked(search: RankedSearch): Promise<Pick<FoundBlock, 'agents' | 'next'>> {
  const { query, groups, place, generation, rows, collection } = search;
  const [, window, key, id = 0] = place ?? [generation, 0];
  const searches = groups.reduce((sum, { words }) => sum + words.length, 1);
  const sorted: RankedRow[] = [];
  let work = 0;
  for (const row of rows) {
    sorted.push(rankRow(row, { query, groups, collection }));
    work += row.words.length * searches;
    if (work < SCORED_AT_ONCE) continue;
    work = 0;
    await letOthersIn();
  }
  sorted.sort(compareRanked);
  const from = key === undefined ? 0 : sorted.findIndex((one) => compareRanked(one, { key, id }) > 0);
  const block = from === -1 ? [] : sorted.slice(from, from + BLOCK);
  const last = block.at(-1);
  const agents = block.map(({ url, relevance, card }) => ({ url, relevance, card }));
  if (last !== undefined && last !== sorted.at(-1))
    return { agents, next: JSON.stringify([generation, window, last.key, last.id] satisfies Place) };
  const end = rows.at(-1);
  if (rows.length < RANKED || end === undefined) return { agents };
  return { agents, next: JSON.stringify([generation, end.id]) };
}

function collectionOf(database: SqliteDatabase, sql: FindSql): TextCollection {
  const row = (name: string) => database.statement(sql.word).get(name) as { agents: number } | undefined;
  return { agents: row(AGENTS_ROW)?.agents ?? 0, length: row(LENGTH_ROW)?.agents ?? 0 };
}

/** Agents with so many properties are read one by one, so no more of them are counted than are ranked. */
function totalOf(database: SqliteDatabase, sql: FindSql, { match, least }: Asked): FoundBlock['total'] {
  if (least > 0) return { agents: RANKED, isExact: false };
  const { agents } = database.statement(sql.count).get(match, MOST_COUNTED + 1) as { agents: number };
  return { agents: Math.min(agents, MOST_COUNTED), isExact: agents <= MOST_COUNTED };
}

function countFacets(
  database: SqliteDatabase,
  sql: FindSql,
  rows: readonly WindowRow[],
): Required<Pick<FoundBlock, 'facets' | 'counted'>> {
  const counts = new Map<number, number>();
  for (const { facets } of rows)
    for (const id of JSON.parse(facets) as number[]) counts.set(id, (counts.get(id) ?? 0) + 1);
  const facets: Record<string, FacetCount[]> = {};
  for (const { id, parameter, value } of namesOf(database, sql, [...counts.keys()])) {
    facets[parameter] ??= [];
    facets[parameter].push({ value, count: counts.get(id) ?? 0 });
  }
  for (const [name, values] of Object.entries(facets))
    facets[name] = values.sort(byCount).slice(0, MAX_VALUES);
  return { facets, counted: rows.length };
}

/** From what is counted with each write: it costs the same however many agents there are. */
export function facetCounts(
  database: SqliteDatabase,
  generation: number,
  name: FacetParameter,
  most: number,
): readonly FacetCount[] {
  const rows = database.statement(findSql(generation).counts).all(name, most);
  return (rows as unknown as readonly FacetCount[]).map(({ value, count }) => ({ value, count }));
}

interface FacetName {
  readonly id: number;
  readonly parameter: string;
  readonly value: string;
}

/** One statement for thousands of values. */
function namesOf(database: SqliteDatabase, sql: FindSql, ids: readonly number[]): readonly FacetName[] {
  return database.statement(sql.facets).all(JSON.stringify(ids)) as unknown as readonly FacetName[];
}

function byCount(a: FacetCount, b: FacetCount): number {
  return b.count - a.count || compareUrls(a.value, b.value);
}

function findSql(generation: number) {
  const { text, found, word, facet } = tablesOf(generation);
  const rows = (words: string) => `SELECT f.id, f.url, f.factor, ${words} AS words, f.facets, f.card
      FROM ${text} t CROSS JOIN ${found} f ON f.id = t.rowid
      WHERE ${text} MATCH ? AND t.rowid > ? AND f.properties >= ? ORDER BY t.rowid LIMIT ?`;
  return {
    word: `SELECT agents FROM ${word} WHERE word = ?`,
    rows: rows(`substr(f.words, 1, ${SCORED})`),
    all: rows(`''`),
    count: `SELECT count(*) AS agents FROM (SELECT 1 FROM ${text} WHERE ${text} MATCH ? LIMIT ?)`,
    counts: `SELECT value, agents AS count FROM ${facet} WHERE parameter = ? AND agents > 0 ORDER BY agents DESC, value LIMIT ?`,
    facets: `SELECT f.id, f.parameter, f.value FROM json_each(?) AS wanted CROSS JOIN ${facet} f ON f.id = wanted.value`,
  } as const;
}
