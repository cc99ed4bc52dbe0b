import type { Visit } from './fetcher.ts';

/** What a run authenticates with at its agent. */
export interface RunCredential {
  /** Bearer token. */
  readonly token: string;
  /** What was sent for the token, to whoever gave it, and nobody may see. */
  readonly sent?: readonly string[];
  /** Absent: no other is to be had while the run goes on. */
  readonly renewal?: TokenRenewal;
}

/** How a token is followed by the next one. Times are epoch milliseconds, absent where the endpoint named no end. */
export interface TokenRenewal {
  /** From then on another is wanted: some time before this one ends. */
  readonly renewAt?: number;
  readonly endsAt?: number;
  /**
   * Asks the owner's token endpoint within the visit to the agent, which holds the turn of the agent's domain. Rejects with
   * a RegistryError: `token_refused`, `credential_unreadable` by a fault of ours, or as the store does.
   */
  readonly renew: (visit: Pick<Visit, 'elsewhere' | 'signal'>) => Promise<RunCredential>;
}
