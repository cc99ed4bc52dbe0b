import { ALL_AGENTS, type Term } from '../../../query/terms.ts';
import type { AgentPlan, listSql } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';

/** One ordered list of URLs; `head` is undefined at its end. */
export interface TermList {
  readonly head: string | undefined;
  /** Goes on to the next URL. */
  next(): void;
}

interface UrlRow {
  readonly url: string;
}

interface HeadRow {
  readonly term: Term;
  readonly url: string | null;
}

type ReadPiece = (after: string, limit: number) => readonly UrlRow[];

/** Where a walk starts, and how many agents it is expected to need. */
export interface Walk {
  readonly after: string;
  readonly expected: number;
}

const SMALLEST_PIECE = 4;
const LARGEST_PIECE = 2_000;

/**
 * The lists of a plan, each at its first URL after `after` that satisfies the plan's conditions on flags and
 * signatures. The heads of several lists are fetched by one statement, the rest in growing pieces when needed.
 */
export function openTermLists(
  database: SqliteDatabase,
  sql: ReturnType<typeof listSql>,
  plan: AgentPlan,
  { after, expected }: Walk,
): TermList[] {
  const { terms, mask, want, checks } = plan;
  const conditions = checks.length === 0 ? [mask, want] : [mask, want, ...plan.signatures];
  const walk = database.statement(checks.length === 0 ? sql.walk : sql.walkSigned);
  const reader = (term: Term): ReadPiece => {
    if (term === ALL_AGENTS) return (from, limit) => rowsOf(database.statement(sql.walkAll).all(from, limit));
    return (from, limit) => rowsOf(walk.all(term, from, ...conditions, limit));
  };
  const [only, ...others] = terms;
  if (only === undefined) return [];
  if (others.length === 0) return [termList(reader(only), [], after, expected)];
  const heads = database.statement(checks.length === 0 ? sql.heads : sql.headsSigned);
  const piece = Math.max(SMALLEST_PIECE, Math.ceil(expected / terms.length));
  const found = heads.all(after, ...conditions, JSON.stringify(terms)) as unknown as HeadRow[];
  return found.flatMap(({ term, url }) =>
    url === null ? [] : termList(reader(term), [{ url }], url, piece),
  );
}

function rowsOf(rows: readonly object[]): readonly UrlRow[] {
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
    from = rows.at(-1)?.url ?? from;
    size = Math.min(size * 4, LARGEST_PIECE);
  };
  const list = {
    head: undefined as string | undefined,
    next() {
      at += 1;
      if (at >= rows.length && !ended) readOn();
      list.head = rows[at]?.url;
    },
  };
  list.next();
  return list;
}
