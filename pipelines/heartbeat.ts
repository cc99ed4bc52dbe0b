import { pause } from '../src/base/back-off.ts';
import { claimedWork } from '../src/crawl/claimed-work.ts';
import { DomainClaims, reportPauses } from '../src/crawl/domain-claims.ts';
import { domainOfWork, TakenWork, type TakenWorkOptions } from '../src/crawl/taken-work.ts';
import { engineBackOffMs, isTransientFault } from '../src/crawl/transient.ts';
import { WorkPool } from '../src/crawl/work-pool.ts';
import { stitchInBackground } from '../src/index/generations/keep-indexed.ts';
import type { Indexer } from '../src/index/generations/stitch-and-index.ts';
import { reportIndexing, reportTransient } from '../src/ops/engine-metrics.ts';
import type { Records } from '../src/ports/records.ts';
import { holderName } from '../src/this-process.ts';
import { type RunJob, testAgent } from './compliance.ts';
import type { RunContext } from './run-context.ts';
import { ageProofs, freeEnded, reconsiderDue, sweepAlways } from './sweep.ts';

export interface HeartbeatContext {
  readonly runs: RunContext;
  /** What runs changed is searched as it goes on. */
  readonly indexer: Pick<Indexer, 'records' | 'index' | 'rederive'>;
  /** Other processes use the records too: domains are claimed among them. */
  readonly shared?: { readonly holder: string; readonly politeness: Records['politeness'] };
  /** Ends when nothing is due any more. */
  readonly once: boolean;
}

/** Between two looks at what is due, milliseconds. */
const POLL_MS = 1_000;
/** Delay before a domain claimed by another process is requested again, milliseconds. */
const CLAIM_MS = 250;
const STITCH_PAUSE_MS = 1_000;
/** Extra time to store results after the runs while the store is unavailable, milliseconds. */
const SLACK_MS = 60_000;

/** Lease of a run: its own deadline, that of the run before it in the same slot, and a margin. */
function runLeaseMs(deadlineMs: number): number {
  return 2 * deadlineMs + SLACK_MS;
}

/**
 * Tests the agents whose time has come, and those that somebody asked for, on one machine without a queue; looks at badges
 * that time alone changes, and stitches behind. Until the signal, or until there is nothing left to do. After the signal
 * what is under way is given back. A store that is away is waited for, but not by a single pass.
 */
export async function heartbeat(context: HeartbeatContext): Promise<void> {
  const { once, runs, indexer } = context;
  const { clock, log, metrics, tracing, signal } = runs;
  const { onFault, ...reports } = reportIndexing(log, metrics);
  // without the signal: what was tested before a stop is searched after it
  const stitching = stitchInBackground({ ...indexer, clock, tracing, ...reports }, STITCH_PAUSE_MS, onFault);
  const failed = new AbortController();
  const stopping = { ...context, runs: { ...runs, signal: AbortSignal.any([signal, failed.signal]) } };
  const sweeping = once ? undefined : sweepAlways(stopping.runs);
  try {
    if (once) await freeEnded(stopping.runs);
    if (once) await ageProofs(stopping.runs);
    await testDue(stopping);
    if (once) await reconsiderDue(stopping.runs);
  } finally {
    failed.abort();
    await sweeping;
    await stitching.stop();
  }
}

async function testDue({ runs, shared, once }: HeartbeatContext): Promise<void> {
  const { records, clock, log, metrics, limits, signal } = runs;
  const { concurrency } = limits;
  const leaseMs = runLeaseMs(limits.deadlineMs);
  const holder = shared?.holder ?? holderName();
  const onFault = reportTransient(log, metrics);
  const claims = shared && new DomainClaims({ ...shared, clock, pauseMs: 0, onFault });
  const release = (works: readonly RunJob[]) => records.runs.release(works.map(({ lease }) => lease));
  let isWaiting = false;
  const take: TakenWorkOptions<RunJob>['take'] = (limit, busy) =>
    records.runs.takeDue(limit, clock.now(), leaseMs, holder, busy);
  const claimed = claims
    ? claimedWork({ take, claims, leaseMs, release, onMissed: () => (isWaiting = true) })
    : take;
  const patiently = once ? claimed : waitingFor(claimed, onFault);
  const taken = new TakenWork<RunJob>({
    take: patiently,
    concurrency,
    batch: concurrency,
    async release(works) {
      for (const work of works) claims?.leave(domainOfWork(work), false);
      await release(works);
    },
  });
  const fetcher = claims ? reportPauses(runs.fetcher, claims) : runs.fetcher;
  const pool = new WorkPool<RunJob>({
    taken,
    concurrency,
    signal,
    async handle(work) {
      try {
        if (work.lease.until > clock.now()) await testAgent(work, { ...runs, fetcher });
      } catch (fault) {
        if (once || !isTransientFault(fault)) throw fault;
        onFault(fault); // nothing was kept: the lease runs out, and another run is made then
      } finally {
        claims?.leave(domainOfWork(work), true);
      }
    },
  });
  try {
    if (!once) await pool.poll(POLL_MS);
    do {
      isWaiting = false;
      await pool.idle();
      await claims?.flush();
      if (isWaiting) await pause(CLAIM_MS, signal);
    } while (isWaiting && !signal.aborted);
  } finally {
    await taken.close();
    await claims?.flush();
  }
}

/** The same `take`, for which a store that is away has nothing; it is left alone for a while. */
function waitingFor(
  take: TakenWorkOptions<RunJob>['take'],
  onFault: (error: unknown) => void,
): TakenWorkOptions<RunJob>['take'] {
  let failures = 0;
  let restUntil = 0;
  return async (limit, busy) => {
    if (performance.now() < restUntil) return [];
    try {
      const works = await take(limit, busy);
      failures = 0;
      return works;
    } catch (error) {
      if (!isTransientFault(error)) throw error;
      failures += 1;
      restUntil = performance.now() + engineBackOffMs(failures);
      onFault(error);
      return [];
    }
  };
}
