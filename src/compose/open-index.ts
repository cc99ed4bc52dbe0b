import { readFile } from 'node:fs/promises';
import { createOpenSearchIndex } from '../adapters/opensearch/opensearch-index.ts';
import { type Config, indexNodes } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { systemClock } from './system-clock.ts';

/** A bulk request with its retries may take so long; after it the feed tries again. */
const BULK_DEADLINE_MS = 60_000;
/** How long a rebuild waits for the copies on other nodes before it switches. */
const REPLICAS_WAIT_MS = 120_000;

export interface IndexOptions {
  /** Told how many items of a bulk write are sent again. */
  readonly onIndexRetried?: (items: number) => void;
  /** For a command that would rather wait for an OpenSearch that starts or is busy than fail: how long, milliseconds. */
  readonly indexPatienceMs?: number;
}

/** Opens the index in the OpenSearch of the configuration; the engine need not be there yet. */
export async function openOpenSearch(
  config: Config,
  records: Records,
  { onIndexRetried, indexPatienceMs }: IndexOptions,
): Promise<AgentIndex> {
  const ca = config.indexCa === '' ? undefined : await readCertificates(config.indexCa);
  return createOpenSearchIndex({
    nodes: indexNodes(config),
    ...(ca !== undefined && { ca }),
    prefix: config.indexPrefix,
    timeoutMs: config.indexTimeoutMs,
    retries: config.indexRetries,
    shards: config.indexShards,
    replicas: config.indexReplicas,
    replicasWaitMs: REPLICAS_WAIT_MS,
    concurrency: config.indexBulkConcurrency,
    deadlineMs: BULK_DEADLINE_MS,
    recordsId: await records.id(),
    recordsEmpty: async () => (await records.agents.lastSeq()) === 0,
    clock: systemClock,
    onWarning: (message) => process.emitWarning(message),
    ...(onIndexRetried && { onRetried: onIndexRetried }),
    ...(indexPatienceMs !== undefined && { patienceMs: indexPatienceMs }),
  });
}

async function readCertificates(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new RegistryError('usage', `REGISTRY_INDEX_CA: cannot read ${path}`, {
      cause,
      hint: 'check the path and the permissions',
    });
  }
}
