import type { StatementSync } from 'node:sqlite';

/** One SQLite file, shared by the records and the embedded index of this process. */
export interface SqliteDatabase {
  readonly path: string;
  readonly readOnly: boolean;
  /** How long to wait for another connection's write, milliseconds. */
  readonly busyTimeoutMs: number;
  /**
   * The prepared statement of a text, created once and kept. Bind values, never put them into the text. Integers are
   * JavaScript numbers.
   */
  statement(sql: string): StatementSync;
  /** The same for a read of many rows: each row is an array of its values, which costs a third less than an object. */
  rows(sql: string): StatementSync;
  /** Several statements, none of them with values: schema changes. */
  exec(sql: string): void;
  /**
   * Runs `work` in one write transaction: all of it is kept or none. Inside another transaction it joins it.
   * `work` must not be asynchronous. Rejects with store_locked when another process writes for too long.
   */
  transaction<T>(work: () => T): T;
  /**
   * A transaction that is on the disk, not only with the operating system, when it returns: it survives a loss
   * of power. For what no crawl can find again (members, registrations, secrets).
   */
  durably<T>(work: () => T): T;
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
  /** Calls a read and names a failure of the store as what it is. */
  guard<T>(work: () => T): T;
  /** Differs whenever this or another process committed something since it was last asked. */
  version(): string;
  /** How often the file was opened: more than once when it was damaged or replaced, and what was kept of it is void. */
  opened(): number;
  /**
   * Throws store_missing or store_corrupt for a file that is no database any more, whatever is still in memory of it. One
   * that was replaced is opened again by the next call.
   */
  checkFile(): void;
  close(): void;
}
