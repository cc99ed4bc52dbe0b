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

/** The count looks at all that is due: once in this time, however many ask for the metrics, milliseconds. */
const KEPT_MS = 10_000;
/** A million due domains take a second and more: a count is kept for so many times as long as it took. */
const KEPT_TIMES = 100;
/** But no longer: a clock that was set forward meanwhile seems to be a long count. */
const MOST_KEPT_MS = 600_000;
const VISITS: readonly VisitKind[] = ['domain', 'agent'];

/**
 * Counts the visits and tests that are due, for the metrics, at most every ten seconds and for a hundredth of the time. For one process of those that share
 * the records: all would say the same.
 */
export function createDueLevels(parts: DueLevels): () => Promise<void> {
  const { clock } = parts;
  let counted: { readonly at: number; readonly done: Promise<void>; keptMs: number } | undefined;
  return () => {
    const now = clock.now();
    if (counted !== undefined && Math.abs(now - counted.at) < counted.keptMs) return counted.done;
    const done = countDue(parts, now);
    const one = { at: now, done, keptMs: KEPT_MS };
    counted = one;
    done.then(
      () => {
        one.keptMs = Math.min(MOST_KEPT_MS, Math.max(KEPT_MS, (clock.now() - now) * KEPT_TIMES));
      },
      () => {
        counted = undefined;
      },
    );
    return done;
  };
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
