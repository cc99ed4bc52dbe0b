import type { Clock } from '../ports/clock.ts';
import { JOB_KINDS, type JobQueue } from '../ports/job-queue.ts';
import type { Metrics } from './metrics.ts';

export interface QueueLevels {
  readonly queue: Pick<JobQueue, 'depth'>;
  readonly metrics: Pick<Metrics, 'queueDepth'>;
  readonly clock: Clock;
}

/** Counts the jobs that wait on the queue. */
export async function countQueueLevels({ queue, metrics, clock }: QueueLevels): Promise<void> {
  for (const kind of JOB_KINDS) metrics.queueDepth(kind, await queue.depth(kind), clock.now());
}
