import { openQueue, openRecords, openStore } from '../../compose.ts';
import type { Config } from '../../config.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import type { Records } from '../../ports/records.ts';

/** What processes on many machines share. */
export interface SharedEngines {
  readonly records: Records;
  readonly queue: JobQueue;
  /** Present when it was asked for. */
  readonly index?: AgentIndex;
  close(): Promise<void>;
}

export interface SharedEnginesOptions {
  readonly index: boolean;
  /** Looks at cron expressions. */
  readonly cron: boolean;
  readonly onFault: (error: unknown) => void;
}

/** A visit that is done waits for a database that is away for this part of what its lease outlasts it. */
const PATIENCE = 0.75;

/** Opens the records in PostgreSQL, the queue beside them, and the index if it is needed. */
export async function openSharedEngines(
  config: Config,
  options: SharedEnginesOptions,
): Promise<SharedEngines> {
  if (config.store.startsWith('sqlite:')) throw needsPostgres();
  const opening = { create: true, patienceMs: config.workerTimeoutMs * PATIENCE };
  const store = options.index ? await openStore(config, opening) : await recordsOnly(config, opening);
  try {
    const queue = await openQueue(config, options);
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
  return new RegistryError('usage', 'a job queue for many machines needs its records in PostgreSQL', {
    hint: 'set REGISTRY_STORE=postgres://…; on one machine "registry crawl --due" from cron does the same without a queue',
  });
}
