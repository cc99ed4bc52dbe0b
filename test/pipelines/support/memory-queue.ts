import { RegistryError } from '../../../src/errors.ts';
import { JOB_KINDS, type Job, type JobKind, type JobQueue } from '../../../src/ports/job-queue.ts';

/** The job queue in the memory of a test; the real one is tested in test/engines/queue. */
export interface MemoryQueue extends JobQueue {
  /** Every call rejects while this is true. */
  away: boolean;
  readonly jobs: Readonly<Record<JobKind, Map<string, { readonly job: Job; active: boolean }>>>;
  /** What became of jobs, as `kind done|putBack key`. */
  readonly told: readonly string[];
  readonly ticks: ReadonlyMap<string, { readonly cron: string; readonly tick: () => Promise<void> }>;
  waiting(kind: JobKind): readonly string[];
}

export function memoryQueue(): MemoryQueue {
  const jobs = Object.fromEntries(JOB_KINDS.map((kind) => [kind, new Map()])) as MemoryQueue['jobs'];
  const told: string[] = [];
  const ticks = new Map<string, { cron: string; tick: () => Promise<void> }>();
  let ids = 0;
  const reached = async () => {
    if (queue.away) throw new RegistryError('queue_unavailable', 'the queue is away', { retryable: true });
  };
  const entries = (kind: JobKind, ids: readonly string[]) =>
    [...jobs[kind].values()].filter(({ job }) => ids.includes(job.id));
  const queue: MemoryQueue = {
    away: false,
    jobs,
    told,
    ticks,
    waiting: (kind) => [...jobs[kind].values()].filter(({ active }) => !active).map(({ job }) => job.key),
    async add(kind, added) {
      await reached();
      const fresh = added.filter(({ key }) => !jobs[kind].has(key));
      for (const { key, traceId } of fresh)
        jobs[kind].set(key, { job: { id: String(ids++), kind, key, traceId }, active: false });
      return fresh.length;
    },
    async take(kind, limit) {
      await reached();
      const taken = [...jobs[kind].values()].filter(({ active }) => !active).slice(0, limit);
      for (const entry of taken) entry.active = true;
      return taken.map(({ job }) => job);
    },
    async done(kind, ids) {
      await reached();
      for (const { job } of entries(kind, ids)) {
        jobs[kind].delete(job.key);
        told.push(`${kind} done ${job.key}`);
      }
    },
    async putBack(kind, ids) {
      await reached();
      for (const entry of entries(kind, ids)) {
        entry.active = false;
        told.push(`${kind} putBack ${entry.job.key}`);
      }
    },
    async depth(kind) {
      await reached();
      const waiting = queue.waiting(kind).length;
      return { waiting, active: jobs[kind].size - waiting };
    },
    async every(name, cron, tick) {
      await reached();
      ticks.set(name, { cron, tick });
    },
    async never(name) {
      await reached();
      ticks.delete(name);
    },
    async close() {},
  };
  return queue;
}

/** Resolves as soon as it is so; looks each time that other work had its turn. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}
