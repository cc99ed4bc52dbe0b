import type { Job, JobKind, JobQueue } from '../ports/job-queue.ts';
import type { BusyDomains } from '../records/row-selection.ts';
import { domainOfWork, type SiteWork } from './taken-work.ts';
import { engineBackOffMs, isTransientFault } from './transient.ts';

/** How a job of a visit ended; `returned`: put back by a stop. */
export type JobEnd = 'done' | 'not_due' | 'busy' | 'lost' | 'failed' | 'returned';

/** Leases the work behind jobs, where it is still due. */
export interface Leasing<W extends SiteWork> {
  /** Those of the keys that are due and that nobody holds, in their order. */
  take(keys: readonly string[]): Promise<readonly W[]>;
  release(works: readonly W[]): Promise<void>;
}

export interface JobsOptions<W extends SiteWork> {
  readonly queue: JobQueue;
  readonly kind: JobKind;
  readonly leasing: Leasing<W>;
  /** Called with a fault of an engine that may pass by itself. */
  readonly onFault: (error: unknown) => void;
  readonly onTake: (wanted: number, got: number | 'failed') => void;
  readonly onEnd: (end: JobEnd) => void;
}

/** Between two asks of a queue that had nothing. */
const REST_MS = 500;

/**
 * Work whose keys the job queue delivers. A job is a hint: the records decide by lease and fence who does it. A job whose
 * work is not due any more, or whose domain is visited already, is done: while it is due, the scheduler brings it again.
 */
export class Jobs<W extends SiteWork> {
  readonly #options: JobsOptions<W>;
  readonly #jobOf = new Map<W, Job>();
  #restUntil = 0;
  #failures = 0;

  constructor(options: JobsOptions<W>) {
    this.#options = options;
  }

  /** Leases the work of at most `limit` jobs. Rejects with a fault that no waiting heals. */
  async take(limit: number, busy: BusyDomains): Promise<readonly W[]> {
    if (performance.now() < this.#restUntil) return [];
    const { queue, kind, onTake } = this.#options;
    let jobs: readonly Job[] = [];
    try {
      jobs = await queue.take(kind, limit);
      onTake(limit, jobs.length);
      if (jobs.length < limit) this.#rest(REST_MS);
      const works = await this.#lease(jobs, busy);
      this.#failures = 0;
      return works;
    } catch (error) {
      if (jobs.length === 0) onTake(limit, 'failed');
      await this.#end(jobs, 'failed');
      this.fault(error);
      return [];
    }
  }

  /** Releases work that is not done, and ends its jobs. */
  async release(works: readonly W[], how: 'busy' | 'returned'): Promise<void> {
    if (works.length === 0) return;
    await this.#options.leasing.release(works).catch((error) => this.fault(error)); // else the leases run out
    await this.ended(works, how);
  }

  /** The work is over, its commit included. Never rejects: a job that could not be ended comes back when its time is over. */
  async ended(works: readonly W[], how: JobEnd): Promise<void> {
    const jobs = works.flatMap((work) => this.#jobOf.get(work) ?? []);
    for (const work of works) this.#jobOf.delete(work);
    await this.#end(jobs, how);
  }

  /** Leaves an engine alone for a while that did not answer; throws what does not pass by itself. */
  fault(error: unknown): void {
    if (!isTransientFault(error)) throw error;
    this.#failures += 1;
    this.#rest(engineBackOffMs(this.#failures));
    this.#options.onFault(error);
  }

  async #lease(jobs: readonly Job[], busy: BusyDomains): Promise<readonly W[]> {
    if (jobs.length === 0) return [];
    const [known, free] = [
      jobs.filter((job) => busy.has(domainOfWork(job))),
      jobs.filter((job) => !busy.has(domainOfWork(job))),
    ];
    const leased = await this.#options.leasing.take(free.map(({ key }) => key));
    const byKey = new Map(free.map((job) => [job.key, job]));
    const works = leased.map((work) => {
      const job = byKey.get(work.key);
      const traced = { ...work, trace: work.trace ?? job?.traceId }; // the visit that found it knows best
      if (job !== undefined) this.#jobOf.set(traced as W, job);
      byKey.delete(work.key);
      return traced as W;
    });
    await this.#end([...byKey.values()], 'not_due');
    await this.#end(known, 'busy');
    return works;
  }

  async #end(jobs: readonly Job[], how: JobEnd): Promise<void> {
    if (jobs.length === 0) return;
    const { queue, kind, onFault, onEnd } = this.#options;
    for (const _ of jobs) onEnd(how);
    const ids = jobs.map(({ id }) => id);
    const isAgain = how === 'failed' || how === 'returned';
    await (isAgain ? queue.putBack(kind, ids) : queue.done(kind, ids)).catch(onFault);
  }

  #rest(ms: number): void {
    this.#restUntil = Math.max(this.#restUntil, performance.now() + ms);
  }
}
