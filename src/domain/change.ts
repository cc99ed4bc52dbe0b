/** What happened to an agent that the world can see. */
export type ChangeKind = 'listed' | 'changed' | 'delisted';

/** One row of the change log: appended in the transaction of the change itself, numbered without gaps going back. */
export interface Change {
  readonly seq: number;
  readonly agent: string;
  readonly kind: ChangeKind;
  /** The document's fields that differ, as they were; null when it was not listed. Long values are cut to a hash. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of the visit that led to it. */
  readonly trace?: string;
}
