import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FoundAgent, FoundBlock, SearchQuery, SearchSort } from '../../domain/agent-search.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { type AskedText, askedText } from './asked-text.ts';
import { countFacets } from './count-facets.ts';
import { knownWords, nearestKnown } from './known-words.ts';
import {
  compareRanked,
  type FoundRow,
  type RankedRow,
  rankRows,
  type TextCollection,
  type WordGroup,
} from './rank-found.ts';
import { AGENTS_ROW, LENGTH_ROW, tablesOf } from './tables.ts';

/** Agents that are ranked together: the first that fit, then the next. It bounds what a search costs. */
const RANKED = 1_000;
/** Characters of an agent's texts that are scored: the shorter texts come first. All of them are searched. */
const SCORED = 8_192;
/** Agents of one answer to the caller. */
const BLOCK = 200;
/** The total is exact up to it, and up to RANKED with `min_properties`. */
const MOST_COUNTED = 10_000;
/** The last agents of a block that its place names: some of them may be gone when the next block is asked for. */
const NAMED = 16;
/** Where a block begins: in the agents behind `window` of this generation, behind the agents `ids`, the last of which had `key`. */
type Place = readonly [generation: number, window: number, key?: number | string, ...ids: number[]];

/**
 * Reads the agents of one window, in one snapshot of the database that the caller holds. What it returns ranks and counts
 * them, and lets others in meanwhile: strangers decide how long the texts are.
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
  const collection = collectionOf(database, sql);
  const asked = askedText(groups, query, collection.agents);
  const least = query.filter.minProperties ?? 0;
  const isUnknown = groups.some(({ words }) => words.length === 0);
  const [, window] = place ?? [generation, 0];
  const read = database.rows(windowSql(generation, query, asked));
  const rowsOf = (from: number) =>
    isUnknown
      ? []
      : (read.all(asked.match, from, least, ...asked.common.flat(), RANKED) as unknown as FoundRow[]);
  const isCounted = query.totalOnly && least === 0 && !isUnknown;
  const rows = isCounted ? undefined : rowsOf(window);
  const first = window === 0 ? rows : query.facets && rowsOf(0);
  const isWhole = first !== undefined && first.length < RANKED;
  const corrected = query.words.flatMap((word, at) => {
    const meant = groups[at]?.corrected;
    return meant === undefined ? [] : [[word, meant] as const];
  });
  return async () => {
    const block =
      query.totalOnly || rows === undefined
        ? { agents: [] }
        : await ranked(database, { groups, place, generation, rows, collection });
    await yieldToEventLoop();
    const behind = { counted: first?.length ?? 0, after: first?.at(-1)?.[0] ?? 0 };
    const total = isWhole
      ? { agents: first.length, isExact: true }
      : totalOf(database, sql, { ...asked, ...behind, least });
    await yieldToEventLoop();
    const counts = query.facets && first && countFacets(database, generation, first);
    const unknown = query.words.filter((_, at) => groups[at]?.words.length === 0);
    const nearestOf = () => ({ nearest: nearestKnown(database, generation, query, unknown) });
    const nearest = total.agents === 0 ? database.guard(nearestOf) : {};
    return { ...block, total, ...counts, ...nearest, corrected: Object.fromEntries(corrected) };
  };
}

function expired(): FoundBlock {
  return { agents: [], total: { agents: 0, isExact: true }, corrected: {}, isExpired: true };
}

type FindSql = ReturnType<typeof findSql>;

interface RankedSearch {
  readonly rows: readonly FoundRow[];
  readonly groups: readonly WordGroup[];
  readonly place: Place | undefined;
  readonly generation: number;
  readonly collection: TextCollection;
}

async function ranked(
  database: SqliteDatabase,
  { groups, place, generation, rows, collection }: RankedSearch,
): Promise<Pick<FoundBlock, 'agents' | 'next'>> {
  const [, window, key, ...ids] = place ?? [generation, 0];
  const sorted = await rankRows(rows, { groups, collection });
  const from = key === undefined ? 0 : placeBehind(sorted, key, ids);
  const block = from === -1 ? [] : sorted.slice(from, from + BLOCK);
  const last = block.at(-1);
  const agents = withCards(database, generation, block);
  if (last !== undefined && last !== sorted.at(-1))
    return {
      agents,
      next: JSON.stringify([generation, window, last.key, ...namedIn(block)] satisfies Place),
    };
  const end = rows.at(-1);
  if (rows.length < RANKED || end === undefined) return { agents };
  return { agents, next: JSON.stringify([generation, end[0]] satisfies Place) };
}

function namedIn(block: readonly RankedRow[]): number[] {
  return block.slice(-NAMED).map(({ id }) => id);
}

/**
 * Behind the last of these agents that is still there, wherever it is now: each agent that comes or goes moves all scores, so
 * a score from before may belong to nobody. When all are gone, behind that score. -1: the block is empty.
 */
