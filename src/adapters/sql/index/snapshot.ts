import type { SqliteDatabase } from '../sqlite/database.ts';

/** Several reads of one state of the database, whatever other processes commit meanwhile. */
export function snapshot<T>(database: SqliteDatabase, read: () => T): T {
  return database.guard(() => {
    database.statement('SAVEPOINT index_read').run();
    try {
      return read();
    } finally {
      database.statement('RELEASE index_read').run();
    }
  });
}
