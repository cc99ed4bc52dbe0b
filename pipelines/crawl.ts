import { startCrawler } from '../src/crawl/crawler.ts';
import { TakenWork } from '../src/crawl/taken-work.ts';
import { WorkPool } from '../src/crawl/work-pool.ts';
import { deriveStored } from '../src/discovery/derive-facts.ts';
import type { NewVisit, VisitKind, VisitWork } from '../src/domain/source.ts';
import { stitchInBackground } from '../src/index/generations/keep-indexed.ts';
import { reportIndexing } from '../src/ops/engine-metrics.ts';
import type { BusyDomains } from '../src/records/row-selection.ts';
import { probeVisit } from './agents.ts';
import type { CrawlContext } from './crawl-context.ts';
import { visitDomain } from './visit-domain.ts';

/** Between two passes of stitching while a run goes on. */
const STITCH_PAUSE_MS = 1_000;
/** A worker that died is taken over after its lease. */
const LEAST_LEASE_MS = 15 * 60_000;
/** A lease outlives so many visits in a row: those that wait for a slot, and those of one domain, one after the other. */
const VISITS_IN_A_LEASE = 20;

export interface NamedCrawl {
  readonly seeds: readonly NewVisit[];
  /** The same for the same names and depth: an unfinished run of it is gone on with. */
  readonly fingerprint: string;
  readonly maxDepth: number;
}

/** Opens the run of named domains, or the one of the same names that was interrupted. */
export async function openRun(named: NamedCrawl, context: CrawlContext): Promise<CrawlContext> {
  const { seeds, fingerprint, maxDepth } = named;
  const run = await context.records.sources.openRun({ fingerprint, seeds, now: context.clock.now() });
  if (run.joined) context.log.warn('another process is running the same crawl: sharing the remaining work');
  else if (run.resumed) context.log.info({ done: run.done }, 'resuming the interrupted crawl');
  return { ...context, run: { id: run.id, maxDepth, joined: run.joined } };
}

/**
 * Visits the domains of the context's run, or whatever is due; probes the agents that they lead to beside them, and
 * stitches behind. Ends when there is no work left, or soon after the signal: what is left is then left for the next
 * time.
 */
export async function crawl(context: CrawlContext): Promise<void> {
  const { records, index, clock, log, metrics, tracing } = context;
  const { onFault, ...reports } = reportIndexing(log, metrics);
  // without the signal: what was visited before a stop is searched after it
  const indexer = { records, index, clock, rederive: deriveStored, tracing, ...reports };
  const stitching = stitchInBackground(indexer, STITCH_PAUSE_MS, onFault);
  try {
    await visitAll(context);
  } finally {
    await stitching.stop();
  }
  if (context.run !== undefined && !context.run.joined && !context.signal.aborted)
    await context.records.sources.closeRun(context.run.id, context.clock.now());
}

/** Domains, and beside them the agents that they lead to, whose probes may lead to domains again. */
async function visitAll(context: CrawlContext): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const agents = taken(context, 'agent', context.limits.probeConcurrency);
  const probes = new WorkPool({
    taken: agents,
    concurrency: context.limits.probeConcurrency,
    signal,
    handle: (work) => probeVisit(work, context),
  });
  const stopIfFailed = () => {
    if (probes.hasFailed) failed.abort();
  };
  const domains = taken(context, 'domain', context.limits.concurrency);
  const crawler = startCrawler<VisitWork>({
    taken: domains,
    concurrency: context.limits.concurrency,
    signal,
    log: context.log,
    async visit(work, visitSignal) {
      const leaveDomain = () => domains.end(work);
      const foundMore = await visitDomain(work, { ...context, signal: visitSignal }, leaveDomain);
      if (foundMore) void probes.fill().then(stopIfFailed);
    },
    async isOver() {
      if (!probes.isIdle) return false;
      await probes.fill();
      stopIfFailed();
      return probes.isIdle;
    },
  });
  const probed = probes.idle().then(crawler.notify, () => failed.abort());
  try {
    await crawler.ended;
    await probed;
    await probes.idle();
  } catch (error) {
    failed.abort();
    await Promise.allSettled([probed, probes.idle()]);
    throw error;
  } finally {
    await agents.close();
  }
}

/** Leases only as much work as can start soon, so that a stop has little to release. */
function taken(context: CrawlContext, kind: VisitKind, concurrency: number): TakenWork<VisitWork> {
  return new TakenWork({
    take: (limit, busy) => take(context, kind, limit, busy),
    release: (works) => giveBack(context, works),
    concurrency,
    ...(kind === 'agent' && { batch: 4 * concurrency }),
  });
}

function leaseMs(deadlineMs: number): number {
  return Math.max(LEAST_LEASE_MS, VISITS_IN_A_LEASE * deadlineMs);
}

function take(
  { records, clock, run, limits }: CrawlContext,
  kind: VisitKind,
  limit: number,
  busy: BusyDomains,
): Promise<readonly VisitWork[]> {
  const { sources } = records;
  const deadlineMs = kind === 'domain' ? limits.visitDeadlineMs : limits.probeDeadlineMs;
  return run
    ? sources.takeRun(run.id, kind, limit, clock.now(), leaseMs(deadlineMs), busy)
    : sources.takeDue(kind, limit, clock.now(), leaseMs(deadlineMs), busy);
}

function giveBack({ records }: CrawlContext, works: readonly VisitWork[]): Promise<void> {
  return records.sources.release(works.flatMap((work) => work.sources.map((source) => source.lease)));
}
