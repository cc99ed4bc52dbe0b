import type { Config } from '../config.ts';
import { readAdagents } from '../discovery/read-adagents.ts';
import { readBrand } from '../discovery/read-brand.ts';
import { agentKey } from '../domain/agent-url.ts';
import type { PinnedKey } from '../domain/declaration.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import {
  type AgentSignatures,
  createKeyDirectory,
  type PublishedKeyDirectory,
  pinnedKeys,
} from '../signing/agent-keys.ts';
import { composeFetcher, type Network } from './network.ts';

const MAX_BYTES = 5 * 1_024 * 1_024;

const DEADLINE_MS = 10_000;

/** What requests of agents are verified with, and what ends it. */
interface OpenedSignatures {
  readonly signatures: AgentSignatures;
  close(): Promise<void>;
}

/**
 * Finds keys over the guarded way out. Nonces are kept in the records, so that no machine takes a request that another one
 * has taken; while the records are away, none is taken at all.
 */
export function composeAgentSignatures(
  config: Config,
  network: Network,
  { records, clock }: { readonly records: Pick<Records, 'nonces'>; readonly clock: Clock },
): OpenedSignatures {
  const fetcher = composeFetcher(config, network, clock);
  return {
    signatures: { directory: composeKeyDirectory(fetcher, clock), replays: records.nonces },
    close: () => fetcher.close(),
  };
}

/** The keys of agents, found through brand.json over the guarded way out. */
export function composeKeyDirectory(fetcher: Fetcher, clock: Clock): PublishedKeyDirectory {
  return createKeyDirectory({ fetcher, clock, readBrand: (bytes) => readBrand(bytes).declaration });
}

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
  if (capture.status !== 200) throw unusable(url, `HTTP status ${capture.status}`);
  const { declaration, findings } = readAdagents(capture.body);
  if (declaration === undefined) throw unusable(url, 'it is not a valid adagents.json');
  // an entry that counts for nothing has lost its pins too
  const lost = findings.find(
    ({ severity, pointer }) => severity === 'error' && pointer.startsWith('/authorized_agents/'),
  );
  if (lost !== undefined) throw unusable(url, `${lost.pointer}: ${lost.message}`);
  return declaration;
}

function unusable(url: string, reason: string): RegistryError {
  return new RegistryError('input_invalid', `the pinned keys of ${url} cannot be read: ${reason}`, {
    hint: 'run `agent-registry validate` to find the error',
  });
}
