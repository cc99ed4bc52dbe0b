import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { FoundAgent, FoundBlock, SearchFilter, SearchQuery } from '../../domain/agent-search.ts';
import type { Db } from '../../records/database.ts';
import { TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';
import { countFacets } from './facets.ts';
import { idsUnder, listOfIds } from './filter-sql.ts';
import { nearestKnown, type SearchedWord, searchedWords } from './known-words.ts';
import { type IndexTables, tablesOf } from './tables.ts';

/** Sorted by relevance, only the first agents that match are ranked and returned. It bounds the cost of a search. */
const MAX_RANKED = 5_000;
/** Agents whose facets are counted: the first that match. */
const MAX_COUNTED = 5_000;
/** bm25() reads every agent that has a word, so a longer search is ranked by its longest words, which are the rarest. */
const MAX_RANKING_WORDS = 4;
/** The total is exact up to this number. */
const MAX_TOTAL = 10_000;
/** Agents in one block. */
const BLOCK = 200;

/** Where a block begins: after the agent with this sort value and URL. */
type Place = readonly [sortValue: string | number, url: string];

/** One block of the agents that have all the words and pass the filter, in the order of the query. */
export async function findAgents(db: Db, generation: number, query: SearchQuery): Promise<FoundBlock> {
  const tables = tablesOf(generation);
  const words = await searchedWords(db, tables, query.words);
  const unknown = words.filter(({ match }) => match === undefined).map(({ word }) => word);
  const corrected = Object.fromEntries(
    words.flatMap((one) => (one.corrected === undefined ? [] : [[one.word, one.corrected]])),
  );
  const matching = matchingAgents(tables, matchAll(words), query.filter);
  const first =
    unknown.length > 0
      ? []
      : await firstIds(db, matching ?? sql`SELECT id FROM ${tables.agent}`, MAX_TOTAL + 1);
  const total = { agents: Math.min(first.length, MAX_TOTAL), isExact: first.length <= MAX_TOTAL };
  if (first.length === 0) {
    const nearest = await nearestKnown(db, tables, query.filter, unknown);
    const facets = query.facets && { facets: {}, counted: 0, areFacetsExact: true };
    return { agents: [], total, corrected, nearest, ...facets };
  }
  const longest = words.toSorted((a, b) => b.word.length - a.word.length);
  const ranking = { match: matchAll(longest.slice(0, MAX_RANKING_WORDS)), place: query.place };
  const rows = async () => {
    if (query.totalOnly) return [];
    const { sort } = query;
    if (sort === 'relevance') return rankedRows(db, tables, { ...ranking, ids: first.slice(0, MAX_RANKED) });
    return sortedRows(db, tables, { ...ranking, sort, matching: total.isExact ? idsIn(first) : matching });
  };
  const counted = first.slice(0, MAX_COUNTED);
  const facets = query.facets && {
    facets: await countFacets(db, tables, counted),
    counted: counted.length,
    areFacetsExact: counted.length === first.length,
  };
  return { ...blockOf(await rows()), total, ...facets, corrected };
}

/** In the query language of FTS5: all of the words; undefined without any. */
function matchAll(words: readonly SearchedWord[]): string | undefined {
  return words.length === 0 ? undefined : words.map((one) => one.match).join(' AND ');
}

/** A query for the ids of all agents of a search; undefined without words and filters. */
function matchingAgents(
  tables: IndexTables,
  match: string | undefined,
  filter: SearchFilter,
): RawBuilder<unknown> | undefined {
  const { agent, text } = tables;
  const filters = idsUnder(tables, filter);
  if (match !== undefined) {
    // the plus keeps SQLite from searching the words anew for each id
    const conditions = [sql`${text} MATCH ${match}`, ...filters.map((ids) => sql`+rowid IN ${ids}`)];
    return sql`SELECT rowid AS id FROM ${text} WHERE ${sql.join(conditions, sql` AND `)}`;
  }
  if (filters.length === 0) return undefined;
  const conditions = filters.map((ids) => sql`id IN ${ids}`);
  return sql`SELECT id FROM ${agent} WHERE ${sql.join(conditions, sql` AND `)}`;
}

/** The ids of the first agents of a search, in order. */
async function firstIds(db: Db, matching: RawBuilder<unknown>, limit: number): Promise<readonly number[]> {
  const { rows } = await sql<{ ids: string }>`
    SELECT json_group_array(id) AS ids FROM (${matching} ORDER BY id LIMIT ${limit})`.execute(db);
  return JSON.parse(rows[0]?.ids ?? '[]');
}

function idsIn(ids: readonly number[]): RawBuilder<unknown> {
  return sql`SELECT value AS id FROM ${listOfIds(ids)}`;
}

interface Row extends FoundAgent {
  readonly sortValue: string | number;
}

/** The rows of one block and one more, to know whether others follow. */
function blockOf(rows: readonly Row[]): Pick<FoundBlock, 'agents' | 'next'> {
  const block = rows.slice(0, BLOCK);
  const last = rows.length > BLOCK ? block.at(-1) : undefined;
  const next = last && ([last.sortValue, last.url] satisfies Place);
  return {
    agents: block.map(({ url, relevance, card }) => ({ url, relevance, card })),
    ...(next && { next: JSON.stringify(next) }),
  };
}

/** Of the columns of the full-text table, in their order. */
const WEIGHTS = sql.join(TEXT_NAMES.map((name) => sql.lit(TEXT_FIELDS[name])));

/**
 * A query for the BM25 score of these agents, `most` at most, which must all match; the limit ends it with the last of them.
 * bm25() returns a lower number for a better match. Read it as MATERIALIZED: joined directly, SQLite would search the words
 * anew for each agent.
 */
function scoresOf(
  { text }: IndexTables,
  match: string | undefined,
  ids: RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> {
  if (match === undefined) return sql`SELECT id, 1.0 AS score FROM (${ids})`;
  return sql`
    SELECT rowid AS id, -bm25(${text}, ${WEIGHTS}) AS score FROM ${text}
    WHERE ${text} MATCH ${match} AND +rowid IN (${ids})
    ORDER BY rowid LIMIT ${most}`;
}

interface Ranking {
  /** The words to rank by. All agents of the search match them. */
  readonly match: string | undefined;
  /** The `next` of the block before. */
  readonly place: string | undefined;
}

/**
 * A block of these agents by relevance. The relevance of all agents changes with each write, so the block begins after the
 * relevance that the last agent has now.
 */
async function rankedRows(
  db: Db,
  tables: IndexTables,
  { match, ids, place }: Ranking & { readonly ids: readonly number[] },
): Promise<readonly Row[]> {
  const { agent, card } = tables;
  const [relevance, url]: Place = place === undefined ? [0, ''] : JSON.parse(place);
  const after = sql`
    (-relevance, url) > (-coalesce((SELECT relevance FROM ranked WHERE url = ${url}), ${relevance}), ${url})`;
  const { rows } = await sql<Row>`
    WITH
      scored AS MATERIALIZED (${scoresOf(tables, match, idsIn(ids), ids.length)}),
      ranked AS MATERIALIZED (
        SELECT id, url, score * factor AS relevance FROM scored JOIN ${agent} USING (id)
      )
    SELECT ranked.url, relevance, relevance AS sortValue, card.card
    FROM ranked JOIN ${card} AS card USING (id)
    WHERE ${place === undefined ? sql`true` : after}
    ORDER BY relevance DESC, ranked.url LIMIT ${BLOCK + 1}`.execute(db);
  return rows;
}

const SORT_COLUMNS = {
  name: sql.ref('name'),
  properties: sql.ref('property_count'),
  publishers: sql.ref('publisher_count'),
};
type ColumnSort = keyof typeof SORT_COLUMNS;

interface Sorting extends Ranking {
  /** A query for the ids of the agents; undefined: all agents. */
  readonly matching: RawBuilder<unknown> | undefined;
  readonly sort: ColumnSort;
}

/** A block of all agents of a search, sorted by a column. Only the agents of the block get their relevance. */
async function sortedRows(
  db: Db,
  tables: IndexTables,
  { match, matching, sort, place }: Sorting,
): Promise<readonly Row[]> {
  const { agent, card } = tables;
  const column = SORT_COLUMNS[sort];
  const order = sort === 'name' ? sql`${column}, url` : sql`${column} DESC, url`;
  const { rows } = await sql<Row>`
    WITH
      block AS MATERIALIZED (
        SELECT id, url, factor, ${column} FROM ${agent}
        WHERE ${matching === undefined ? sql`true` : sql`id IN (${matching})`}
          AND ${place === undefined ? sql`true` : isAfter(sort, JSON.parse(place))}
        ORDER BY ${order} LIMIT ${BLOCK + 1}
      ),
      scored AS MATERIALIZED (${scoresOf(tables, match, sql`SELECT id FROM block`, BLOCK + 1)})
    SELECT block.url, score * factor AS relevance, ${column} AS sortValue, card.card
    FROM block JOIN scored USING (id) JOIN ${card} AS card USING (id)
    ORDER BY ${order}`.execute(db);
  return rows;
}

function isAfter(sort: ColumnSort, [value, url]: Place): RawBuilder<SqlBool> {
  const column = SORT_COLUMNS[sort];
  if (sort === 'name') return sql`(${column}, url) > (${value}, ${url})`;
  return sql`${column} <= ${value} AND (${column} < ${value} OR url > ${url})`;
}
