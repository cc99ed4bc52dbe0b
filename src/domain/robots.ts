/** One path rule of a group (RFC 9309, section 2.2.2). */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** What a robots.txt says to us by name. Plain data, so that a cache can be kept outside of the process. */
export interface RobotsRules {
  readonly rules: readonly RobotsRule[];
  /** Of the groups that name us, milliseconds, at most 30 s. */
  readonly crawlDelayMs?: number;
}

/** Nothing in it concerns us. */
export const NO_ROBOTS_RULES: RobotsRules = Object.freeze({ rules: Object.freeze([]) });
