/**
 * Where bytes of files are kept beside the records, by the SHA-256 of what they unpack to, lower case hex. Rejects with a
 * RegistryError `store_unavailable` when it cannot be reached: that is a fault of ours, and never one of a domain.
 */
export interface BodyStore {
  /** Without a secret; for messages. */
  readonly name: string;
  /** Keeps bytes; resolves when they are durable. The same hash has the same bytes. */
  put(hash: string, packed: Uint8Array): Promise<void>;
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Does nothing where nothing is kept. */
  drop(hash: string): Promise<void>;
}

/** What moving bodies out of the records did. */
export interface MovedBodies {
  readonly moved: number;
  /** Bytes of what was moved, as they are kept. */
  readonly bytes: number;
  /** Deleted at the store, as nothing has referred to them for 30 days. */
  readonly dropped: number;
}
