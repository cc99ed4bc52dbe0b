import { keep } from '../base/kept.ts';
import type { VisitKind } from '../domain/source.ts';
import type { Clock } from '../ports/clock.ts';
import { JOB_KINDS, type JobQueue } from '../ports/job-queue.ts';
import type { Records } from '../ports/records.ts';
import type { Metrics } from './metrics.ts';

export interface DueLevels {
  readonly records: Pick<Records, 'sources' | 'runs'>;
  readonly metrics: Pick<Metrics, 'due' | 'oldestDue' | 'runsDue'>;
  readonly clock: Clock;
}

/** A million due domains take a second and more: the count takes about a hundredth of the time. */
const KEPT_TIMES = 100;
/** It looks at all that is due: once in this time, however many ask for the metrics, milliseconds. */
const LEAST_KEPT_MS = 10_000;
/** Alarms go by it, so it is kept no longer, though a slow count then takes more of the time. */
const MOST_KEPT_MS = 600_000;
const VISITS: readonly VisitKind[] = ['domain', 'agent'];

/**
 * Counts the visits and tests that are due, for the metrics, as often as that is worth it. For one process of those that
 * share the records: all would say the same. Whoever asks meanwhile waits for the count that is under way.
 */
export function createDueLevels(parts: DueLevels): () => Promise<void> {
  return keep((now) => countDue(parts, now), {
    clock: parts.clock,
    times: KEPT_TIMES,
    leastMs: LEAST_KEPT_MS,
    mostMs: MOST_KEPT_MS,
  }).newest;
}

async function countDue({ records, metrics }: DueLevels, now: number): Promise<void> {
  for (const kind of VISITS) {
    const [oldest] = await records.sources.due(kind, 1, now);
    metrics.oldestDue(kind, oldest === undefined ? 0 : Math.max(0, now - oldest.dueAt) / 1_000);
  }
  const due = await records.sources.countDue(now);
  metrics.due('domain', due.domains);
  metrics.due('agent', due.agents);
  metrics.runsDue(await records.runs.countDue(now), now);
}

export interface QueueLevels {
  readonly queue: Pick<JobQueue, 'depth'>;
  readonly metrics: Pick<Metrics, 'queueDepth'>;
  readonly clock: Clock;
}

/** Counts the jobs that wait on the queue. */
export async function countQueueLevels({ queue, metrics, clock }: QueueLevels): Promise<void> {
  for (const kind of JOB_KINDS) metrics.queueDepth(kind, await queue.depth(kind), clock.now());
}
