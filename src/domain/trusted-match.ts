/** The words of trusted match: real-time package activation in two operations that know nothing of each other. */

/** What a provider is asked. `exposure` belongs to the identity side. */
const MATCH_OPERATIONS = ['context', 'identity', 'exposure'] as const;
export type MatchOperation = (typeof MATCH_OPERATIONS)[number];

/**
 * What was on the wrong side: a member that names a user or a page, any other member that nobody knows, or a text
 * in a member that is allowed which reads like an id of a user, or like a page.
 */
const LEAK_KINDS = ['user_field', 'page_field', 'unknown_field', 'user_value', 'page_value'] as const;
export type LeakKind = (typeof LEAK_KINDS)[number];

export type MatchResult = 'ok' | 'refused' | 'error';

/** What the context side knows of a package. */
export interface ContentTargets {
  readonly packageId: string;
  /** Absent: on all properties. So with all that follow. */
  readonly propertyIds?: readonly string[];
  readonly formats?: readonly string[];
  readonly artifactTypes?: readonly string[];
  readonly languages?: readonly string[];
  readonly topics?: readonly string[];
  readonly keywords?: readonly string[];
  readonly excludedTopics?: readonly string[];
  readonly excludedKeywords?: readonly string[];
  readonly excludedCategories?: readonly string[];
}

/** What the identity side knows of a package. */
export interface EligibilityRules {
  readonly packageId: string;
  /** Only for tokens of one of these; absent: for all. */
  readonly audiences?: readonly string[];
  readonly suppressedAudiences?: readonly string[];
  readonly frequencyCap?: FrequencyCap;
}

/** At most so many exposures of a package to one token in a sliding window. */
export interface FrequencyCap {
  readonly maxImpressions: number;
  readonly windowSeconds: number;
}
