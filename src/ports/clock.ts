/** Where "now" comes from; tests own it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * How far time was seen to come: `now`, unless the clock has jumped ahead and is not confirmed by an operator, or is
   * behind. What cannot be undone goes by the earlier of both. Absent: it is `now`.
   */
  settled?(): number;
}

/** The one clock of all processes that share the records. */
export interface RecordsClock extends Required<Clock> {
  state(): ClockState;
  /** An operator says that the time is right: it is settled, and no jump is told of any more. */
  confirm(): Promise<void>;
}

/** What is wrong with the time; milliseconds, 0 where nothing is. */
export interface ClockState {
  /** How far the clock of this machine is ahead of that of the records; no process goes by it where both are not one. */
  readonly skewMs: number;
  /** How far the time is ahead of the settled one after a jump; negative: behind it, or put back within the last day. */
  readonly jumpMs: number;
}
