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
export type Yielded = Statement | Together | Each;

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

/** Statements that do not depend on each other. */
interface Each {
  readonly each: readonly Statement[];
}

export type Dialect = 'sqlite' | 'postgres';

/** A database that holds the records. */
export interface SqlStore {
  readonly dialect: Dialect;
  /** Opened for reading only: nothing may be written. */
  readonly readOnly: boolean;
  /** Runs a task that only reads. Rejects with a RegistryError `store_…` when the store cannot be read. */
  read<T>(task: () => SqlTask<T>, limits?: Limits): Promise<T>;
  /**
   * Runs a task in one transaction: all of it is kept or none. It may run more than once (another process was in the
   * way, the connection broke), so what it changes in memory it must make anew each time.
   */
  transaction<T>(task: () => SqlTask<T>, limits?: Limits): Promise<T>;
  /**
   * A transaction that is on the disk, not only with the operating system, when it resolves: it survives a loss of
   * power. For what no crawl can find again (members, registrations, secrets).
   */
  durably<T>(task: () => SqlTask<T>): Promise<T>;
}

/** For administrative tasks, which take longer than others. */
export interface Limits {
  /** How long one statement may take, and wait for a lock, milliseconds. */
  readonly longMs: number;
}

/** Of a search that may read all rows, and that nobody waits for. */
export const UNHURRIED: Limits = { longMs: 10 * 60_000 };

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

/** A task that waits for what it yielded. */
interface Waiting {
  readonly task: SqlTask<unknown>;
  /** What it is a part of; absent: it is the whole task. */
  readonly whole?: { readonly owner: Waiting; readonly results: unknown[]; left: number };
  /** Its place there. */
  readonly place: number;
}

/**
 * Runs a task to its end with statements that take their time. What its parts want at one moment is executed together,
 * and then all of them go on: so what many of them want can be asked for once.
 */
export async function runAsync<T>(
  task: SqlTask<T>,
  execute: (statements: readonly Statement[]) => Promise<readonly unknown[]>,
): Promise<T> {
  let answered: [Waiting, unknown][] = [[{ task, place: 0 }, undefined]];
  for (;;) {
    const asking: (readonly [Waiting, Statement])[] = [];
    for (const [one, result] of answered) {
      const step = one.task.next(result);
      if (step.done && one.whole === undefined) return step.value as T;
      if (step.done) answered.push(...endOfPart(one, step.value));
      else if ('together' in step.value) answered.push(...partsOf(one, step.value.together));
      else if ('each' in step.value) answered.push(...partsOf(one, step.value.each.map(answerOf)));
      else asking.push([one, step.value]);
    }
    const results = await execute(asking.map(([, statement]) => statement));
    answered = asking.map(([one], at) => [one, results[at]]);
  }
}

/** The tasks that begin; their owner goes on at once when there are none. */
function partsOf(owner: Waiting, tasks: readonly SqlTask<unknown>[]): readonly [Waiting, unknown][] {
  const whole = { owner, results: [], left: tasks.length };
  return tasks.length === 0 ? [[owner, []]] : tasks.map((task, place) => [{ task, whole, place }, undefined]);
}

function* answerOf(statement: Statement): SqlTask<unknown> {
  return yield statement;
}

/** Who goes on when a part has ended: its owner, after the last one. */
function endOfPart({ whole, place }: Waiting, result: unknown): readonly [Waiting, unknown][] {
  if (whole === undefined) return [];
  whole.results[place] = result;
  whole.left -= 1;
  return whole.left === 0 ? [[whole.owner, whole.results]] : [];
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
