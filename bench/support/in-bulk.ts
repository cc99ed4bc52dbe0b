import type { SqliteDatabase } from '../../src/adapters/sql/sqlite/sqlite-database.ts';

/**
 * Makes a store that nobody else has open ready to be filled: nothing can be undone, nothing waits for the disk, no page is
 * written twice, and a gigabyte of trees that grow at random places stays in memory.
 */
export function beginBulk(database: SqliteDatabase): void {
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
}

/** After it the file is as any program of ours leaves it. */
export function endBulk(database: SqliteDatabase): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)');
}
