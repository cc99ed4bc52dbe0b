import type { Visit } from './fetcher.ts';

/** The credential with which a run authenticates at its agent. */
export interface RunCredential {
  /** Bearer token. */
  readonly token: string;
  /** Secrets that were sent to obtain the token; always redacted. */
  readonly sent?: readonly string[];
  /** Absent: the token cannot be renewed during the run. */
  readonly renewal?: TokenRenewal;
}

/** How to renew a token. Times are epoch milliseconds, absent if the endpoint returned no expiry. */
export interface TokenRenewal {
  /** When to renew it, some time before it expires. */
  readonly renewAt?: number;
  readonly endsAt?: number;
  /**
   * Requests a token from the token endpoint of the owner, within the visit to the agent, which holds the turn of the agent's
   * domain. Rejects with a RegistryError: `token_refused`, `credential_unreadable` by a fault of ours, or as the store does.
   */
  readonly renew: (visit: Pick<Visit, 'elsewhere' | 'signal'>) => Promise<RunCredential>;
}
