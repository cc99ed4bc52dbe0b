import type { StatementSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import type { RecordsDatabase } from '../../../src/records/database.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

/**
 * SQLite's plans of all statements that some work sends. Each is answered with the row `found`, so that those that depend on
 * it are planned as well.
 */
export async function plansOf(
  found: Readonly<Record<string, unknown>>,
  work: (store: RecordsDatabase) => Promise<unknown>,
): Promise<readonly string[]> {
  const { database, close } = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(close);
  const plans: string[] = [];
  const explain = (text: string, values: readonly never[]) => {
    for (const row of database.statement(`EXPLAIN QUERY PLAN ${text}`).all(...values))
      plans.push(String(row.detail));
  };
  const query = (text: string) => {
    const { columns } = database.query(text);
    const statement = {
      all: (...values: never[]) => {
        explain(text, values);
        return [columns.map((column) => found[column])];
      },
      run: (...values: never[]) => {
        explain(text, values);
        return { changes: 1, lastInsertRowid: 1 };
      },
    };
    return { columns, statement: statement as unknown as StatementSync };
  };
  await work(createSqliteStore({ ...database, query }));
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}

/** A store on the records of a new file in memory that counts its statements and keeps their values. */
export async function countedStore() {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const counted = { statements: 0, values: [] as unknown[] };
  const query = (text: string) => {
    const { statement, columns } = records.database.query(text);
    const counting = {
      all: (...values: never[]) => {
        counted.statements += 1;
        counted.values.push(...values);
        return statement.all(...values);
      },
      run: (...values: never[]) => {
        if (!/^(begin|commit)/.test(text)) counted.statements += 1;
        return statement.run(...values);
      },
    };
    return { columns, statement: counting as unknown as StatementSync };
  };
  return { records, counted, store: createSqliteStore({ ...records.database, query }) };
}
