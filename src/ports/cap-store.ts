/**
 * The exposures that frequency caps count. It is asked in the middle of an identity match, so it is synchronous.
 * Tokens come as keyed hashes: no store ever sees one.
 */
export interface CapStore {
  /**
   * Remembers an exposure. `repeated` when its id is known with the same token and package, `conflict` when it is
   * known with others; nothing is counted then. Of two at the same time one is `recorded`.
   */
  record(exposure: Exposure): ExposureOutcome;
  /** What was shown to a token and is not forgotten yet, in no particular order. */
  shownTo(token: string, now: number): readonly ShownPackage[];
  close(): void;
}

export type ExposureOutcome = 'recorded' | 'repeated' | 'conflict';

/** Times are epoch milliseconds. */
export interface Exposure extends ShownPackage {
  readonly id: string;
  /** A keyed hash. */
  readonly token: string;
  /** From then on it may be forgotten, and its id with it. */
  readonly until: number;
  /** Of this token and package the newest so many are enough; older ones may be forgotten. */
  readonly keep: number;
}

export interface ShownPackage {
  readonly packageId: string;
  readonly at: number;
}