function placeBehind(sorted: readonly RankedRow[], key: number | string, ids: readonly number[]): number {
  const found = ids.toReversed().flatMap((id) => {
    const at = sorted.findIndex((one) => one.id === id);
    return at === -1 ? [] : [at];
  })[0];
  if (found !== undefined) return found + 1;
  const last = { key, id: ids.at(-1) ?? 0 };
  return sorted.findIndex((one) => compareRanked(one, last) > 0);
}

/** Only the agents of the answer are read with their address and what is shown of them. One that was dropped meanwhile is left out. */
function withCards(
  database: SqliteDatabase,
  generation: number,
  block: readonly RankedRow[],
): readonly FoundAgent[] {
  const ids = JSON.stringify(block.map(({ id }) => id));
  const rows = database.guard(() => database.rows(findSql(generation).cards).all(ids));
  const shown = new Map((rows as unknown as readonly ShownRow[]).map((row) => [row[0], row]));
  return block.flatMap(({ id, relevance }) => {
    const row = shown.get(id);
    return row === undefined ? [] : { url: row[1], relevance, card: row[2] };
  });
}

type ShownRow = readonly [id: number, url: string, card: string];

function collectionOf(database: SqliteDatabase, sql: FindSql): TextCollection {
  const row = (name: string) => database.statement(sql.word).get(name) as { agents: number } | undefined;
  return { agents: row(AGENTS_ROW)?.agents ?? 0, length: row(LENGTH_ROW)?.agents ?? 0 };
}

interface Counted extends AskedText {
  /** Agents who fit, and the last of them: only those behind it are counted. */
  readonly counted: number;
  readonly after: number;
  readonly least: number;
}

/** Agents with so many properties are read one by one, so no more of them are counted than are ranked. */
function totalOf(
  database: SqliteDatabase,
  sql: FindSql,
  { match, exact, unfit, counted, after, least }: Counted,
): FoundBlock['total'] {
  if (least > 0) return { agents: RANKED, isExact: false };
  const upTo = (text: string, most: number) =>
    counted + (database.statement(sql.count).get(text, after, most - counted) as { agents: number }).agents;
  const agents = database.guard(() => {
    const most = upTo(match, MOST_COUNTED + unfit + 1);
    if (unfit === 0) return most;
    // so many that enough are left without all who may not fit
    return most > MOST_COUNTED + unfit ? MOST_COUNTED + 1 : upTo(exact, MOST_COUNTED + 1);
  });
  return { agents: Math.min(agents, MOST_COUNTED), isExact: agents <= MOST_COUNTED };
}

function findSql(generation: number) {
  const { text, found, word } = tablesOf(generation);
  return {
    word: `SELECT agents FROM ${word} WHERE word = ?`,
    cards: `SELECT f.id, f.url, f.card FROM json_each(?) AS wanted CROSS JOIN ${found} f ON f.id = wanted.value`,
    // `LIMIT +?`: see hitSql in read-hits.ts
    count: `SELECT count(*) AS agents FROM (SELECT 1 FROM ${text} WHERE ${text} MATCH ? AND rowid > ? LIMIT +?)`,
  } as const;
}

const SORT_KEYS: Readonly<Record<SearchSort, string>> = {
  relevance: 'NULL',
  name: "json_extract(f.card, '$.name')",
  properties: 'f.properties',
  publishers: "json_extract(f.card, '$.publisher_count')",
};

/** Characters are counted where there are more bytes only: counting them costs as much as all else of the row. */
const SCORED_TEXT = `iif(octet_length(f.words) <= ${SCORED}, f.words, substr(f.words, 1, ${SCORED}))`;

/** Binds the expression of FTS5, the id to go on after, the least of properties, the common words and the limit. */
function windowSql(generation: number, { words, sort }: SearchQuery, { common }: AskedText): string {
  const { text, found } = tablesOf(generation);
  const scored = words.length === 0 ? "''" : SCORED_TEXT;
  const hasCommon = common.map((some) => ` AND (${some.map(() => 'instr(f.words, ?)').join(' OR ')})`);
  return `SELECT f.id, f.factor, ${scored}, f.facets, ${SORT_KEYS[sort]}
    FROM ${text} t CROSS JOIN ${found} f ON f.id = t.rowid
    WHERE ${text} MATCH ? AND t.rowid > ? AND f.properties >= ?${hasCommon.join('')} ORDER BY t.rowid LIMIT +?`;
}
