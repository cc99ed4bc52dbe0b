/** One statement with its values, and what is wanted of it: its rows, the first one, or the number of changed rows. */
export interface Call {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly wants: 'rows' | 'row' | 'count';
}

/** Pieces of work that do not depend on each other. */
export interface Together {
  readonly together: readonly Work<unknown>[];
}

/**
 * A piece of work on the records, written once for both engines: it yields the statements that it needs and is given
 * their results. SQLite runs it at once, so that nothing comes between its statements; PostgreSQL waits for each
 * answer. `yield*` calls a piece of work, as `await` would.
 */
export type Work<T> = Generator<Call | Together, T, unknown>;

/** Does pieces of work that do not depend on each other; over a network their statements share the way. */
export function* together<T>(works: readonly Work<T>[]): Work<readonly T[]> {
  return (yield { together: works }) as readonly T[];
}

/** Runs a piece of work to its end with statements that answer at once. */
export function runNow<T>(work: Work<T>, execute: (call: Call) => unknown): T {
  let step = work.next();
  while (!step.done) {
    const wanted = step.value;
    const result =
      'together' in wanted ? wanted.together.map((part) => runNow(part, execute)) : execute(wanted);
    step = work.next(result);
  }
  return step.value;
}

/** Runs a piece of work to its end with statements that take their time. */
export async function runAsync<T>(work: Work<T>, execute: (call: Call) => Promise<unknown>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const wanted = step.value;
    const result = 'together' in wanted ? await runAbreast(wanted.together, execute) : await execute(wanted);
    step = work.next(result);
  }
  return step.value;
}

/** So many pieces are under way at once: the time that a statement may take runs while it waits for those before it. */
const MAX_ABREAST = 256;

/**
 * They begin in their order. When one fails no other begins, and the error is told when the last one under way has
 * ended: what would still be sent after a rollback would be a transaction of its own.
 */
async function runAbreast(
  works: readonly Work<unknown>[],
  execute: (call: Call) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  const errors: unknown[] = [];
  const waiting = works.entries();
  const lane = async (): Promise<void> => {
    for (const [index, work] of waiting) {
      if (errors.length > 0) return;
      results[index] = await runAsync(work, execute);
    }
  };
  const lanes = Array.from({ length: Math.min(MAX_ABREAST, works.length) }, () =>
    lane().catch((error: unknown) => void errors.push(error)),
  );
  await Promise.all(lanes);
  if (errors.length > 0) throw errors[0];
  return results;
}
