import { LRUCache } from 'lru-cache';
import { elapsedBy } from '../base/elapsed.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { TokenRenewal } from '../ports/run-credential.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { TokenExchange } from './token-exchange.ts';

/** How long a token is reused; short, so that a revoked one is dropped soon. */
const KEPT_MS = 5 * 60_000;
/** How long before its expiry a token is renewed: more than the duration of a request and the skew of clocks. */
const AHEAD_MS = 30_000;
const MAX_KEPT = 1_000;

/** A token, with its times. */
interface TakenToken extends Pick<TokenRenewal, 'renewAt' | 'endsAt'> {
  readonly token: string;
  /** As in `TokenAnswer`. */
  readonly sent: readonly string[];
}

interface KeptToken {
  /** The client that got it; a client that was stored later has another seal. */
  readonly sealed: string;
  readonly taken: TakenToken;
}

type Ask = (
  agent: string,
  sealed: string,
  client: OAuthClient,
  visit?: Parameters<TokenExchange>[1],
) => Promise<TakenToken>;

/**
 * Tokens of OAuth clients, cached in memory for a few minutes: `take` returns one, `renew` requests a new one within the
 * visit of a run. Both reject with a RegistryError `token_refused`, which repeats only the error code of the endpoint.
 */
export function createTokens(
  exchange: TokenExchange,
  clock: Clock,
): { readonly take: Ask; readonly renew: Ask } {
  const kept = new LRUCache<string, KeptToken>({ max: MAX_KEPT, perf: elapsedBy(clock), ttlResolution: 0 });
  const renew: Ask = async (agent, sealed, client, visit) => {
    kept.delete(agent);
    const answer = await exchange(client, visit);
    if (answer.failure !== undefined)
      throw new RegistryError('token_refused', answer.failure.message, {
        hint: 'the owner of the agent can see the error with POST …/oauth-client-credentials/test, and store another client',
        retryable: true,
      });
    const now = clock.now();
    const { token, expiresAt, sent } = answer;
    const times = expiresAt === undefined ? {} : { renewAt: renewalOf(expiresAt, now), endsAt: expiresAt };
    const taken = { token, sent, ...times };
    const ttl = Math.min(KEPT_MS, (times.renewAt ?? Infinity) - now);
    if (ttl > 0) kept.set(agent, { sealed, taken }, { ttl });
    return taken;
  };
  return {
    renew,
    async take(agent, sealed, client) {
      const known = kept.get(agent);
      return known?.sealed === sealed ? known.taken : renew(agent, sealed, client);
    },
  };
}

/** Halfway through its lifetime if that is short. */
function renewalOf(endsAt: number, now: number): number {
  return endsAt - Math.min(AHEAD_MS, Math.max(0, endsAt - now) / 2);
}
