import { expect, onTestFinished } from 'vitest';
import type { SqlStore, SqlTask, Statement } from '../../../src/records/sql-tasks.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

/**
 * SQLite's plans of all statements that a read sends; each is answered with the row `found`, so that those behind it are
 * planned as well.
 */
export async function plansOf(
  found: object,
  read: (store: SqlStore) => Promise<unknown>,
): Promise<readonly string[]> {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const plans: string[] = [];
  const answerOf = ({ text, values, wants }: Statement) => {
    const { database } = records;
    for (const row of database.statement(`EXPLAIN QUERY PLAN ${text}`).all(...(values as never[])))
      plans.push(String((row as { detail: unknown }).detail));
    return wants === 'rows' ? [found] : found;
  };
  const explained = <T>(task: SqlTask<T>): T => {
    for (let step = task.next(); ; ) {
      if (step.done) return step.value;
      const wanted = step.value;
      if ('text' in wanted) step = task.next(answerOf(wanted));
      else step = task.next('each' in wanted ? wanted.each.map(answerOf) : wanted.together.map(explained));
    }
  };
  await read({ ...createSqliteStore(records.database), read: async (task) => explained(task()) });
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}
