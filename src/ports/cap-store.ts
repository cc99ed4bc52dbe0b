/**
 * The exposures that frequency caps count. Called during an identity match, so it is synchronous. Tokens are passed as keyed
 * hashes, so that no store contains one.
 */
export interface CapStore {
  /**
   * Stores an exposure. `repeated` if its id is known with the same token and package, and `conflict` if it is known with others;
   * nothing is counted then. Of two at the same time, one is `recorded`.
   */
  record(exposure: Exposure): ExposureOutcome;
  /** Exposures of a token that have not expired, in no order. */
  shownTo(token: string, now: number): readonly ShownPackage[];
  close(): void;
}

export type ExposureOutcome = 'recorded' | 'repeated' | 'conflict';

/** Times are epoch milliseconds. */
export interface Exposure extends ShownPackage {
  readonly id: string;
  /** A keyed hash. */
  readonly token: string;
  /** May be deleted after this time, with its id. */
  readonly until: number;
  /** Number of newest exposures of this token and package to keep. */
  readonly keep: number;
}

export interface ShownPackage {
  readonly packageId: string;
  readonly at: number;
}
