/**
 * Stores file bodies outside the records, by the SHA-256 of the unpacked bytes in lower-case hexadecimal digits. Rejects with a
 * RegistryError `store_unavailable` if it cannot be reached, which is never the fault of a domain.
 */
export interface BodyStore {
  /** For messages; without secrets. */
  readonly name: string;
  /** Stores a body; resolves when it is durable. The same hash has the same bytes. */
  put(hash: string, packed: Uint8Array): Promise<void>;
  get(hash: string): Promise<Uint8Array | undefined>;
  /** No error if the body does not exist. */
  drop(hash: string): Promise<void>;
}

/** Result of moving bodies out of the records. */
export interface MovedBodies {
  readonly moved: number;
  /** Packed size of the moved bodies, bytes. */
  readonly bytes: number;
  /** Deleted because nothing has referred to them for 30 days. */
  readonly dropped: number;
}
