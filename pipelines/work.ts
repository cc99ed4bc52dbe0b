import type { VisitKind, VisitWork } from '../src/domain/source.ts';
import type { Indexer } from '../src/indexing/stitch-and-index.ts';
import { reportTransient } from '../src/ops/engine-metrics.ts';
import { DomainClaims, reportPauses } from '../src/pipeline/domain-claims.ts';
import type { JobKind, JobQueue } from '../src/ports/job-queue.ts';
import { probeVisit } from './agents.ts';
import { type RunJob, testAgent } from './compliance.ts';
import type { VisitContext } from './crawl-context.ts';
import type { RunContext } from './run-context.ts';
import { sweepAlways } from './sweep.ts';
import { visitDomain } from './visit-domain.ts';
import { type WorkKind, type WorkParts, workJobs } from './work-jobs.ts';
import { workPipeline } from './work-pipeline.ts';

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
  const onFault = reportTransient(log, metrics);
  const claims = new DomainClaims({
    politeness: records.politeness,
    holder,
    clock,
    pauseMs: PAUSE_MS,
    onFault,
  });
  const { queue, timeoutMs, runs } = context;
  const parts = { queue, claims, clock, log, metrics, signal: visits.signal, timeoutMs };
  const claiming = { ...visits, fetcher: reportPauses(visits.fetcher, claims) };
  const does: Readonly<Record<JobKind, () => Promise<void>>> = {
    crawl: () => workJobs(crawling(claiming), parts),
    probe: () => workJobs(probing(claiming), parts),
    heartbeat: async () => runs && workRuns(runs, holder, parts),
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
  await claims.flush();
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

function crawling(context: VisitContext): WorkKind<VisitWork> {
  const { concurrency, visitDeadlineMs: deadlineMs } = context.limits;
  const handle: WorkKind<VisitWork>['handle'] = (work, leaveDomain, onLost) =>
    visitDomain(work, { ...context, onLost }, leaveDomain);
  return { kind: 'crawl', ...visiting('domain', context), concurrency, deadlineMs, handle };
}

function probing(context: VisitContext): WorkKind<VisitWork> {
  const { probeConcurrency: concurrency, probeDeadlineMs: deadlineMs } = context.limits;
  const handle: WorkKind<VisitWork>['handle'] = (work, _leaveDomain, onLost) =>
    probeVisit(work, { ...context, onLost });
  return { kind: 'probe', ...visiting('agent', context), concurrency, deadlineMs, handle };
}

function visiting(kind: VisitKind, { records: { sources }, clock }: VisitContext) {
  return {
    leasing: {
      take: (keys: readonly string[], leaseMs: number) => sources.takeKeys(kind, keys, clock.now(), leaseMs),
      release: (works: readonly VisitWork[]) =>
        sources.release(works.flatMap((work) => work.sources.map((source) => source.lease))),
    },
    until: ({ sources: leased }: VisitWork) => Math.max(0, ...leased.map(({ lease }) => lease.until)),
  };
}

/** Tests agents, and does what is done beside that. */
async function workRuns(runs: RunContext, holder: string, parts: WorkParts): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([parts.signal, failed.signal]);
  const context = { ...runs, signal, fetcher: reportPauses(runs.fetcher, parts.claims) };
  const sweeping = sweepAlways(context);
  try {
    await workJobs(testing(context, holder), { ...parts, signal });
  } finally {
    failed.abort();
    await sweeping;
  }
}

function testing(context: RunContext, holder: string): WorkKind<RunJob> {
  const { limits, clock } = context;
  const { runs } = context.records;
  return {
    kind: 'heartbeat',
    leasing: {
      take: (keys, leaseMs) => runs.takeKeys(keys, clock.now(), leaseMs, holder),
      release: (works) => runs.release(works.map(({ lease }) => lease)),
    },
    until: ({ lease }) => lease.until,
    handle: (work, _leaveDomain, onLost) => testAgent(work, { ...context, onLost }),
    concurrency: limits.concurrency,
    deadlineMs: limits.deadlineMs,
    ofOneDomain: 1, // a lease that outlasted ten long runs would keep a dead worker's agents from others for hours
  };
}
