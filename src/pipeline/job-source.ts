import { registrableDomain } from '../domain/domain-name.ts';
import type { VisitKind, VisitWork } from '../domain/source.ts';
import type { Clock } from '../ports/clock.ts';
import type { Job, JobQueue } from '../ports/job-queue.ts';
import type { BusyDomains, SourceStore } from '../ports/source-store.ts';
import type { DomainTurns } from './domain-turns.ts';
import { createJobResults } from './job-results.ts';
import { isPassing, pauseAfter } from './passing.ts';
import type { TakeWork } from './visit-feed.ts';

/** How a job of a visit ended; `returned`: put back by a stop. */
export type JobEnd = 'done' | 'not_due' | 'busy' | 'lost' | 'failed' | 'returned';

export interface JobSourceOptions {
  readonly queue: JobQueue;
  readonly kind: 'crawl' | 'probe';
  readonly sources: Pick<SourceStore, 'takeKeys' | 'release'>;
  readonly turns: DomainTurns;
  readonly clock: Clock;
  /** For one visit, milliseconds. */
  readonly deadlineMs: number;
  /** How much longer than its visits a lease lasts, milliseconds: for a wait for a slot, and an engine that is away. */
  readonly slackMs: number;
  /** Hears of an engine that did not answer; the next try comes by itself. */
  readonly onFault: (error: unknown) => void;
  readonly onTake: (wanted: number, got: number | 'failed') => void;
  readonly onEnd: (end: JobEnd) => void;
}

/** Visits that come from the job queue, each under a lease and with the turn of its registrable domain. */
export interface JobSource {
  readonly take: TakeWork;
  readonly giveBack: (works: readonly VisitWork[]) => Promise<void>;
  /** The visit is over, its commit included. */
  ended(work: VisitWork, end: 'done' | 'lost' | 'failed' | 'returned'): void;
  /** Tells the queue the last results; never rejects. */
  close(): Promise<void>;
}

/** Of one registrable domain, at once: they take turns, within one lease. */
const MAX_OF_ONE_DOMAIN = 10;
/** Between two asks of a queue that has no more than was taken. */
const REST_MS = 250;
const LONGEST_REST_MS = 1_000;
/** Full batches with nothing to visit in them, one after the other, before others get their turn. */
const MAX_ASKS = 10;

/**
 * Takes jobs and makes visits of them. A job whose domain is visited elsewhere, or whose source is not due any more, is
 * done without a visit: while it is due, the scheduler brings it again, and the oldest first.
 */
export function createJobSource(options: JobSourceOptions): JobSource {
  const { queue, kind, sources, turns, onFault, onEnd, onTake } = options;
  const results = createJobResults(options);
  const jobOf = new Map<VisitWork, Job>();
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
    if (!isPassing(error)) throw error;
    failures += 1;
    restFor(pauseAfter(failures));
    onFault(error);
  };

  async function ask(limit: number): Promise<readonly Job[]> {
    const jobs = await queue.take(kind, limit);
    onTake(limit, jobs.length);
    if (jobs.length < limit) restFor(rest);
    rest = jobs.length > 0 ? REST_MS : Math.min(rest * 2, LONGEST_REST_MS);
    return jobs;
  }

  async function take(limit: number, busy: BusyDomains): Promise<readonly VisitWork[]> {
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

  async function visitsOf(jobs: readonly Job[], busy: BusyDomains): Promise<readonly VisitWork[]> {
    if (jobs.length === 0) return [];
    const byDomain = Map.groupBy(jobs, domainOf);
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
    const longest = Math.max(0, ...free.map(([, jobs]) => Math.min(jobs.length, MAX_OF_ONE_DOMAIN)));
    const leaseMs = options.slackMs + options.deadlineMs * (longest + 1);
    const got = await turns.claim(new Set(free.map(([domain]) => domain)), leaseMs);
    try {
      const ready = free
        .filter(([domain]) => got.has(domain))
        .flatMap(([, jobs]) => jobs.slice(0, MAX_OF_ONE_DOMAIN));
      const keys = ready.map((job) => job.key);
      const works = await sources.takeKeys(visitKind(kind), keys, options.clock.now(), leaseMs);
      return hand([...byDomain.values()].flat(), new Set(keys), works);
    } finally {
      for (const domain of got) turns.leave(domain, false);
    }
  }

  /** From here on each job ends with its visit; those without one end now. */
  function hand(jobs: readonly Job[], asked: ReadonlySet<string>, works: readonly VisitWork[]): VisitWork[] {
    const byKey = new Map(jobs.map((job) => [job.key, job]));
    const handed: VisitWork[] = [];
    for (const leasedWork of works) {
      const job = byKey.get(leasedWork.key);
      if (job === undefined) continue;
      const work = { ...leasedWork, trace: leasedWork.trace ?? job.traceId }; // the visit that found it knows best
      byKey.delete(job.key);
      jobOf.set(work, job);
      turns.enter(domainOf(job));
      handed.push(work);
    }
    for (const job of byKey.values()) end(job, asked.has(job.key) ? 'not_due' : 'busy');
    return handed;
  }

  function ended(work: VisitWork, how: 'done' | 'lost' | 'failed' | 'returned'): void {
    const job = jobOf.get(work);
    if (job === undefined) return;
    jobOf.delete(work);
    turns.leave(domainOf(job), true);
    end(job, how);
  }

  return {
    take,
    async giveBack(works) {
      try {
        await sources.release(works.flatMap((work) => work.sources.map((source) => source.lease)));
      } catch (error) {
        failed(error); // the leases run out by themselves
      }
      for (const work of works) ended(work, 'returned');
    },
    ended(work, how) {
      if (how === 'failed') restFor(pauseAfter(++failures));
      ended(work, how);
    },
    close: () => results.close(),
  };
}

function visitKind(kind: 'crawl' | 'probe'): VisitKind {
  return kind === 'crawl' ? 'domain' : 'agent';
}

function domainOf({ kind, key }: Job): string {
  return registrableDomain(kind === 'probe' ? new URL(key).hostname : key);
}
