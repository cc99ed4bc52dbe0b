import type { Work } from './work.ts';

export type Dialect = 'sqlite' | 'postgres';

/** What is unlike other work. */
export interface Limits {
  /** Administrative work: one statement may take, and wait for a lock, so long, milliseconds. */
  readonly longMs: number;
}

/** A database that holds the records. */
export interface SqlStore {
  readonly dialect: Dialect;
  /** Opened for reading only: nothing may be written. */
  readonly readOnly: boolean;
  /** Runs work that only reads. Rejects with a RegistryError `store_…` when the store cannot be read. */
  read<T>(work: () => Work<T>, limits?: Limits): Promise<T>;
  /**
   * Runs work in one transaction: all of it is kept or none. It may run more than once (another process was in the
   * way, the connection broke), so what it changes in memory it must make anew each time.
   */
  transaction<T>(work: () => Work<T>, limits?: Limits): Promise<T>;
  /**
   * A transaction that is on the disk, not only with the operating system, when it resolves: it survives a loss of
   * power. For what no crawl can find again (members, registrations, secrets).
   */
  durably<T>(work: () => Work<T>): Promise<T>;
}
