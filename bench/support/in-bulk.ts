import type { SqliteDatabase } from '../../src/records/sqlite/database.ts';

/**
 * Makes a store that nobody else has open ready to be filled: commits do not wait for the disk, and a gigabyte of trees that
 * grow at random places stays in memory. The first durable write makes commits wait again.
 */
export function beginBulk(database: SqliteDatabase): void {
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
}

/** After it all is in the file, and commits wait as they do for any program of ours. */
export function endBulk(database: SqliteDatabase): void {
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)');
}
