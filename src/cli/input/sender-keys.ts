import { parseAgentUrl } from '../../domain/agent-url.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fetcher } from '../../ports/fetcher.ts';
import type { KeySource } from '../../signing/key-source.ts';
import { readTextFile } from './arguments.ts';

/** Who sends webhooks: a file with its public keys, or the agent whose files lead to them. */
interface Sender {
  /** A file: a JWK set. */
  readonly jwks?: string | undefined;
  readonly agent?: string | undefined;
  /** Default: on the registrable domain of the agent. */
  readonly brandJson?: string | undefined;
  readonly publisher?: readonly string[];
}

/** The keys that webhooks of a sender are verified with. Rejects with `usage` for what names none. */
export async function senderKeys(
  { jwks, agent = '', brandJson, publisher = [] }: Sender,
  fetcher: Fetcher,
  clock: Clock,
): Promise<KeySource> {
  const { composeKeyDirectory, fetchPinnedKeys } = await import('../../compose/signature-keys.ts');
  const { fixedKeys, readJwkSet } = await import('../../signing/key-source.ts');
  if (jwks !== undefined) {
    const set = readJwkSet(await readTextFile(jwks, '--jwks'));
    if (set === undefined)
      throw usage(`${jwks} is not a JWK set`, 'create one with `agent-registry keys jwks`');
    return fixedKeys(set);
  }
  if (!parseAgentUrl(agent).ok)
    throw usage('--agent is not the URL of an agent', 'write it as https://sales.agents.example/mcp');
  const { hostname } = new URL(agent);
  const brandJsonUrl = brandJson ?? `https://${registrableDomain(hostname)}/.well-known/brand.json`;
  return composeKeyDirectory(fetcher, clock).keysOf({
    url: agent,
    brandJsonUrl,
    kind: 'webhook',
    pins: await fetchPinnedKeys(fetcher, publisher, agent),
  });
}

function usage(message: string, hint: string): RegistryError {
  return new RegistryError('usage', message, { hint });
}
