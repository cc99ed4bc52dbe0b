import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { TokenExchange } from './token-exchange.ts';

/** A token is taken again for so long: whoever withdraws it is heard soon. */
const KEPT_MS = 5 * 60_000;
/** What it has to live on for, so that the usual run ends before it does. */
const LEFT_MS = 10 * 60_000;
const MAX_KEPT = 1_000;

interface KeptToken {
  /** The client by which it came: another one that is stored since has another seal. */
  readonly sealed: string;
  readonly token: string;
  readonly until: number;
}

/**
 * Tokens of OAuth clients, kept in memory for a few minutes. Rejects with a RegistryError `token_refused`, which repeats
 * nothing of the endpoint but its error code.
 */
export function createTokens(exchange: TokenExchange, clock: Clock) {
  const kept = new Map<string, KeptToken>();
  return async (agent: string, sealed: string, client: OAuthClient): Promise<string> => {
    const known = kept.get(agent);
    const now = clock.now();
    if (known?.sealed === sealed && now < known.until && known.until - now <= KEPT_MS) return known.token;
    kept.delete(agent);
    const answer = await exchange(client);
    if (answer.failure !== undefined)
      throw new RegistryError('token_refused', answer.failure.message, {
        hint: 'the owner of the agent can ask POST …/oauth-client-credentials/test for more, and store another client',
        retryable: true,
      });
    const { token, expiresAt = Infinity } = answer;
    const until = Math.min(now + KEPT_MS, expiresAt - LEFT_MS);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    if (until > now) kept.set(agent, { sealed, token, until });
    return token;
  };
}
