import { registrableDomain } from '../src/domain/domain-name.ts';
import type { VisitWork } from '../src/domain/source.ts';
import type { Indexer } from '../src/indexing/stitch-and-index.ts';
import { DomainTurns } from '../src/pipeline/domain-turns.ts';
import { createJobSource, type JobSource } from '../src/pipeline/job-source.ts';
import { isPassing } from '../src/pipeline/passing.ts';
import { runInBulk } from '../src/pipeline/run-in-bulk.ts';
import type { Fetcher } from '../src/ports/fetcher.ts';
import type { JobKind, JobQueue } from '../src/ports/job-queue.ts';
import { visitAgent } from './agents.ts';
import type { VisitContext } from './crawl-context.ts';
import { reportJobs, reportPassing } from './report-jobs.ts';
import { visitDomain } from './visit-domain.ts';
import { workPipeline } from './work-pipeline.ts';

export interface WorkContext {
  readonly queue: JobQueue;
  readonly kinds: readonly JobKind[];
  /** Names this process among all that share the records. */
  readonly holder: string;
  readonly visits: VisitContext;
  /** How long this process may be silent before its work is another's, milliseconds. */
  readonly timeoutMs: number;
  /** For jobs of the kind `index`. */
  readonly indexer?: Indexer;
}

/** Between two visits of a registrable domain by different processes, at least, milliseconds. */
const PAUSE_MS = 1_000;
/** How often a worker with free slots looks whether it may ask again. */
const POLL_MS = 250;

/**
 * Does jobs of these kinds until the signal: the very visits of a crawl, with work that comes from the queue. An engine
 * that is away, frozen or full is waited for; rejects only with what no waiting heals. After the signal nothing new is
 * begun, and what is under way is given back.
 */
export async function work(context: WorkContext): Promise<void> {
  const { kinds, holder, indexer } = context;
  const failed = new AbortController();
  const visits = { ...context.visits, signal: AbortSignal.any([context.visits.signal, failed.signal]) };
  const stopping = { ...context, visits };
  const { records, clock, log, metrics } = visits;
  const onFault = reportPassing(log, metrics);
  const turns = new DomainTurns({
    politeness: records.politeness,
    holder,
    clock,
    pauseMs: PAUSE_MS,
    onFault,
  });
  const does: Readonly<Record<JobKind, () => Promise<void>>> = {
    crawl: () => workVisits('crawl', stopping, turns),
    probe: () => workVisits('probe', stopping, turns),
    index: () => workPipeline('index', stopping, indexer),
    prune: () => workPipeline('prune', stopping),
  };
  const ended = await Promise.allSettled(
    kinds.map((kind) =>
      does[kind]().catch((fault) => {
        failed.abort(); // the other kinds stop as cleanly as at a signal
        throw fault;
      }),
    ),
  );
  await turns.flush();
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function workVisits(
  kind: 'crawl' | 'probe',
  { queue, visits, timeoutMs }: WorkContext,
  turns: DomainTurns,
): Promise<void> {
  const { records, clock, limits, signal, log, metrics } = visits;
  const isCrawl = kind === 'crawl';
  const concurrency = isCrawl ? limits.concurrency : limits.probeConcurrency;
  const source = createJobSource({
    ...{ queue, kind, sources: records.sources, turns, clock },
    deadlineMs: isCrawl ? limits.visitDeadlineMs : limits.probeDeadlineMs,
    slackMs: timeoutMs,
    onFault: reportPassing(log, metrics),
    ...reportJobs(kind, metrics),
  });
  const handle = visitor(kind, { ...visits, fetcher: telling(visits.fetcher, turns) }, source, concurrency);
  const { take, giveBack } = source;
  try {
    await runInBulk({ take, giveBack, handle, concurrency, batch: concurrency, pollMs: POLL_MS, signal });
  } finally {
    await source.close();
    await turns.flush();
  }
}

/** One visit of a job, and what became of it. */
function visitor(kind: 'crawl' | 'probe', context: VisitContext, source: JobSource, slots: number) {
  const { signal, log, metrics } = context;
  const lost = new Set<string>();
  const inContext = { ...context, onLost: (key: string) => void lost.add(key) };
  const onFault = reportPassing(log, metrics);
  let busy = 0;
  const count = (change: 1 | -1) => {
    busy += change;
    metrics.workerSlots(kind, slots, busy);
  };
  metrics.workerSlots(kind, slots, busy);
  return async (visit: VisitWork, leaveDomain: () => void): Promise<boolean> => {
    if (isOver(visit, context.clock.now())) {
      source.ended(visit, 'lost');
      return false;
    }
    count(1);
    try {
      if (kind === 'crawl') await visitDomain(visit, inContext, leaveDomain);
      else await visitAgent(visit, inContext);
      const isLost = lost.delete(visit.key);
      source.ended(visit, isLost ? 'lost' : signal.aborted ? 'returned' : 'done');
    } catch (fault) {
      source.ended(visit, 'failed');
      if (!isPassing(fault)) throw fault;
      onFault(fault); // nothing was stored: the lease runs out, and another look is taken then
    } finally {
      count(-1);
    }
    return false; // what it found is due, and comes by the queue
  };
}

/** A process that was frozen wakes up with visits in hand that are others' by now: nobody is asked for them. */
function isOver({ sources }: VisitWork, now: number): boolean {
  return sources.every(({ lease }) => lease.until <= now);
}

/** The same way to the network, which tells the turns for how long a site wants to be left alone. */
function telling(fetcher: Fetcher, turns: DomainTurns): Fetcher {
  return {
    ...fetcher,
    visit: (options, visit) => {
      const onLeave = (gapMs: number) => turns.pause(registrableDomain(options.host), gapMs);
      return fetcher.visit({ ...options, onLeave }, visit);
    },
  };
}
