import type { Job, JobKind, JobQueue } from '../ports/job-queue.ts';
import type { BusyDomains } from '../ports/source-store.ts';
import type { DomainClaims } from './domain-claims.ts';
import { domainOfWork, type SiteWork } from './domain-queues.ts';
import { createJobResults } from './job-results.ts';
import { engineBackOffMs, isTransientFault } from './transient.ts';
import type { TakeWork } from './work-queue.ts';

/** How a job of a visit ended; `returned`: put back by a stop. */
export type JobEnd = 'done' | 'not_due' | 'busy' | 'lost' | 'failed' | 'returned';

/** What jobs are made work of: those that still are to be done, under leases. */
export interface Leasing<W extends SiteWork> {
  /** Those of the keys that are due and that nobody holds, in their order. */
  take(keys: readonly string[], leaseMs: number): Promise<readonly W[]>;
  release(works: readonly W[]): Promise<void>;
}

export interface JobSourceOptions<W extends SiteWork> {
  readonly queue: JobQueue;
  readonly kind: JobKind;
  readonly leasing: Leasing<W>;
  readonly claims: DomainClaims;
  /** For one visit, milliseconds. */
  readonly deadlineMs: number;
  /** Of one registrable domain, in hand at once: one after the other, within one lease. Default 10. */
  readonly ofOneDomain?: number;
  /** How much longer than its visits a lease lasts, milliseconds: for a wait for a slot, and an engine that is away. */
  readonly slackMs: number;
  /** Hears of an engine that did not answer; the next try comes by itself. */
  readonly onFault: (error: unknown) => void;
  readonly onTake: (wanted: number, got: number | 'failed') => void;
  readonly onEnd: (end: JobEnd) => void;
}

/** Visits that come from the job queue, each under a lease and a claim on its registrable domain. */
export interface JobSource<W extends SiteWork> {
  readonly take: TakeWork<W>;
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  /** The visit is over, its commit included. */
  ended(work: W, end: 'done' | 'lost' | 'failed' | 'returned'): void;
  /** Tells the queue the last results; never rejects. */
  close(): Promise<void>;
}

/** Between two asks of a queue that has no more than was taken. */
const REST_MS = 250;
const LONGEST_REST_MS = 1_000;
/** Full batches with nothing to visit in them, one after the other, before others have theirs. */
const MAX_ASKS = 10;

/**
 * Takes jobs and makes visits of them. A job whose domain is visited elsewhere, or whose source is not due any more, is
 * done without a visit: while it is due, the scheduler brings it again, and the oldest first.
 */
export function createJobSource<W extends SiteWork>(options: JobSourceOptions<W>): JobSource<W> {
  const { queue, kind, leasing, ofOneDomain = 10, claims, onFault, onEnd, onTake } = options;
  const results = createJobResults(options);
  const jobOf = new Map<W, Job>();
  let restUntil = 0;
  let rest = REST_MS;
  let failures = 0;

  const end = (job: Job, how: JobEnd) => {
    onEnd(how);
    if (how === 'failed' || how === 'returned') results.putBack(job.id);
    else results.done(job.id);
  };
  const restFor = (ms: number) => {
    restUntil = Math.max(restUntil, performance.now() + ms);
  };
  const failed = (error: unknown) => {
    if (!isTransientFault(error)) throw error;
    failures += 1;
    restFor(engineBackOffMs(failures));
    onFault(error);
  };

  async function ask(limit: number): Promise<readonly Job[]> {
    const jobs = await queue.take(kind, limit);
    onTake(limit, jobs.length);
    if (jobs.length < limit) restFor(rest);
    rest = jobs.length > 0 ? REST_MS : Math.min(rest * 2, LONGEST_REST_MS);
    return jobs;
  }

  async function take(limit: number, busy: BusyDomains): Promise<readonly W[]> {
    for (let asks = 0; asks < MAX_ASKS && performance.now() >= restUntil; asks += 1) {
      const jobs = await ask(limit).catch((error) => {
        onTake(limit, 'failed');
        failed(error);
        return [];
      });
      const works = await visitsOf(jobs, busy);
      if (works.length > 0) return works;
    }
    return [];
  }

  async function visitsOf(jobs: readonly Job[], busy: BusyDomains): Promise<readonly W[]> {
    if (jobs.length === 0) return [];
    const byDomain = Map.groupBy(jobs, domainOfWork);
    try {
      const works = await leased(byDomain, busy);
      failures = 0;
      return works;
    } catch (error) {
      for (const job of jobs) end(job, 'failed');
      failed(error);
      return [];
    }
  }

  async function leased(byDomain: ReadonlyMap<string, readonly Job[]>, busy: BusyDomains) {
    const free = [...byDomain].filter(([domain]) => !busy.has(domain));
    const longest = Math.max(0, ...free.map(([, jobs]) => Math.min(jobs.length, ofOneDomain)));
    const leaseMs = options.slackMs + options.deadlineMs * (longest + 1);
    const got = await claims.claim(new Set(free.map(([domain]) => domain)), leaseMs);
    try {
      const ready = free
        .filter(([domain]) => got.has(domain))
        .flatMap(([, jobs]) => jobs.slice(0, ofOneDomain));
      const keys = ready.map((job) => job.key);
      const works = await leasing.take(keys, leaseMs);
      return hand([...byDomain.values()].flat(), new Set(keys), works);
    } finally {
      for (const domain of got) claims.leave(domain, false);
    }
  }

  /** From here on each job ends with its visit; those without one end now. */
  function hand(jobs: readonly Job[], asked: ReadonlySet<string>, works: readonly W[]): W[] {
    const byKey = new Map(jobs.map((job) => [job.key, job]));
    const handed: W[] = [];
    for (const leasedWork of works) {
      const job = byKey.get(leasedWork.key);
      if (job === undefined) continue;
      const work = { ...leasedWork, trace: leasedWork.trace ?? job.traceId }; // the visit that found it knows best
      byKey.delete(job.key);
      jobOf.set(work, job);
      claims.enter(domainOfWork(job));
      handed.push(work);
    }
    for (const job of byKey.values()) end(job, asked.has(job.key) ? 'not_due' : 'busy');
    return handed;
  }

  function ended(work: W, how: 'done' | 'lost' | 'failed' | 'returned'): void {
    const job = jobOf.get(work);
    if (job === undefined) return;
    jobOf.delete(work);
    claims.leave(domainOfWork(job), true);
    end(job, how);
  }

  return {
    take,
    async giveBack(works) {
      try {
        await leasing.release(works);
      } catch (error) {
        failed(error); // the leases run out by themselves
      }
      for (const work of works) ended(work, 'returned');
    },
    ended(work, how) {
      if (how === 'failed') restFor(engineBackOffMs(++failures));
      ended(work, how);
    },
    close: () => results.close(),
  };
}
