/** The state of one reference agent: JSON documents, changed in transactions. Synchronous, so that nothing comes between the statements of one. */
export interface AgentState {
  /**
   * Runs `work` in one write transaction: all of it is kept, on the disk, or nothing when it throws. Inside another
   * transaction it joins it. `work` must not be asynchronous.
   */
  transaction<T>(work: () => T): T;
  /**
   * Documents under a name. Those of one owner (whoever called the agent) are never seen under another; without an
   * owner they are the agent's own.
   */
  collection<T>(name: string, owner?: string): Collection<T>;
  /** Documents of all owners whose time has come, the longest waiting first; only those due at `from` or later. */
  due<T>(name: string, now: number, limit: number, from?: number): readonly DueDocument<T>[];
  /** When the next document of a collection is due, epoch milliseconds. */
  nextDue(name: string): number | undefined;
  /** A log to which entries are added, and in which none is ever changed: the engine refuses it. */
  log<T>(stream: string): AppendOnlyLog<T>;
}

export interface Collection<T> {
  get(key: string): T | undefined;
  /** `dueAt` (epoch milliseconds) is when `due` is to find the document; without it, never. */
  put(key: string, document: T, dueAt?: number): void;
  /** True when there was one. */
  delete(key: string): boolean;
  /** In the order of their keys. */
  list(options?: ListOptions): readonly Kept<T>[];
  count(): number;
}

export interface ListOptions {
  /** Only keys after this one. */
  readonly after?: string;
  /** Default: all. */
  readonly limit?: number;
}

export interface Kept<T> {
  readonly key: string;
  readonly document: T;
}

export interface DueDocument<T> extends Kept<T> {
  readonly owner: string;
  readonly dueAt: number;
}

export interface AppendOnlyLog<T> {
  /** `sequence` counts from 1 without a gap; adding one that is there throws. */
  append(sequence: number, entry: T): void;
  last(): LogEntry<T> | undefined;
  /** In the order of their numbers, after `after`. */
  read(options?: { readonly after?: number; readonly limit?: number }): readonly LogEntry<T>[];
}

export interface LogEntry<T> {
  readonly sequence: number;
  readonly entry: T;
}

/** The states of several agents in one place. */
export interface AgentStates {
  /** The state of the agent with this URL. */
  of(agentUrl: string): AgentState;
  /** The URLs of the agents that have kept documents. */
  agents(): readonly string[];
  close(): void;
}
