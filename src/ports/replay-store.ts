/**
 * The nonces of messages that were accepted. Nothing is written here of a message whose signature did not hold, so
 * that nobody without a key can fill it or use up the nonce of another.
 */
export interface Nonces {
  /**
   * Whether so many nonces of a key are remembered that no more are taken. Asked before anything is computed.
   * `most`: default `NONCES_OF_ONE_KEY`.
   */
  isFull(key: string, now: number, most?: number): Promise<boolean>;
  /**
   * Remembers a nonce of a key. True the first time; false when it is remembered already, from before a restart
   * or by another process too. Of two calls at the same time one is true.
   */
  remember(nonce: SeenNonce, now: number): Promise<boolean>;
}

/** Nonces in a store of their own. */
export interface ReplayStore extends Nonces {
  close(): Promise<void>;
}

/**
 * Nonces of one key that are remembered at once: 28 messages a second for as long as each of them counts. A few more may
 * come in at the same time, and what other processes remember is counted a second later.
 */
export const NONCES_OF_ONE_KEY = 10_000;

/** Times are epoch seconds. */
export interface SeenNonce {
  /** Thumbprint of the key (RFC 7638): what two signers call their keys does not matter. */
  readonly key: string;
  readonly nonce: string;
  /** The last second in which the message could still be accepted; forgotten after that. */
  readonly until: number;
}
