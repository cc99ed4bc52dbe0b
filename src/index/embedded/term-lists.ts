import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import type { AgentPlan } from './plan.ts';
import { tablesOf } from './tables.ts';
import { ALL_AGENTS, type Term } from './terms.ts';

/** A row of a list bears all of the marks that are bound here. */
export const BEARS = '(~d.flags & ?) = 0';

/**
 * What the rows of a plan's lists must meet, to be put behind another condition, and the values that it binds. A walk
 * to the end of a list asks each row, so what all rows meet is not asked: of 25,000 rows each condition takes a
 * millisecond or more. Flags come first, as the fewest have them.
 */
export function rowConditions({ rowFlags, checks, signatures }: AgentPlan) {
  const flags = rowFlags === 0 ? [] : [rowFlags];
  const signed = checks.length === 0 ? [] : signatures;
  const conditions = [...flags.map(() => BEARS), ...signed.map(() => '(d.sig & ?) <> 0')];
  return { sql: conditions.map((one) => ` AND ${one}`).join(''), values: [...flags, ...signed] };
}

/**
 * The statements that read the lists in order. `walkAll` binds (after, limit); `walk` binds (term, after, the values of
 * the conditions, limit); `heads` binds (after, those values, terms as a JSON array) and yields the first URL of each
 * list or null.
 */
export function listSql(generation: number) {
  const { agent, term } = tablesOf(generation);
  const walk = (list: string, conditions: string) =>
    `SELECT d.url FROM ${term} d WHERE d.term = ${list} AND d.url > ?${conditions} ORDER BY d.url LIMIT`;
  return {
    walkAll: `SELECT url FROM ${agent} WHERE url > ? ORDER BY url LIMIT +?`,
    walk: (conditions: string) => `${walk('?', conditions)} +?`,
    heads: (conditions: string) =>
      `SELECT list.value AS term, (${walk('list.value', conditions)} 1) AS url FROM json_each(?) AS list`,
  } as const;
}

/** Where a walk starts, and how many agents it is expected to need. */
export interface WalkStart {
  readonly after: string;
  readonly expected: number;
}

/** The agents that are in any of the lists of a plan and meet its conditions on flags and signatures, in order, each once. */
export function walkLists(
  database: SqliteDatabase,
  sql: ReturnType<typeof listSql>,
  plan: AgentPlan,
  start: WalkStart,
): Generator<string> {
  return mergeLists(openTermLists(database, sql, plan, start));
}

/** One ordered list of URLs; `head` is undefined at its end. */
interface TermList {
  readonly head: string | undefined;
  /** Goes on to the next URL. */
  next(): void;
}

type UrlRow = readonly [url: string];

interface HeadRow {
  readonly term: Term;
  readonly url: string | null;
}

type ReadPiece = (after: string, limit: number) => readonly UrlRow[];

const SMALLEST_PIECE = 4;
const LARGEST_PIECE = 2_000;

/**
 * The lists of a plan, each at its first URL after `after` that satisfies the plan's conditions on flags and
 * signatures. The heads of several lists are fetched by one statement, the rest in growing pieces when needed.
 */
function openTermLists(
  database: SqliteDatabase,
  sql: ReturnType<typeof listSql>,
  plan: AgentPlan,
  { after, expected }: WalkStart,
): TermList[] {
  const { terms } = plan;
  const conditions = rowConditions(plan);
  const walk = database.rows(sql.walk(conditions.sql));
  const reader = (term: Term): ReadPiece => {
    if (term === ALL_AGENTS) return (from, limit) => rowsOf(database.rows(sql.walkAll).all(from, limit));
    return (from, limit) => rowsOf(walk.all(term, from, ...conditions.values, limit));
  };
  const [only, ...others] = terms;
  if (only === undefined) return [];
  if (others.length === 0) return [termList(reader(only), [], after, expected)];
  const heads = database.statement(sql.heads(conditions.sql));
  const piece = Math.max(SMALLEST_PIECE, Math.ceil(expected / terms.length));
  const found = heads.all(after, ...conditions.values, JSON.stringify(terms)) as unknown as HeadRow[];
  return found.flatMap(({ term, url }) => (url === null ? [] : termList(reader(term), [[url]], url, piece)));
}

function rowsOf(rows: unknown): readonly UrlRow[] {
  return rows as readonly UrlRow[];
}

/** Starts with `first`, goes on with what `read` finds after `last`, at first `piece` URLs at once. */
function termList(read: ReadPiece, first: readonly UrlRow[], last: string, piece: number): TermList {
  let rows = first;
  let at = -1;
  let from = last;
  let size = Math.min(piece, LARGEST_PIECE);
  let ended = false;

  const readOn = () => {
    rows = read(from, size);
    at = 0;
    ended = rows.length < size;
    from = rows.at(-1)?.[0] ?? from;
    size = Math.min(size * 4, LARGEST_PIECE);
  };
  const list = {
    head: undefined as string | undefined,
    next() {
      at += 1;
      if (at >= rows.length && !ended) readOn();
      list.head = rows[at]?.[0];
    },
  };
  list.next();
  return list;
}

/**
 * The union of ordered lists, in order and each URL once: a binary heap by head, so that 2,000 lists cost little
 * more than their first pieces.
 */
function* mergeLists(lists: readonly TermList[]): Generator<string> {
  const heap = lists.filter((list) => list.head !== undefined);
  for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, at);
  let last: string | undefined;
  for (let top = heap[0]; top?.head !== undefined; top = heap[0]) {
    if (top.head !== last) {
      last = top.head;
      yield last;
    }
    top.next();
    if (top.head === undefined) removeTop(heap);
    sink(heap, 0);
  }
}

function removeTop(heap: TermList[]): void {
  const last = heap.pop();
  if (last !== undefined && heap.length > 0) heap[0] = last;
}

/** Moves the list at `at` down until no child starts before it. */
function sink(heap: TermList[], at: number): void {
  const moved = heap[at];
  if (moved === undefined) return;
  let hole = at;
  for (;;) {
    const child = firstChild(heap, hole);
    const below = heap[child];
    if (below === undefined || !startsBefore(below, moved)) break;
    heap[hole] = below;
    hole = child;
  }
  heap[hole] = moved;
}

function firstChild(heap: readonly TermList[], at: number): number {
  const left = heap[2 * at + 1];
  const right = heap[2 * at + 2];
  return left !== undefined && right !== undefined && startsBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
}

function startsBefore(a: TermList, b: TermList): boolean {
  return (a.head as string) < (b.head as string);
}
