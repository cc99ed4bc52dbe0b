import { openPgBossQueue, type PgBossQueueOptions } from '../adapters/queue/pg-boss-queue.ts';
import type { Config } from '../config.ts';
import type { JobQueue } from '../ports/job-queue.ts';

/** Opens the job queue, which is in the database of the records; rejects with `queue_unavailable`. */
export function openQueue(
  config: Config,
  options: Pick<PgBossQueueOptions, 'cron' | 'onFault'>,
): Promise<JobQueue> {
  const aliveSeconds = Math.ceil(config.workerTimeoutMs / 1_000);
  const superviseSeconds = Math.ceil(aliveSeconds / 4);
  return openPgBossQueue({ ...options, address: config.store, aliveSeconds, superviseSeconds });
}
