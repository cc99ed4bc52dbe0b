/** The right to do one piece of work alone until `until`; a holder that comes back late finds its fence overtaken. */
export interface NamedLease {
  readonly name: string;
  readonly fence: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** Who has a lease, for a process that must wait. */
export interface HeldBy {
  readonly holder: string;
  readonly until: number;
}

/** Leases on work that only one process at a time may do. */
export interface NamedLeases {
  /** Takes the lease when nobody holds it, or its holder let it run out; otherwise says who holds it. */
  take(name: string, holder: string, now: number, leaseMs: number): Promise<NamedLease | HeldBy>;
  /** Who has the lease now; undefined when nobody has. Takes nothing. */
  heldBy(name: string, now: number): Promise<HeldBy | undefined>;
  /** Prolongs it; undefined when it was lost meanwhile. */
  renew(lease: NamedLease, now: number, leaseMs: number): Promise<NamedLease | undefined>;
  /** Gives it back; does nothing when it was lost. */
  release(lease: NamedLease): Promise<void>;
}
