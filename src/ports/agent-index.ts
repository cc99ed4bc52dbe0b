import type { SavedDocument } from '../domain/agent-document.ts';
import type { AgentFilter, AgentPage, AgentQuery } from '../domain/agent-query.ts';
import type { FacetCount, FacetParameter, FoundBlock, SearchQuery } from '../domain/agent-search.ts';
import type { RegistryError } from '../errors.ts';

/**
 * The search index. Contains only derived data, which can be rebuilt from the records. An answer is complete, or it rejects with a
 * RegistryError: `index_unavailable` if the engine does not answer in time, `index_missing` if no generation of these records is
 * live, because the index was wiped, has another layout or belongs to other records.
 */
export interface AgentIndex {
  search(query: AgentQuery): Promise<AgentPage>;
  /** Searches agents by words, most relevant first. Returns one block, of one generation. */
  find(query: SearchQuery): Promise<FoundBlock>;
  /** The number of agents with each value of a facet, most frequent values first; at most `most` values. */
  facet(name: FacetParameter, most: number): Promise<readonly FacetCount[]>;
  /** Exact number of agents that match the filter. */
  count(filter: AgentFilter): Promise<number>;
  /** Resolves when searches find everything that was written into the generation before this call. */
  settle(id: number): Promise<void>;
  /**
   * Changes whenever a search may return something else than before, after a write of this or another process; empty if the
   * version of the records already covers it. Cheap enough for each request.
   */
  version(): Promise<string>;
  readonly generations: Generations;
  /** Rejects with a RegistryError `index_…` if the index cannot be read. */
  check(): Promise<void>;
  /**
   * Rejects with `index_read_only` and the engine's reason if the engine reports the live generation as read-only; with
   * `newGeneration`, also if a new one could not be created or promoted. Writes nothing.
   */
  checkWrites(options?: { readonly newGeneration?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** `building`: the copy is not complete. `built`: complete, but not live. At most one is live, and one previous. */
export type GenerationState = 'building' | 'built' | 'live' | 'previous';

export interface Generation {
  readonly id: number;
  readonly state: GenerationState;
  readonly createdAt: number;
  readonly promotedAt?: number;
  /** Number of agents; absent if they cannot be counted. */
  readonly documents?: number;
  /**
   * Why it can be neither searched nor written although the engine answers: it has another layout (`index_missing`), or its disk
   * is lost or it was closed (`index_unavailable`). It can only be dropped; one whose state cannot be read is `building`.
   */
  readonly fault?: RegistryError;
  /** Number of the change in the log up to which it has all changes. */
  readonly appliedSeq: number;
  /** Digest of that change, to detect a different history with the same number; absent if the index is in the file of the records. */
  readonly appliedMark?: string;
}

/**
 * A generation is built beside the live one, compared with it, and made live in one step; the last two are kept. A process may be
 * killed at any step: `list` then returns the actual state, and repeating the step completes it or cleans up.
 */
export interface Generations {
  /** All generations by id, including those left by killed steps and those with a fault. */
  list(): Promise<readonly Generation[]>;
  /** Creates an empty generation, which is `building`, and returns its number. */
  begin(now: number): Promise<number>;
  /**
   * Writes documents into a generation, and drops agents without one. The number in the change log is the version: an older write
   * never wins, not even over a drop. Resolves when they are durable; `settle` makes them searchable. Rejects with `index_refused`,
   * after all others were written, if the engine permanently rejects some.
   */
  write(id: number, documents: readonly SavedDocument[]): Promise<void>;
  /** Marks the copy as complete: the generation is `built`. */
  built(id: number): Promise<void>;
  /** Records that the generation has all changes up to this number, which never decreases. `mark` is the digest of that change. */
  applied(id: number, seq: number, mark?: string): Promise<void>;
  searchIn(id: number, query: AgentQuery): Promise<AgentPage>;
  /** The generation of other records that is live under the names of this index, if any. */
  foreign(): Promise<number | undefined>;
  /**
   * Makes this generation live in one step; the live one becomes `previous`, and the previous one is dropped. Rejects with `usage`
   * if a generation of other records is live, unless `replaceForeign` is set.
   */
  promote(id: number, now: number, options?: { readonly replaceForeign?: boolean }): Promise<void>;
  /** Drops a generation that is not live. */
  drop(id: number): Promise<void>;
}
