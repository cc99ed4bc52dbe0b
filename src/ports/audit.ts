/** The newest record of the audit log at some moment. Whoever keeps one elsewhere sees whether the log was shortened or changed. */
export interface LogHead {
  /** The id of the record; 0 for an empty log. */
  readonly record: number;
  /** SHA-256 of the record in its canonical form, lower case hex. */
  readonly hash: string;
}

/** A head that the log itself keeps. */
export interface KeptHead extends LogHead {
  /** A checkpoint: the record and those before it may be gone. */
  readonly kind: 'head' | 'checkpoint';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Absent: it was not signed. */
  readonly token?: string;
}

/** What a look at the whole log has found. */
export type AuditVerdict =
  | {
      readonly whole: true;
      readonly records: number;
      /** The first record that is still there, and the checkpoint that stands for those before it. */
      readonly first?: number;
      readonly checkpoint?: KeptHead;
      readonly head: LogHead;
    }
  | {
      readonly whole: false;
      /** The first record that is broken or missing. */
      readonly record: number;
      /** One sentence, lower case, without a full stop. */
      readonly reason: string;
    };

/** The audit log as a chain. Entries are written by the deeds themselves, each in its transaction. */
export interface AuditTrail {
  head(): Promise<LogHead>;
  /** Keeps a head beside the log; a record is kept once for each kind. */
  keepHead(head: KeptHead): Promise<void>;
  /** Oldest first. */
  keptHeads(): Promise<readonly KeptHead[]>;
  /** Reads the whole log, and looks whether the heads that it keeps, and these, are its own. */
  verify(outside?: readonly LogHead[]): Promise<AuditVerdict>;
  /** The newest record of those that are all older than this moment, without the newest of the log; undefined: none. */
  olderThan(moment: number): Promise<LogHead | undefined>;
  /**
   * Deletes the records up to a checkpoint, which is kept with them gone, and leaves a record of it (`audit.prune`).
   * Rejects with `input_invalid` when the record of the checkpoint is not there as it says. Returns their number.
   */
  prune(checkpoint: KeptHead, now: number): Promise<number>;
}
