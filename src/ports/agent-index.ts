import type { SavedDocument } from '../domain/agent-document.ts';
import type { AgentFilter, AgentPage, AgentQuery } from '../domain/agent-query.ts';
import type { FacetCount, FacetParameter, FoundBlock, SearchQuery } from '../domain/agent-search.ts';
import type { RegistryError } from '../errors.ts';

/**
 * The searchable projection. Nothing is only here: it can be built again from the records at any time. An answer is
 * whole or an error: `index_unavailable` when the engine does not answer in time, `index_missing` when there is no live
 * generation of these records (it was wiped, or belongs to another store).
 */
export interface AgentIndex {
  search(query: AgentQuery): Promise<AgentPage>;
  /** Agents by words, the best first: one block, of one generation. */
  find(query: SearchQuery): Promise<FoundBlock>;
  /** How many agents have each value of a facet, the commonest values first. */
  facet(name: FacetParameter, most: number): Promise<readonly FacetCount[]>;
  /** Exact number of agents under the filter. */
  count(filter: AgentFilter): Promise<number>;
  /** Resolves when searches find everything that was written before this call, into these generations or into all. */
  settle(id: number): Promise<void>;
  /**
   * A short text that differs whenever a search may answer otherwise than before, in this or another process; empty
   * when the records' version already says so. Cheap enough to ask for each request.
   */
  version(): Promise<string>;
  readonly generations: Generations;
  /** Rejects with a RegistryError `index_…` when the index cannot be read. */
  check(): Promise<void>;
  /**
   * Rejects with `index_read_only` and the engine's own reason when the live generation takes no writes, as the engine says;
   * with `newGeneration` also when none could be made and switched to. Writes nothing.
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
  /** The change-log number up to which it is known to hold everything. */
  readonly appliedSeq: number;
  /** Tells that very change from another one of the same number; absent where no other history can come up. */
  readonly appliedMark?: string;
}

/**
 * An index is built beside the live one, compared, and switched in one step; the last two are kept. Every step may be
 * killed in the middle: what `list` says afterwards is true, and the same step done again goes on or cleans up.
 */
export interface Generations {
  /** All that there are, left-overs of killed steps and unreadable ones included, by id. */
  list(): Promise<readonly Generation[]>;
  /** Creates an empty generation, which is `building`, and returns its number. */
  begin(now: number): Promise<number>;
  /**
   * Writes documents (or drops those without one) into one generation. The change-log number is the version: an older
   * write never wins, not even over a drop. Resolves when they are durable; `settle` makes them found. Rejects
   * with `index_refused`, all others written, when the engine will never take some as they are.
   */
  write(id: number, documents: readonly SavedDocument[]): Promise<void>;
  /** The copy is complete: the generation is `built`. */
  built(id: number): Promise<void>;
  /** Every change up to this number of the change log is in; never goes back. `mark` tells that change from others. */
  applied(id: number, seq: number, mark?: string): Promise<void>;
  searchIn(id: number, query: AgentQuery): Promise<AgentPage>;
  /** The generation of other records that is live under the names of this index, if there is one. */
  foreign(): Promise<number | undefined>;
  /**
   * Switches reads to this generation in one step; the live one becomes `previous`, older ones are dropped. Rejects with
   * `usage` where a generation of other records is live, unless it may be replaced.
   */
  promote(id: number, now: number, options?: { readonly replaceForeign?: boolean }): Promise<void>;
  /** Drops a generation that is not live. */
  drop(id: number): Promise<void>;
}
