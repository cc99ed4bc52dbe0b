import { type RawBuilder, sql } from 'kysely';
import type {
  FoundAgent,
  FoundBlock,
  SearchFilter,
  SearchQuery,
  SearchSort,
} from '../../domain/agent-search.ts';
import type { Db } from '../../records/database.ts';
import { TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';
import { countFacets } from './facets.ts';
import { idsUnder, listOfIds } from './filter-sql.ts';
import { nearestKnown, type SearchedWord, searchedWords } from './known-words.ts';
import { type IndexTables, tablesOf } from './tables.ts';

/** Agents that are ranked together, the first that match, and then the next. It bounds the cost of a search. */
const RANKED = 5_000;
/** Agents whose facets are counted: the first that match. */
const MAX_COUNTED = 5_000;
/** bm25() reads every agent that has a word, so a longer search is ranked by its longest words, which are the rarest. */
const MAX_RANKING_WORDS = 4;
/** The total is exact up to this number. */
const MAX_TOTAL = 10_000;
/** Agents in one block. */
const BLOCK = 200;
/** The next block begins after the last of these agents that still matches. */
const REMEMBERED = 16;

/** Where a block begins. */
interface Place {
  readonly generation: number;
  /** Only agents with a greater id are ranked. */
  readonly afterId: number;
  /** The last agents of the block before, and how many agents have been returned. */
  readonly last: readonly number[];
  readonly returned: number;
}

/** One block of the agents that have all the words and pass the filter, in the order of the query. */
export async function findAgents(db: Db, generation: number, query: SearchQuery): Promise<FoundBlock> {
  const tables = tablesOf(generation);
  const place: Place =
    query.place === undefined ? { generation, afterId: 0, last: [], returned: 0 } : JSON.parse(query.place);
  if (place.generation !== generation)
    return { agents: [], total: { agents: 0, isExact: true }, corrected: {}, isExpired: true };

  const words = await searchedWords(db, tables, query.words);
  const unknown = words.filter(({ match }) => match === undefined).map(({ word }) => word);
  const corrected = Object.fromEntries(
    words.flatMap((one) => (one.corrected === undefined ? [] : [[one.word, one.corrected]])),
  );
  const match = matchAll(words);
  const longest = words.toSorted((a, b) => b.word.length - a.word.length);
  const ranking = matchAll(longest.slice(0, MAX_RANKING_WORDS));
  const matchingAfter = (afterId: number, limit: number) =>
    matchingIds(db, tables, { match, filter: query.filter, afterId, limit });

  const found = unknown.length > 0 ? [] : await matchingAfter(0, MAX_TOTAL + 1);
  const total = { agents: Math.min(found.length, MAX_TOTAL), isExact: found.length <= MAX_TOTAL };
  if (found.length === 0) {
    const nearest = await nearestKnown(db, tables, query.filter, unknown);
    const facets = query.facets && { facets: {}, counted: 0, areFacetsExact: true };
    return { agents: [], total, corrected, nearest, ...facets };
  }
  const { afterId } = place;
  const ranked = afterId === 0 ? found.slice(0, RANKED) : await matchingAfter(afterId, RANKED);
  const block = query.totalOnly
    ? { agents: [] }
    : await rankedBlock(db, tables, { match: ranking, ids: ranked, sort: query.sort, place });
  const counted = found.slice(0, MAX_COUNTED);
  const facets = query.facets && {
    facets: await countFacets(db, tables, counted),
    counted: counted.length,
    areFacetsExact: counted.length === found.length,
  };
  return { ...block, total, ...facets, corrected };
}

/** In the query language of FTS5: all of the words; undefined without any. */
function matchAll(words: readonly SearchedWord[]): string | undefined {
  return words.length === 0 ? undefined : words.map((one) => one.match).join(' AND ');
}

interface Matching {
  /** From `matchAll`; undefined: any agent. */
  readonly match: string | undefined;
  readonly filter: SearchFilter;
  readonly afterId: number;
  readonly limit: number;
}

/** The ids of the first agents of a search after an id, in order. */
async function matchingIds(
  db: Db,
  tables: IndexTables,
  { match, filter, afterId, limit }: Matching,
): Promise<readonly number[]> {
  const { agent, text } = tables;
  const filters = idsUnder(tables, filter);
  const matching =
    match === undefined
      ? sql`
        SELECT id FROM ${agent}
        WHERE id > ${afterId} ${sql.join(
          filters.map((ids) => sql`AND id IN ${ids}`),
          sql` `,
        )}
        ORDER BY id LIMIT ${limit}`
      : // the plus keeps SQLite from searching the words anew for each id; FTS5 begins at an id only if it is bound as an integer
        sql`
        SELECT rowid AS id FROM ${text}
        WHERE ${text} MATCH ${match} AND rowid > ${BigInt(afterId)}
          ${sql.join(
            filters.map((ids) => sql`AND +rowid IN ${ids}`),
            sql` `,
          )}
        ORDER BY rowid LIMIT ${limit}`;
  const { rows } = await sql<{ ids: string }>`
    SELECT json_group_array(id) AS ids FROM (${matching})`.execute(db);
  return JSON.parse(rows[0]?.ids ?? '[]');
}

const ORDERS: Readonly<Record<SearchSort, RawBuilder<unknown>>> = {
  relevance: sql`relevance DESC`,
  name: sql`name`,
  properties: sql`property_count DESC`,
  publishers: sql`publisher_count DESC`,
};

interface Ranking {
  /** What the agents are ranked by. All of them match it. */
  readonly match: string | undefined;
  /** The agents to rank, in order. */
  readonly ids: readonly number[];
  readonly sort: SearchSort;
  readonly place: Place;
}

interface RankedRow extends FoundAgent {
  readonly id: number;
  readonly position: number;
}

async function rankedBlock(
  db: Db,
  { agent, card, text }: IndexTables,
  { match, ids, sort, place }: Ranking,
): Promise<Pick<FoundBlock, 'agents' | 'next'>> {
  const { generation, afterId, last, returned } = place;
  const scores =
    match === undefined
      ? sql`SELECT value AS id, 1.0 AS score FROM ${listOfIds(ids)}`
      : sql`
        SELECT rowid AS id, bm25(${text}, ${WEIGHTS}) AS score FROM ${text}
        WHERE ${text} MATCH ${match} AND rowid > ${BigInt(afterId)}
          AND +rowid IN (SELECT value FROM ${listOfIds(ids)})
        ORDER BY rowid LIMIT ${ids.length}`;
  // the better an agent matches, the lower is what bm25() returns; the best has the score 1
  const { rows } = await sql<RankedRow>`
    WITH
      matched AS MATERIALIZED (${scores}),
      scored AS (
        SELECT agent.*, score / (SELECT min(score) FROM matched) * agent.factor AS relevance
        FROM matched JOIN ${agent} AS agent USING (id)
      ),
      ranked AS MATERIALIZED (
        SELECT id, url, relevance, row_number() OVER (ORDER BY ${ORDERS[sort]}, url) AS position FROM scored
      )
    SELECT ranked.id, ranked.url, ranked.relevance, ranked.position, card.card
    FROM ranked JOIN ${card} AS card USING (id)
    WHERE ranked.position > coalesce(
      (SELECT max(position) FROM ranked WHERE id IN (SELECT value FROM ${listOfIds(last)})),
      ${returned})
    ORDER BY ranked.position LIMIT ${BLOCK + 1}`.execute(db);
  const block = rows.slice(0, BLOCK);
  const agents = block.map(({ url, relevance, card }) => ({ url, relevance, card }));
  const next: Place | undefined =
    rows.length > BLOCK
      ? {
          ...{ generation, afterId, returned: block.at(-1)?.position ?? 0 },
          last: block.slice(-REMEMBERED).map(({ id }) => id),
        }
      : ids.length === RANKED
        ? { generation, afterId: ids.at(-1) ?? 0, last: [], returned: 0 }
        : undefined;
  return { agents, ...(next && { next: JSON.stringify(next) }) };
}

/** Of the columns of the full-text table, in their order. */
const WEIGHTS = sql.join(TEXT_NAMES.map((name) => sql.lit(TEXT_FIELDS[name])));
