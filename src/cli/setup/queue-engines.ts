import { pause } from '../../base/back-off.ts';
import { openQueue, openRecords, openStore } from '../../compose/engines.ts';
import type { Config } from '../../config.ts';
import { engineBackOffMs, isTransientFault } from '../../crawl/transient.ts';
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
  const patience = { forMs: opening.patienceMs, onFault: options.onFault };
  const store = await patiently(open, patience);
  try {
    const queue = await patiently(() => openQueue(config, options), patience);
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

interface Patience {
  readonly forMs: number;
  /** Hears of each failure that is waited for. */
  readonly onFault: (error: unknown) => void;
}

/** Tries again while the engine is away, as the records do by themselves. */
async function patiently<T>(open: () => Promise<T>, { forMs, onFault }: Patience): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isTransientFault(error) || performance.now() + engineBackOffMs(failures) > giveUpAt) throw error;
      onFault(error);
      await pause(engineBackOffMs(failures));
    }
  }
}

async function recordsOnly(config: Config, options: Parameters<typeof openRecords>[1]) {
  const { records } = await openRecords(config, options);
  return { records, close: () => records.close() };
}

function needsPostgres(): RegistryError {
  return new RegistryError('usage', 'a job queue for many machines needs its records in PostgreSQL', {
    hint: 'set REGISTRY_STORE=postgres://…; on one machine "agent-registry crawl --due" from cron does the same without a queue',
  });
}
