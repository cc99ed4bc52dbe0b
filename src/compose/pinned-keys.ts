import { readAdagents } from '../discovery/read-adagents.ts';
import { agentKey } from '../domain/agent-url.ts';
import type { PinnedKey } from '../domain/declaration.ts';
import { RegistryError } from '../errors.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { pinnedKeys } from '../signing/agent-keys.ts';

const MAX_BYTES = 5 * 1_024 * 1_024;
const DEADLINE_MS = 10_000;

/**
 * The keys that publishers pin for an agent in their adagents.json: they stand in the place of the agent's own for its
 * webhooks. Rejects with a RegistryError `input_invalid` for a file that cannot be had or read, since a pin that is
 * not seen must not make another key count.
 */
export async function fetchPinnedKeys(
  fetcher: Fetcher,
  publishers: readonly string[],
  agentUrl: string,
): Promise<readonly PinnedKey[]> {
  const files = await Promise.all(publishers.map((domain) => fetchDeclaration(fetcher, domain)));
  return pinnedKeys(files, agentKey(agentUrl));
}

async function fetchDeclaration(fetcher: Fetcher, domain: string) {
  const url = `https://${domain}/.well-known/adagents.json`;
  const redirects = { allow: 'same_registrable_domain', max: 3 } as const;
  const capture = await fetcher.visit({ host: domain, deadlineMs: DEADLINE_MS }, (visit) =>
    visit.get({ url, maxBytes: MAX_BYTES, redirects }),
  );
  if (!capture.ok) throw unusable(url, capture.failure.detail);
  if (capture.status !== 200) throw unusable(url, `answered http status ${capture.status}`);
  const { declaration } = readAdagents(capture.body);
  if (declaration === undefined) throw unusable(url, 'it is no valid adagents.json');
  return declaration;
}

function unusable(url: string, reason: string): RegistryError {
  return new RegistryError('input_invalid', `the pinned keys of ${url} cannot be read: ${reason}`, {
    hint: 'see what is wrong with it by `registry validate`',
  });
}
