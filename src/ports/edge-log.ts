import type { LiveEntry } from './graph.ts';

/** What began and ended between publishers and agents, by number. */
export interface EdgeLog {
  /** Whether entries began or ended of which the edge log does not say so yet. */
  hasUntold(): Promise<boolean>;
  /** Numbers so many of them in the edge log; returns how many there were. One process at a time does it. */
  tellEdges(limit: number, now: number): Promise<number>;
  /** The rows of the edge log behind a number, in order. */
  edgeChanges(after: number, limit: number): Promise<readonly EdgeChange[]>;
  /** The number of the last row; 0 for none. */
  lastEdgeChange(): Promise<number>;
}

/** That an entry of a file began or ended, with how it stands now. */
export interface EdgeChange {
  readonly seq: number;
  readonly agent: string;
  readonly publisher: string;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly kind: 'began' | 'ended';
  /** The entry as it is now; absent when it ended, or covers nothing that the publisher has. */
  readonly entry?: LiveEntry;
  /** An entry with the same agent, publisher and scope covers something now. */
  readonly stands: boolean;
  /** When the log said so; epoch milliseconds. */
  readonly at: number;
}
