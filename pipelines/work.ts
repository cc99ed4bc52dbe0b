import { pause } from '../src/base/back-off.ts';
import { claimedWork } from '../src/crawl/claimed-work.ts';
import { startCrawler } from '../src/crawl/crawler.ts';
import { DomainClaims, reportPauses } from '../src/crawl/domain-claims.ts';
import { type JobEnd, Jobs, type Leasing } from '../src/crawl/jobs.ts';
import { domainOfWork, type SiteWork, TakenWork } from '../src/crawl/taken-work.ts';
import { engineBackOffMs, isTransientFault } from '../src/crawl/transient.ts';
import { WorkPool } from '../src/crawl/work-pool.ts';
import type { VisitKind, VisitWork } from '../src/domain/source.ts';
import { type Indexer, stitchAndIndex } from '../src/index/generations/stitch-and-index.ts';
import { reportTransient } from '../src/ops/engine-metrics.ts';
import type { Job, JobKind, JobQueue } from '../src/ports/job-queue.ts';
import { probeVisit } from './agents.ts';
import { type RunJob, testAgent } from './compliance.ts';
import type { VisitContext } from './crawl-context.ts';
import { pruneAndMove } from './prune.ts';
import type { RunContext } from './run-context.ts';
import { sweepAlways } from './sweep.ts';
import { visitDomain } from './visit-domain.ts';

export interface WorkContext {
  readonly queue: JobQueue;
  readonly kinds: readonly JobKind[];
  /** Names this process among all that share the records. */
  readonly holder: string;
  readonly visits: VisitContext;
  /** How long this process may be silent before its work is another's, milliseconds. */
  readonly timeoutMs: number;
  /** For jobs of the kind `heartbeat`; without it none are done. */
  readonly runs?: RunContext;
  /** For jobs of the kind `index`. */
  readonly indexer?: Indexer;
}

/** Between two visits of a registrable domain by different processes, at least, milliseconds. */
const PAUSE_MS = 1_000;
/** How often a worker with free slots looks for jobs. */
const POLL_MS = 250;
/** The same for pipelines that run as a whole. */
const PIPELINE_POLL_MS = 1_000;
/** A lease lasts for a piece of work and the one before it in the same slot. */
const WORKS_IN_A_LEASE = 2;

/**
 * Does jobs of these kinds until the signal: the very visits of a crawl, with work that comes from the queue. An engine
 * that is away, frozen or full is waited for; rejects only with what no waiting heals. After the signal nothing new is
 * begun, and what is under way is given back.
 */
export async function work(context: WorkContext): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.visits.signal, failed.signal]);
  const { records, clock, log, metrics } = context.visits;
  const onFault = reportTransient(log, metrics);
  const { politeness } = records;
  const claims = new DomainClaims({ politeness, holder: context.holder, clock, pauseMs: PAUSE_MS, onFault });
  const fetcher = reportPauses(context.visits.fetcher, claims);
  const parts: WorkParts = { ...context, claims, visits: { ...context.visits, fetcher, signal } };
  const does: Readonly<Record<JobKind, () => Promise<void>>> = {
    crawl: () => crawlDomains(parts),
    probe: () => probeAgents(parts),
    heartbeat: () => testAgents(parts),
    index: () => runPipeline('index', parts),
    prune: () => runPipeline('prune', parts),
  };
  const ended = await Promise.allSettled(
    context.kinds.map((kind) =>
      does[kind]().catch((fault) => {
        failed.abort(); // the other kinds stop as cleanly as at a signal
        throw fault;
      }),
    ),
  );
  await claims.flush();
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

interface WorkParts extends WorkContext {
  readonly claims: DomainClaims;
}

