import type { VisitKind } from '../domain/source.ts';
import type { Clock } from '../ports/clock.ts';
import { JOB_KINDS, type JobQueue } from '../ports/job-queue.ts';
import type { Records } from '../ports/records.ts';
import type { Metrics } from './metrics.ts';

export interface QueueLevels {
  readonly queue: Pick<JobQueue, 'depth'>;
  readonly records: Pick<Records, 'sources'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

const VISITS: readonly VisitKind[] = ['domain', 'agent'];

/** Counts what waits: jobs on the queue, and visits that are due. */
export async function countQueueLevels({ queue, records, metrics, clock }: QueueLevels): Promise<void> {
  for (const kind of JOB_KINDS) metrics.queueDepth(kind, await queue.depth(kind), clock.now());
  for (const kind of VISITS) {
    const now = clock.now();
    const [oldest] = await records.sources.due(kind, 1, now);
    metrics.oldestDue(kind, oldest === undefined ? 0 : Math.max(0, now - oldest.dueAt) / 1_000);
  }
  const due = await records.sources.countDue(clock.now());
  metrics.due('domain', due.domains);
  metrics.due('agent', due.agents);
}
