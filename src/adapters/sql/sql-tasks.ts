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
 *   `await` calls a function. `together` runs tasks that do not depend on each other.
 * - A **store** runs tasks. `read` runs one that writes nothing. `transaction` keeps all that a task writes, or none of
 *   it. `durably` is a transaction that survives a loss of power. A function "inside the caller's transaction" is a task
 *   or makes one; only the outermost function calls the store.
 *
 * On SQLite a task runs to its end at once, so nothing comes between its statements. On PostgreSQL each statement waits
 * for its answer, and the tasks of `together` share one connection without waiting for each other. SQLite has one writer.
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
export type SqlTask<T> = Generator<Statement | Together, T, unknown>;

/** One statement with its values, and what is wanted of it: its rows, the first one, or the number of changed rows. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly wants: 'rows' | 'row' | 'count';
}

/** Tasks that do not depend on each other: their statements may be sent at once. */
interface Together {
  readonly together: readonly SqlTask<unknown>[];
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

/** Runs tasks that do not depend on each other; over a network their statements share the way. */
export function* together<T>(tasks: readonly SqlTask<T>[]): SqlTask<readonly T[]> {
  return (yield { together: tasks }) as readonly T[];
}

/** Runs a task to its end with statements that take their time. */
export async function runAsync<T>(
  task: SqlTask<T>,
  execute: (statement: Statement) => Promise<unknown>,
): Promise<T> {
  let step = task.next();
  while (!step.done) {
    const wanted = step.value;
    const result =
      'together' in wanted ? await runConcurrently(wanted.together, execute) : await execute(wanted);
    step = task.next(result);
  }
  return step.value;
}

/** So many tasks are under way at once: the time that a statement may take runs while it waits for those before it. */
const MAX_CONCURRENT = 256;

/**
 * They begin in their order. When one fails no other begins, and the error is thrown when the last one under way has
 * ended: what would still be sent after a rollback would be a transaction of its own.
 */
async function runConcurrently(
  tasks: readonly SqlTask<unknown>[],
  execute: (statement: Statement) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  const errors: unknown[] = [];
  const waiting = tasks.entries();
  const runWaiting = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      if (errors.length > 0) return;
      results[index] = await runAsync(task, execute);
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT, tasks.length) }, () =>
    runWaiting().catch((error: unknown) => void errors.push(error)),
  );
  await Promise.all(workers);
  if (errors.length > 0) throw errors[0];
  return results;
}
