import { Histogram, type Registry } from 'prom-client';
import type { VisitKind } from '../domain/source.ts';
import type { JobKind, QueueDepth } from '../ports/job-queue.ts';
import { counter, gauge } from './prometheus.ts';

/**
 * How a worker finished a job. `not_due`: its source was visited meanwhile, or another worker has it. `busy`: its
 * registrable domain was visited elsewhere. `lost`: the visit came too late to be stored. `failed`: put back.
 */
const JOB_OUTCOMES = ['done', 'not_due', 'busy', 'lost', 'failed'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** The metrics of the job queue, of its scheduler and of its workers. Labels are closed lists. */
export interface QueueMetrics {
  /** What is on the queue now; `now` in epoch milliseconds. */
  queueDepth(kind: JobKind, depth: QueueDepth, now: number): void;
  /** How long the longest overdue visit has been due, seconds; 0 when none is. */
  oldestDue(kind: VisitKind, seconds: number): void;
  jobs(kind: JobKind, outcome: JobOutcome, count: number): void;
  /** Jobs that wait again: failed ones, and those that a stop gave back. */
  jobRetries(kind: JobKind, count: number): void;
  /** The queue was asked for `wanted` jobs and gave `got`; `failed` when it did not answer. */
  jobTake(kind: JobKind, wanted: number, got: number | 'failed'): void;
  jobsAdded(kind: JobKind, count: number): void;
  schedulePass(result: 'ok' | 'error'): void;
  /** How many jobs this worker may have under way, and has. */
  workerSlots(kind: JobKind, slots: number, busy: number): void;
}

/** Makes the queue's metrics in the registry of the process. */
export function queueMetrics(registry: Registry): QueueMetrics {
  return { ...queueLevels(registry), ...jobMetrics(registry), ...schedulerMetrics(registry) };
}

type Levels = 'queueDepth' | 'oldestDue' | 'workerSlots';

function queueLevels(registry: Registry): Pick<QueueMetrics, Levels> {
  const jobs = gauge(registry, 'registry_queue_jobs', 'Jobs on the queue.', ['kind', 'state']);
  const oldest = gauge(registry, 'registry_queue_oldest_seconds', 'Waiting time of the oldest waiting job.', [
    'kind',
  ]);
  const due = gauge(
    registry,
    'registry_due_oldest_seconds',
    'How long the most overdue visit has been due.',
    ['kind'],
  );
  const slots = gauge(registry, 'registry_worker_slots', 'Jobs that the worker may run at the same time.', [
    'kind',
  ]);
  const busy = gauge(registry, 'registry_worker_busy', 'Jobs that the worker is running.', ['kind']);
  return {
    queueDepth(kind, { waiting, active, oldestAt }, now) {
      jobs.set({ kind, state: 'waiting' }, waiting);
      jobs.set({ kind, state: 'active' }, active);
      oldest.set({ kind }, oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1_000);
    },
    oldestDue: (kind, seconds) => due.set({ kind }, seconds),
    workerSlots(kind, count, used) {
      slots.set({ kind }, count);
      busy.set({ kind }, used);
    },
  };
}

function jobMetrics(registry: Registry): Pick<QueueMetrics, 'jobs' | 'jobRetries' | 'jobTake'> {
  const done = counter(registry, 'registry_jobs_total', 'Jobs that the worker finished, by outcome.', [
    'kind',
    'outcome',
  ]);
  const retries = counter(registry, 'registry_job_retries_total', 'Jobs returned to the queue for a retry.', [
    'kind',
  ]);
  const takes = counter(registry, 'registry_job_takes_total', 'Requests for jobs, by result.', [
    'kind',
    'result',
  ]);
  const sizes = new Histogram({
    name: 'registry_job_batch_size',
    help: 'Jobs received per request that returned any.',
    labelNames: ['kind'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers: [registry],
  });
  return {
    jobs: (kind, outcome, count) => done.inc({ kind, outcome }, count),
    jobRetries: (kind, count) => retries.inc({ kind }, count),
    jobTake(kind, wanted, got) {
      takes.inc({ kind, result: takeResult(wanted, got) });
      if (got !== 'failed' && got > 0) sizes.observe({ kind }, got);
    },
  };
}

function takeResult(wanted: number, got: number | 'failed'): 'full' | 'part' | 'empty' | 'error' {
  if (got === 'failed') return 'error';
  if (got === 0) return 'empty';
  return got < wanted ? 'part' : 'full';
}

function schedulerMetrics(registry: Registry): Pick<QueueMetrics, 'jobsAdded' | 'schedulePass'> {
  const added = counter(
    registry,
    'registry_jobs_added_total',
    'Jobs that the scheduler added to the queue.',
    ['kind'],
  );
  const passes = counter(registry, 'registry_schedule_passes_total', 'Scheduler passes over due work.', [
    'result',
  ]);
  return {
    jobsAdded: (kind, count) => added.inc({ kind }, count),
    schedulePass: (result) => passes.inc({ result }),
  };
}
