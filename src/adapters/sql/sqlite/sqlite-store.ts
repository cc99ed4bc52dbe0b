import type { SQLInputValue } from 'node:sqlite';
import type { SqlStore } from '../sql-store.ts';
import { type Call, runNow, type Work } from '../work.ts';
import type { SqliteDatabase } from './database.ts';

/** The records' store in one SQLite file. Work runs at once: nothing comes between the statements of a transaction. */
export function createSqliteStore(database: SqliteDatabase): SqlStore {
  const execute = ({ text, values, wants }: Call): unknown => {
    const statement = database.statement(text);
    const given = values as readonly SQLInputValue[];
    if (wants === 'rows') return statement.all(...given);
    return wants === 'row' ? statement.get(...given) : Number(statement.run(...given).changes);
  };
  const now = <T>(work: () => Work<T>) => runNow(work(), execute);
  return {
    dialect: 'sqlite',
    readOnly: database.readOnly,
    read: async (work) => database.guard(() => now(work)),
    transaction: async (work) => database.transaction(() => now(work)),
    durably: async (work) => database.durably(() => now(work)),
  };
}
