/** What an agent says of the inventory that it trades, beside what publishers say: lists of distinct texts, as declared. */
export interface Inventory {
  readonly specialisms: readonly string[];
  readonly channels: readonly string[];
  /** Countries. */
  readonly markets: readonly string[];
  /** `guaranteed`, `non_guaranteed`. */
  readonly deliveryTypes: readonly string[];
  /** Kinds of creative formats: display, video, audio. */
  readonly formatKinds: readonly string[];
  /** It takes part in trusted match. */
  readonly hasTmp: boolean;
}
