import { type RawBuilder, sql } from 'kysely';
import {
  FACET_PARAMETERS,
  type FacetCount,
  type FacetParameter,
  type FoundAgent,
  type FoundBlock,
  type SearchQuery,
  type SearchSort,
} from '../../domain/agent-search.ts';
import type { Db } from '../../records/database.ts';
import { TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';
import { idsUnder } from './filter-sql.ts';
import { nearestKnown, searchedWords } from './known-words.ts';
import { type IndexTables, tablesOf } from './tables.ts';

/** Agents that are ranked together, the first that match, and then the next. It bounds the cost of a search. */
const RANKED = 5_000;
/** Agents whose facets are counted: the first that match. */
const MAX_COUNTED = 5_000;
/** The total is exact up to this number. */
const MAX_TOTAL = 10_000;
/** Agents in one block. */
const BLOCK = 200;
/** Values of one facet. */
const MAX_VALUES = 20;
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

/** One block of the agents that have all the words and pass the filter, in the order that the query asks for. */
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
  const filters = idsUnder(tables, query.filter);
  const matching: Matching =
    words.length === 0 ? { filters } : { filters, match: words.map(({ match }) => match).join(' AND ') };

  const found = unknown.length === 0 ? await countMatching(db, tables, matching) : 0;
  const total = { agents: Math.min(found, MAX_TOTAL), isExact: found <= MAX_TOTAL };
  if (found === 0) {
    const nearest = await nearestKnown(db, tables, query.filter, unknown);
    return { agents: [], total, corrected, nearest, ...(query.facets && { facets: {}, counted: 0 }) };
  }
  const block = query.totalOnly ? { agents: [] } : await rankedBlock(db, tables, matching, query.sort, place);
  const facets = query.facets && {
    facets: await countFacets(db, tables, matching),
    counted: Math.min(found, MAX_COUNTED),
  };
  return { ...block, total, ...facets, corrected };
}

/** The agents of a search: those that match an expression of FTS5, if there is one, and are in each of these sets of ids. */
interface Matching {
  readonly match?: string;
  readonly filters: readonly RawBuilder<unknown>[];
}

/** The first matching ids after an id. */
function matchingIds(
  tables: IndexTables,
  matching: Matching,
  { afterId = 0, limit }: { afterId?: number; limit: number },
) {
  const { agent, text } = tables;
  const { match, filters } = matching;
  if (match === undefined)
    return sql`
      SELECT id FROM ${agent}
      WHERE id > ${afterId} ${sql.join(
        filters.map((ids) => sql`AND id IN ${ids}`),
        sql` `,
      )}
      ORDER BY id LIMIT ${limit}`;
  return sql`
    SELECT rowid AS id FROM ${text}
    WHERE ${text} MATCH ${match} AND rowid > ${afterId} ${amongIds(filters)}
    ORDER BY rowid LIMIT ${limit}`;
}

/** The plus keeps SQLite from searching the words anew for each id. */
function amongIds(filters: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(
    filters.map((ids) => sql`AND +rowid IN ${ids}`),
    sql` `,
  );
}

async function countMatching(db: Db, tables: IndexTables, matching: Matching): Promise<number> {
  const { rows } = await sql<{ agents: number }>`
    SELECT count(*) AS agents FROM (${matchingIds(tables, matching, { limit: MAX_TOTAL + 1 })})`.execute(db);
  return rows[0]?.agents ?? 0;
}

const ORDERS: Readonly<Record<SearchSort, RawBuilder<unknown>>> = {
  relevance: sql`relevance DESC`,
  name: sql`name`,
  properties: sql`property_count DESC`,
  publishers: sql`publisher_count DESC`,
};

interface RankedRow extends FoundAgent {
  readonly id: number;
  readonly position: number;
  /** Of all agents that were ranked. */
  readonly lastId: number;
  readonly ranked: number;
}

async function rankedBlock(
  db: Db,
  tables: IndexTables,
  matching: Matching,
  sort: SearchSort,
  { generation, afterId, last, returned }: Place,
): Promise<Pick<FoundBlock, 'agents' | 'next'>> {
  const { agent, document, text } = tables;
  const { match, filters } = matching;
  const scores =
    match === undefined
      ? sql`SELECT id, 1.0 AS score FROM (${matchingIds(tables, matching, { afterId, limit: RANKED })})`
      : sql`
        SELECT rowid AS id, bm25(${text}, ${weights()}) AS score FROM ${text}
        WHERE ${text} MATCH ${match} AND rowid > ${afterId} ${amongIds(filters)}
        ORDER BY rowid LIMIT ${RANKED}`;
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
    SELECT ranked.id, ranked.url, ranked.relevance, ranked.position, document.card,
      (SELECT max(id) FROM matched) AS lastId, (SELECT count(*) FROM matched) AS ranked
    FROM ranked JOIN ${document} AS document USING (id)
    WHERE ranked.position > coalesce(
      (SELECT max(position) FROM ranked WHERE id IN (SELECT value FROM json_each(${JSON.stringify(last)}))), ${returned})
    ORDER BY ranked.position LIMIT ${BLOCK + 1}`.execute(db);
  const block = rows.slice(0, BLOCK);
  const agents = block.map(({ url, relevance, card }) => ({ url, relevance, card }));
  const end = block.at(-1);
  if (end === undefined) return { agents };
  const after: Place = {
    ...{ generation, afterId, returned: end.position },
    last: block.slice(-REMEMBERED).map(({ id }) => id),
  };
  if (rows.length > BLOCK) return { agents, next: JSON.stringify(after) };
  if (end.ranked < RANKED) return { agents };
  const nextRanked: Place = { generation, afterId: end.lastId, last: [], returned: 0 };
  return { agents, next: JSON.stringify(nextRanked) };
}

/** Weights of the columns, in their order. */
function weights(): RawBuilder<unknown> {
  return sql.join(TEXT_NAMES.map((name) => sql.lit(TEXT_FIELDS[name])));
}

interface FacetRow extends FacetCount {
  readonly field: FacetParameter;
}

async function countFacets(
  db: Db,
  tables: IndexTables,
  matching: Matching,
): Promise<Readonly<Record<string, readonly FacetCount[]>>> {
  const { value } = tables;
  const { rows } = await sql<FacetRow>`
    WITH matched AS MATERIALIZED (${matchingIds(tables, matching, { limit: MAX_COUNTED })})
    SELECT value.field, value.value, count(*) AS count
    FROM matched CROSS JOIN ${value} AS value ON value.id = matched.id AND value.counted = 1
    GROUP BY value.field, value.value
    ORDER BY count DESC, value.value`.execute(db);
  const byField = Map.groupBy(rows, ({ field }) => field);
  return Object.fromEntries(
    FACET_PARAMETERS.filter((field) => byField.has(field)).map((field) => [
      field,
      byField
        .get(field)
        ?.slice(0, MAX_VALUES)
        .map(({ value: one, count }) => ({ value: one, count })),
    ]),
  ) as Record<string, FacetCount[]>;
}

/** How many of all agents have each value of a facet, the commonest values first. */
export async function facetCounts(
  db: Db,
  generation: number,
  field: FacetParameter,
  most: number,
): Promise<readonly FacetCount[]> {
  const { rows } = await sql<FacetCount>`
    SELECT value, count(*) AS count FROM ${tablesOf(generation).value}
    WHERE field = ${field} GROUP BY value ORDER BY count DESC, value LIMIT ${most}`.execute(db);
  return rows.map(({ value, count }) => ({ value, count }));
}
