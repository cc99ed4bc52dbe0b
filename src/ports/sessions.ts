/** A browser that a member signed in with an API key. It names the key; what the key may do is asked at each request. */
export interface KeptSession {
  /** SHA-256 of its secret, lower case hex. */
  readonly hash: string;
  readonly keyId: string;
  /** Epoch milliseconds, as the next one. */
  readonly openedAt: number;
  readonly endsAt: number;
}

/** Sessions, across all processes on these records. */
export interface SessionStore {
  /**
   * Keeps a new session of a member's key, durably, with an audit record (`session.open`). Those of the key that are
   * oldest end, so that it has at most `most`; two that open at the same time may make it one more until the next one.
   */
  open(session: KeptSession & { readonly member: string }, most: number): Promise<void>;
  /** Undefined for one that was never opened, has ended, or was closed. */
  find(hash: string, now: number): Promise<KeptSession | undefined>;
  /** Closes one, if it is there. */
  close(hash: string): Promise<void>;
}
