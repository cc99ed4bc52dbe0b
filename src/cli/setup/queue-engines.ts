import pRetry, { type RetryContext } from 'p-retry';
import { openQueue, openRecords, openStore } from '../../compose/engines.ts';
import type { Config } from '../../config.ts';
import { isTransientFault } from '../../crawl/transient.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import type { Records } from '../../ports/records.ts';

/** What processes on many machines share. */
export interface QueueEngines {
  readonly records: Records;
  readonly queue: JobQueue;
  /** Present when it was asked for. */
  readonly index?: AgentIndex;
  close(): Promise<void>;
}

interface QueueEnginesOptions {
  readonly index: boolean;
  /** Looks at cron expressions. */
  readonly cron: boolean;
  /** Called with each failure of an engine that is away, before it is tried again. */
  readonly onFault: (error: unknown) => void;
  /** Told how many items of a bulk write into the index are sent again. */
  readonly onIndexRetried?: (items: number) => void;
}

/** A visit that is done waits for a database that is away for this part of what its lease outlasts it. */
const PATIENCE = 0.75;

/** Opens the records in PostgreSQL, the queue beside them, and the index if it is needed. */
export async function openQueueEngines(config: Config, options: QueueEnginesOptions): Promise<QueueEngines> {
  if (config.store.startsWith('sqlite:')) throw needsPostgres();
  const { onIndexRetried } = options;
  const opening = {
    create: true,
    patienceMs: config.workerTimeoutMs * PATIENCE,
    ...(onIndexRetried && { onIndexRetried }),
  };
  const open = () => (options.index ? openStore(config, opening) : recordsOnly(config, opening));
  const retry = {
    ...{ retries: Number.POSITIVE_INFINITY, maxRetryTime: opening.patienceMs },
    ...{ minTimeout: 500, maxTimeout: 30_000 },
    shouldRetry: ({ error }: RetryContext) => {
      const mayPass = isTransientFault(error);
      if (mayPass) options.onFault(error);
      return mayPass;
    },
  };
  const store = await pRetry(open, retry);
  try {
    const queue = await pRetry(() => openQueue(config, options), retry);
    return {
      ...store,
      queue,
      async close() {
        await queue.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function recordsOnly(config: Config, options: Parameters<typeof openRecords>[1]) {
  const { records } = await openRecords(config, options);
  return { records, close: () => records.close() };
}

function needsPostgres(): RegistryError {
  return new RegistryError('usage', 'the job queue requires a PostgreSQL store', {
    hint: 'set REGISTRY_STORE=postgres://…; on a single machine, run "agent-registry crawl --due" from cron instead',
  });
}
