import type { AgentFilter, AgentPage, AgentQuery } from '../domain/agent-query.ts';
import type { SavedDocument } from './agent-store.ts';

/** The searchable projection. Nothing is only here: it can be built again from the records at any time. */
export interface AgentIndex {
  search(query: AgentQuery): Promise<AgentPage>;
  /** Exact number of agents under the filter. */
  count(filter: AgentFilter): Promise<number>;
  /**
   * Writes documents (or drops those without one) into the live generation and any that is being built. The
   * change-log number is the version: an older write never wins.
   */
  put(documents: readonly SavedDocument[]): Promise<void>;
  readonly generations: Generations;
  /** Rejects when the index cannot be read. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type GenerationState = 'building' | 'live' | 'previous';

export interface Generation {
  readonly id: number;
  readonly state: GenerationState;
  readonly createdAt: number;
  readonly promotedAt?: number;
  readonly documents: number;
  /** The change-log number up to which it is known to hold everything. */
  readonly appliedSeq: number;
  /** For a rebuild that was interrupted: the last URL copied. */
  readonly copiedUpTo?: string;
}

/** An index is built beside the live one, compared, and switched in one step; the last two are kept. */
export interface Generations {
  list(): Promise<readonly Generation[]>;
  /** The generation that is being built: a new one, or the one that an interrupted rebuild left. */
  begin(now: number): Promise<Generation>;
  /** Copies documents into one generation and remembers how far the copy has come. */
  copy(id: number, documents: readonly SavedDocument[], copiedUpTo: string | undefined): Promise<void>;
  applied(id: number, seq: number): Promise<void>;
  searchIn(id: number, query: AgentQuery): Promise<AgentPage>;
  /** Switches reads to this generation in one step; the live one becomes `previous`, older ones are dropped. */
  promote(id: number, now: number): Promise<void>;
  drop(id: number): Promise<void>;
}
