import type { AgentFilter } from './agent-query.ts';

/** The labels that a search filters by beside the filters of the list: open lists, compared without regard to case. */
export const LABEL_NAMES = [
  'channels',
  'property_types',
  'markets',
  'categories',
  'tags',
  'delivery_types',
  'format_kinds',
  'specialisms',
  'capability',
] as const;
export type LabelName = (typeof LABEL_NAMES)[number];

/** What is counted of agents: the parameters of a search whose values are few. */
export const FACET_PARAMETERS = [
  ...(['type', 'protocol', 'verified', 'verification_mode', 'metric_id', 'accreditation'] as const),
  ...LABEL_NAMES,
  ...(['has_tmp', 'compliance_status'] as const),
] as const;
export type FacetParameter = (typeof FACET_PARAMETERS)[number];

/** The conditions of a search, engine-neutral and already validated. All are AND'd; the values of one are alternatives. */
export interface SearchFilter {
  /** Without the part of a metric_id: `q` has words in a search. */
  readonly listed: Omit<AgentFilter, 'q'>;
  /** In lower case. */
  readonly labels: Readonly<Partial<Record<LabelName, readonly string[]>>>;
  readonly hasTmp?: boolean;
  readonly minProperties?: number;
  /** Of the agents' addresses, as in a canonical URL. */
  readonly hosts?: readonly string[];
}

export const SEARCH_SORTS = ['relevance', 'name', 'properties', 'publishers'] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];

export interface SearchQuery {
  /** Distinct words in normal form (`wordsOf`); none: every agent under the filter. */
  readonly words: readonly string[];
  readonly filter: SearchFilter;
  readonly sort: SearchSort;
  /** The `next` of the block before. */
  readonly place?: string;
  /** Asks for the counts of the facets. */
  readonly facets?: true;
  /** Asks how many there are: no agent is returned. */
  readonly totalOnly?: true;
}

/** State of an agent that affects its rank. Times are epoch milliseconds. */
export interface FoundState {
  readonly firstSeenAt: number;
  readonly lastSeenAt?: number;
  /** What the last probe found; absent before the first. */
  readonly online?: boolean;
}

/** An agent as the index found it. */
export interface FoundAgent {
  readonly url: string;
  /**
   * BM25 of the words, multiplied by the factors of the agent that do not change with time (`RANKING`); above 0. Without words,
   * the factors alone. Comparable only within one search.
   */
  readonly relevance: number;
  /** The JSON text of its `SearchCard`. */
  readonly card: string;
}

/** How many agents under a search have one value of a filter. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** A value of a filter that no agent has, and the known ones that are most alike. */
export interface NearestValues {
  readonly parameter: string;
  readonly value: string;
  readonly nearest: readonly string[];
}

export interface FoundBlock {
  /** At most one block, in order. */
  readonly agents: readonly FoundAgent[];
  /** Where the next block begins; absent after the last. */
  readonly next?: string;
  readonly total: { readonly agents: number; readonly isExact: boolean };
  /** By the name of a parameter, the commonest values first; present when asked for. */
  readonly facets?: Readonly<Record<string, readonly FacetCount[]>>;
  /** The number of agents whose facets were counted; less than the total if counting stopped. */
  readonly counted?: number;
  /** Whether the facets have the exact counts of all agents under the search. */
  readonly areFacetsExact?: boolean;
  /** For each word that no agent has: the known words that were searched for in its place. */
  readonly corrected: Readonly<Record<string, readonly string[]>>;
  /** Present when nothing is found: the first values of filters that no agent has. */
  readonly nearest?: readonly NearestValues[];
}