/** Visits domains, as many at once as the pool of the crawler finds good. */
async function crawlDomains(parts: WorkParts): Promise<void> {
  const { concurrency, visitDeadlineMs } = parts.visits.limits;
  const jobs = jobsOf(parts, { kind: 'crawl', concurrency, deadlineMs: visitDeadlineMs }, (leaseMs) =>
    leasingOf('domain', parts.visits, leaseMs),
  );
  const { log, signal } = parts.visits;
  const crawler = startCrawler<VisitWork>({
    taken: jobs.taken,
    concurrency,
    signal,
    log,
    visit: (work, visitSignal) =>
      jobs.do(work, untilOf(work), (onLost, leaveDomain) =>
        visitDomain(work, { ...parts.visits, signal: visitSignal, onLost }, leaveDomain),
      ),
  });
  await crawler.ended;
}

async function probeAgents(parts: WorkParts): Promise<void> {
  const { probeConcurrency: concurrency, probeDeadlineMs: deadlineMs } = parts.visits.limits;
  const jobs = jobsOf(parts, { kind: 'probe', concurrency, deadlineMs }, (leaseMs) =>
    leasingOf('agent', parts.visits, leaseMs),
  );
  await poll(jobs.taken, concurrency, parts.visits.signal, (work) =>
    jobs.do(work, untilOf(work), (onLost) => probeVisit(work, { ...parts.visits, onLost })),
  );
}

/** Tests agents, and does what is done beside that. */
async function testAgents(parts: WorkParts): Promise<void> {
  const { runs, claims, holder } = parts;
  if (runs === undefined) return;
  const failed = new AbortController();
  const signal = AbortSignal.any([parts.visits.signal, failed.signal]);
  const context = { ...runs, signal, fetcher: reportPauses(runs.fetcher, claims) };
  const { concurrency, deadlineMs } = runs.limits;
  const { records, clock } = runs;
  const jobs = jobsOf<RunJob>(parts, { kind: 'heartbeat', concurrency, deadlineMs }, (leaseMs) => ({
    take: (keys) => records.runs.takeKeys(keys, clock.now(), leaseMs, holder),
    release: (works) => records.runs.release(works.map(({ lease }) => lease)),
  }));
  const sweeping = sweepAlways(context);
  try {
    await poll(jobs.taken, concurrency, signal, (work) =>
      jobs.do(work, work.lease.until, (onLost) => testAgent(work, { ...context, onLost })),
    );
  } finally {
    failed.abort();
    await sweeping;
  }
}

function leasingOf(kind: VisitKind, { records, clock }: VisitContext, leaseMs: number): Leasing<VisitWork> {
  const { sources } = records;
  return {
    take: (keys) => sources.takeKeys(kind, keys, clock.now(), leaseMs),
    release: (works) => sources.release(works.flatMap((work) => work.sources.map((source) => source.lease))),
  };
}

function untilOf({ sources }: VisitWork): number {
  return Math.max(0, ...sources.map(({ lease }) => lease.until));
}

interface KindOfJob {
  readonly kind: JobKind;
  readonly concurrency: number;
  /** For one piece of work, milliseconds. */
  readonly deadlineMs: number;
}

/** The work of one kind of jobs, each under its lease and a claim on its domain. */
function jobsOf<W extends SiteWork>(
  { queue, claims, timeoutMs, visits }: WorkParts,
  { kind, concurrency, deadlineMs }: KindOfJob,
  leasing: (leaseMs: number) => Leasing<W>,
) {
  const { clock, log, metrics, signal } = visits;
  const leaseMs = timeoutMs + WORKS_IN_A_LEASE * deadlineMs;
  const onFault = reportTransient(log, metrics);
  const jobs = new Jobs<W>({
    queue,
    kind,
    onFault,
    leasing: leasing(leaseMs),
    onTake: (wanted, got) => metrics.jobTake(kind, wanted, got),
    onEnd: (end) => countEnd(end, kind, metrics),
  });
  const take = claimedWork<W>({
    claims,
    leaseMs,
    take: (limit, busy) => jobs.take(limit, busy),
    release: (works) => jobs.release(works, 'busy'),
  });
  const taken = new TakenWork<W>({
    async take(limit, busy) {
      try {
        return await take(limit, busy);
      } catch (error) {
        jobs.fault(error);
        return [];
      }
    },
    async release(works) {
      for (const work of works) claims.leave(domainOfWork(work), false);
      await jobs.release(works, 'returned');
    },
    concurrency,
    batch: concurrency,
  });
  let busy = 0;
  const count = (change: 1 | -1 | 0) => {
    busy += change;
    metrics.workerSlots(kind, concurrency, busy);
  };
  count(0);
  return {
    taken,
    /** Does one piece of work. Rejects with a fault that no waiting heals. */
    async do(
      work: W,
      until: number,
      handle: (onLost: () => void, leaveDomain: () => void) => Promise<unknown>,
    ): Promise<void> {
      let end: JobEnd = 'done';
      count(1);
      try {
        // a process that was frozen wakes up with work in hand that is others' by now
        if (until <= clock.now()) end = 'lost';
        else
          await handle(
            () => {
              end = 'lost';
            },
            () => taken.end(work),
          );
        if (end === 'done' && signal.aborted) end = 'returned';
      } catch (fault) {
        end = 'failed'; // nothing was stored: the lease runs out, and another look is taken then
        jobs.fault(fault);
      } finally {
        count(-1);
        claims.leave(domainOfWork(work), true);
        await jobs.ended([work], end);
      }
    },
  };
}

