import { deriveStored } from '../src/discovery/derive-facts.ts';
import type { NewVisit, VisitWork } from '../src/domain/source.ts';
import { stitchInBackground } from '../src/indexing/keep-indexed.ts';
import { reportIndexing } from '../src/ops/engine-metrics.ts';
import { createWorkQueue, runInBulk, type WorkQueue } from '../src/pipeline/work-queue.ts';
import type { BusyDomains } from '../src/ports/source-store.ts';
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
  if (run.joined) context.log.warn('another process makes this very crawl: sharing what is left of it');
  else if (run.resumed) context.log.info({ done: run.done }, 'going on with the crawl that was interrupted');
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
    const probes = probeQueue(context);
    do {
      void probes.pump(); // agents may be due when no file has changed
      await visitDomains(context, probes);
      await probes.idle();
    } while (!context.signal.aborted && (await workLeft(context)));
  } finally {
    await stitching.stop();
  }
  if (context.run !== undefined && !context.run.joined && !context.signal.aborted)
    await context.records.sources.closeRun(context.run.id, context.clock.now());
}

function visitDomains(context: CrawlContext, probes: WorkQueue): Promise<void> {
  return runInBulk({
    ...common(context, 'domain'),
    concurrency: context.limits.concurrency,
    handle: async (work, leaveDomain) => {
      const foundMore = await visitDomain(work, context, leaveDomain);
      if (foundMore) void probes.pump();
      return foundMore;
    },
  });
}

/** Work waits in the store, under lease only for as long as it may take to come to it, so that a stop has little to give back. */
function probeQueue(context: CrawlContext): WorkQueue {
  const { probeConcurrency } = context.limits;
  return createWorkQueue({
    ...common(context, 'agent'),
    concurrency: probeConcurrency,
    batch: 4 * probeConcurrency,
    handle: async (work) => {
      await probeVisit(work, context);
      return false;
    },
  });
}

function common(context: CrawlContext, kind: VisitWork['kind']) {
  return {
    take: (limit: number, busy: BusyDomains) => take(context, kind, limit, busy),
    giveBack: (works: readonly VisitWork[]) => giveBack(context, works),
    signal: context.signal,
    patient: true,
  };
}

function take(
  { records, clock, run, limits }: CrawlContext,
  kind: VisitWork['kind'],
  limit: number,
  busy?: BusyDomains,
): Promise<readonly VisitWork[]> {
  const { sources } = records;
  const deadlineMs = kind === 'domain' ? limits.visitDeadlineMs : limits.probeDeadlineMs;
  const leaseMs = Math.max(LEAST_LEASE_MS, VISITS_IN_A_LEASE * deadlineMs);
  return run
    ? sources.takeRun(run.id, kind, limit, clock.now(), leaseMs, busy)
    : sources.takeDue(kind, limit, clock.now(), leaseMs, busy);
}

function giveBack({ records }: CrawlContext, works: readonly VisitWork[]): Promise<void> {
  return records.sources.release(works.flatMap((work) => work.sources.map((source) => source.lease)));
}

/** What a probe found may be domains again; what another process holds is not ours to wait for. */
async function workLeft(context: CrawlContext): Promise<boolean> {
  for (const kind of ['domain', 'agent'] as const) {
    const works = await take(context, kind, 1);
    await giveBack(context, works);
    if (works.length > 0) return true;
  }
  return false;
}
