/** The current time; tests control it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * The latest time that the records have seen: `now`, unless the clock is more than 35 days ahead of it and no operator has
   * confirmed that, or is behind. Deletion and the revocation of badges go by the earlier of both. Absent: it is `now`.
   */
  settled?(): number;
}

/** The clock of all processes that share the records. */
export interface RecordsClock extends Required<Clock> {
  /** How far the clock of this machine is ahead of that of the records, milliseconds; 0 if they are the same clock. */
  skewMs(): number;
  /** Called when an operator confirms the time. */
  confirm(): Promise<void>;
}