/** Does work as it comes, until the signal. */
async function poll<W extends SiteWork>(
  taken: TakenWork<W>,
  concurrency: number,
  signal: AbortSignal,
  handle: (work: W) => Promise<void>,
): Promise<void> {
  const pool = new WorkPool({ taken, concurrency, signal, handle });
  try {
    await pool.poll(POLL_MS);
    await pool.idle();
  } finally {
    await taken.close();
  }
}

function countEnd(end: JobEnd, kind: JobKind, metrics: VisitContext['metrics']): void {
  if (end === 'failed' || end === 'returned') metrics.jobRetries(kind, 1);
  if (end !== 'returned') metrics.jobs(kind, end, 1);
}

/**
 * Runs a pipeline as a whole whenever the queue has its job, until the signal. A run that fails is reported, put back and
 * tried again later: it ends nothing else.
 */
async function runPipeline(kind: 'index' | 'prune', parts: WorkParts): Promise<void> {
  const { queue, visits, indexer } = parts;
  const { signal, metrics, log } = visits;
  const onTransient = reportTransient(log, metrics);
  metrics.workerSlots(kind, 1, 0);
  for (let failures = 0; !signal.aborted; ) {
    let job: Job | undefined;
    try {
      [job] = await queue.take(kind, 1);
      metrics.jobTake(kind, 1, job === undefined ? 0 : 1);
      if (job !== undefined) {
        metrics.workerSlots(kind, 1, 1);
        await (kind === 'prune' ? pruneOnce(job, visits) : indexOnce(job, visits, indexer));
        await queue.done(kind, [job.id]);
        countEnd('done', kind, metrics);
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      if (job === undefined) metrics.jobTake(kind, 1, 'failed');
      else await queue.putBack(kind, [job.id]).then(() => countEnd('failed', kind, metrics), onTransient);
      if (isTransientFault(error)) onTransient(error);
      else log.error({ err: error, kind }, 'pipeline failed with an internal error: it will be retried');
    } finally {
      metrics.workerSlots(kind, 1, 0);
    }
    await pause(Math.max(PIPELINE_POLL_MS, engineBackOffMs(failures)), signal);
  }
}

async function pruneOnce({ traceId }: Job, { records, clock, log }: VisitContext): Promise<void> {
  const told = log.child({ trace_id: traceId });
  const settled = Math.min(clock.now(), clock.settled?.() ?? clock.now());
  const { counts, moved, fault } = await pruneAndMove(records, clock, settled);
  told.info({ ...counts, ...(moved && { moved }) }, 'expired history deleted');
  if (fault !== undefined)
    told.warn({ err: fault }, 'file bodies stay in the records until their store is available');
}

async function indexOnce({ traceId }: Job, { log }: VisitContext, indexer?: Indexer): Promise<void> {
  if (indexer === undefined) return;
  log
    .child({ trace_id: traceId })
    .debug({ documents: await stitchAndIndex(indexer) }, 'agents stitched and indexed');
}
