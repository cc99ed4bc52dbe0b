import { CompiledQuery } from 'kysely';
import { type Db, type Dialect, isPostgres, type Limits } from './database.ts';
import type { RowSet } from './row-sets.ts';

/**
 * How SQL runs here, on one page.
 *
 * The records' SQL is written once and runs on SQLite and on PostgreSQL.
 *
 * - A **statement** is a text with its values. `statements.ts` builds it, in one of two ways.
 *   `prepare(store, (param) => query)` builds the text once and takes the values at each run: use it for everything that
 *   runs for each visit or request. `all`, `first` and `run` build the text each time: use them for rare work, where the
 *   query depends on what is wanted, and for a text in one engine's own words (Kysely's `sql` tag).
 * - A **task** is a generator: it yields statements and is given their results. `yield*` calls one task from another, as
 *   `await` calls a function. `together` runs tasks that do not depend on each other; where each is one statement of one
 *   text, `runEach`, `firstEach` and `insertEach` of a prepared one do it without a task for each.
 * - A **store** runs tasks. `read` runs one that writes nothing. `transaction` keeps all that a task writes, or none of
 *   it. `durably` is a transaction that survives a loss of power. A function "inside the caller's transaction" is a task
 *   or makes one; only the outermost function calls the store.
 *
 * On SQLite a task runs to its end at once, so nothing comes between its statements. On PostgreSQL each statement waits
 * for its answer, and the tasks of `together` share one connection without waiting for each other. Statements that were
 * prepared with the shape of a set become one there, when they are wanted at one moment: the server does
 * for 200 visits at once what it would do 200 times. SQLite has one writer.
 * PostgreSQL has many: tasks take rows that others write too in one order, and locks by name; both are in `locks.ts`.
 *
 * ```ts
 * function createNames(store: SqlStore) {
 *   const select = prepare(store, (param: Param<{ slug: string }>) =>
 *     sql.selectFrom('member').select('display_name').where('slug', '=', param('slug')),
 *   );
 *   function* rename(slug: string, name: string): SqlTask<boolean> {
 *     const before = yield* select.first({ slug });
 *     if (before === undefined || before.display_name === name) return false;
 *     yield* run(store, sql.updateTable('member').set({ display_name: name }).where('slug', '=', slug));
 *     return true;
 *   }
 *   return { rename: (slug: string, name: string) => store.durably(() => rename(slug, name)) };
 * }
 * ```
 *
 * What exists on SQLite only (the embedded index, nonces, frequency caps, states of reference agents) is synchronous and
 * uses `sqlite/database.ts` directly.
 */
export type SqlTask<T> = Generator<Yielded, T, unknown>;

/** What a task yields. */
export type Yielded = Statement | Together | Each | Called;

/** One statement with its values, and what is wanted of it: its rows, the first one, the number of changed rows, or the `id` of the new one. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly wants: 'rows' | 'row' | 'count' | 'id';
  /** How it becomes one with others of its text; absent: it never does. */
  readonly set?: { readonly form: RowSet; readonly input: Readonly<Record<string, unknown>> };
}

/** Tasks that do not depend on each other: their statements may be sent at once. */
interface Together {
  readonly together: readonly SqlTask<unknown>[];
}

/** An asynchronous function that a task calls. */
interface Called {
  readonly call: (db: Db) => Promise<unknown>;
}

/** Statements that do not depend on each other. */
interface Each {
  readonly each: readonly Statement[];
}

export type { Dialect, Limits } from './database.ts';
export { UNHURRIED } from './database.ts';

/** A store that also runs tasks, until all of them are asynchronous functions. */
export interface SqlStore {
  readonly dialect: Dialect;
  readonly readOnly: boolean;
  read<T>(work: Work<T>, limits?: Limits): Promise<T>;
  transaction<T>(work: Work<T>, limits?: Limits): Promise<T>;
  durably<T>(work: Work<T>): Promise<T>;
}

export type Work<T> = (db: Db) => Promise<T> | SqlTask<T>;

export async function runWork<T>(db: Db, work: Work<T>): Promise<T> {
  const started = work(db);
  return 'next' in started ? runTask(db, started) : started;
}

/** Runs a task on a database, from an asynchronous function. */
export async function runTask<T>(db: Db, task: SqlTask<T>): Promise<T> {
  let step = task.next();
  while (!step.done) step = task.next(await answerOf(db, step.value));
  return step.value;
}

/** Calls an asynchronous function from a task. */
export function* call<T>(work: (db: Db) => Promise<T>): SqlTask<T> {
  return (yield { call: work }) as T;
}

async function answerOf(db: Db, wanted: Yielded): Promise<unknown> {
  if ('call' in wanted) return wanted.call(db);
  const answers: unknown[] = [];
  if ('together' in wanted) {
    for (const part of wanted.together) answers.push(await runTask(db, part));
    return answers;
  }
  if ('each' in wanted) {
    for (const statement of wanted.each) answers.push(await answerOf(db, statement));
    return answers;
  }
  const { text, values, wants } = wanted;
  const isCounted = wants === 'count' && isPostgres(db) && / returning /i.test(text) === false;
  const result = await db.executeQuery(CompiledQuery.raw(text, [...values]));
  if (wants === 'rows') return result.rows;
  if (wants === 'row') return result.rows[0];
  if (wants === 'count') return Number(result.numAffectedRows ?? (isCounted ? 0 : result.rows.length));
  return result.insertId === undefined ? (result.rows[0] as { id: number }).id : Number(result.insertId);
}

/** Runs tasks that do not depend on each other; over a network their statements share the way. */
export function together<A, B>(tasks: readonly [SqlTask<A>, SqlTask<B>]): SqlTask<readonly [A, B]>;
export function together<T>(tasks: readonly SqlTask<T>[]): SqlTask<readonly T[]>;
export function* together(tasks: readonly SqlTask<unknown>[]): SqlTask<unknown> {
  return yield { together: tasks };
}

/** A task without rows, where nothing is to be asked. */
// biome-ignore lint/correctness/useYield: a task that asks nothing
export function* none(): SqlTask<never[]> {
  return [];
}

/** A statement whose text is built once. Running it costs no more than the bare prepared statement. */
export interface Prepared<Input, Row> {
  all(input: Input): SqlTask<Row[]>;
  first(input: Input): SqlTask<Row | undefined>;
  /** Returns the number of rows changed. */
  run(input: Input): SqlTask<number>;
  /** The same for many that do not depend on each other. */
  firstEach(inputs: readonly Input[]): SqlTask<readonly (Row | undefined)[]>;
  runEach(inputs: readonly Input[]): SqlTask<readonly number[]>;
  /** The same for an insert that returns the `id` of its row, and nothing else is asked of it: what it returned. */
  insertEach(inputs: readonly Input[]): SqlTask<readonly number[]>;
}
