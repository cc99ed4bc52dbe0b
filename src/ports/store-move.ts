/** Moves the records from one store into another, empty one; the one before stays as it is. */
export interface StoreMove {
  /** Host, port and database of the target. */
  readonly target: string;
  /** What both sides hold now, and whether it can be done. Writes nothing. */
  plan(wanted: MoveWanted): Promise<MovePlan>;
  /**
   * Copies everything, all of it or nothing: a process that is killed leaves an empty target. Rejects with a
   * RegistryError `store_locked` when others work on the source, `usage` when the target already holds records, `store_…` when one of the two cannot be used,
   * `interrupted` when the signal fires.
   */
  run(options: MoveOptions): Promise<readonly MovedTable[]>;
}

export interface MoveWanted {
  /** Epoch milliseconds: a lease that ends later is somebody's. */
  readonly now: number;
  /** Also while others work on the source: a copy of that moment, without what they write afterwards. */
  readonly live: boolean;
}

export interface MoveOptions extends MoveWanted {
  readonly onProgress: (progress: MoveProgress) => void;
  readonly signal: AbortSignal;
}

export interface MoveProgress {
  readonly step: 'rows' | 'counts';
  /** Rows copied, of so many. */
  readonly done: number;
  readonly total: number;
}

export interface MovePlan {
  /** Schemas of the two; the target's is 0 when nothing is there yet. */
  readonly source: { readonly place: string; readonly schema: number };
  readonly target: { readonly place: string; readonly schema: number };
  readonly tables: readonly PlannedTable[];
  /** Why it cannot be done now, one sentence; absent: it can. */
  readonly refusal?: string;
}

export interface PlannedTable {
  readonly name: string;
  /** Rows in the source. */
  readonly rows: number;
  /** Rows that the target holds now. */
  readonly targetRows: number;
}

export interface MovedTable {
  readonly name: string;
  readonly rows: number;
}
