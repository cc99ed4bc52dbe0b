import type { LiveEntry } from './graph.ts';

/** What began and ended between publishers and agents, and the files that say so, by number. */
export interface EdgeLog {
  /** Whether entries or files began or ended of which the edge log does not say so yet. */
  hasPending(): Promise<boolean>;
  /** Numbers so many of them in the edge log; returns how many there were. One process at a time does it. */
  appendPending(limit: number, now: number): Promise<number>;
  /** The rows of the edge log behind a number, in order. */
  edgeChanges(after: number, limit: number): Promise<readonly (EdgeChange | FileChange)[]>;
  /** The number of the last row; 0 for none. */
  lastEdgeChange(): Promise<number>;
}

/** That an entry of a file began or ended, with how it stands now. */
export interface EdgeChange {
  readonly seq: number;
  /** Of the entry; one that comes again has another. */
  readonly id: number;
  readonly agent: string;
  readonly publisher: string;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly kind: 'began' | 'ended';
  /** The entry as it is now; absent when it ended, or covers nothing that the publisher has. */
  readonly entry?: LiveEntry;
  /** This entry covers something now; after an end, one with the same agent, publisher and scope does. */
  readonly stands: boolean;
  /** When the log said so; epoch milliseconds. */
  readonly at: number;
}

/** That the adagents.json of a publisher was found, says something else, or is gone. */
export interface FileChange {
  readonly seq: number;
  readonly kind: 'file';
  readonly publisher: string;
  /** No other version of the file was known before. */
  readonly isFirst: boolean;
  /** This version counts now. */
  readonly stands: boolean;
  /** It was gone, or could not be read any more, when the log said so. */
  readonly hasEnded: boolean;
  /** When the log said so; epoch milliseconds. */
  readonly at: number;
}
