/** Where "now" comes from; tests own it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}
