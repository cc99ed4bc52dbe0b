import { pause } from '../src/base/back-off.ts';
import { stitchInBackground } from '../src/indexing/keep-indexed.ts';
import type { Indexer } from '../src/indexing/stitch-and-index.ts';
import { reportIndexing, reportTransient } from '../src/ops/engine-metrics.ts';
import { DomainClaims, reportPauses } from '../src/pipeline/domain-claims.ts';
import { createDueWork, type DueWork } from '../src/pipeline/due-work.ts';
import { isTransientFault } from '../src/pipeline/transient.ts';
import { runInBulk } from '../src/pipeline/work-queue.ts';
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
/** A domain that somebody else has claimed is asked for again after this, milliseconds. */
const CLAIM_MS = 250;
const STITCH_PAUSE_MS = 1_000;
/** Beyond the runs: for what is kept after them while the store is away, milliseconds. */
const SLACK_MS = 60_000;

/** How long a run may be somebody's: its own deadline, that of one before it in the same slot, and some slack. */
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
  const leaseMs = runLeaseMs(limits.deadlineMs);
  const holder = shared?.holder ?? holderName();
  const onFault = reportTransient(log, metrics);
  const claims = shared && new DomainClaims({ ...shared, clock, pauseMs: 0, onFault });
  const source = createDueWork<RunJob>({
    take: (limit, busy) => records.runs.takeDue(limit, clock.now(), leaseMs, holder, busy),
    release: (works) => records.runs.release(works.map(({ lease }) => lease)),
    leaseMs,
    ...(claims && { claims }),
    ...(!once && { onFault }),
  });
  const { take, giveBack } = source;
  const fetcher = claims ? reportPauses(runs.fetcher, claims) : runs.fetcher;
  const handle = tester({ ...runs, fetcher }, source, once ? undefined : onFault);
  const bulk = { take, giveBack, handle, concurrency: limits.concurrency, batch: limits.concurrency, signal };
  try {
    if (!once) return await runInBulk({ ...bulk, pollMs: POLL_MS });
    do {
      await runInBulk(bulk);
      await claims?.flush();
      if (source.isWaiting) await pause(CLAIM_MS, signal);
    } while (source.isWaiting && !signal.aborted);
  } finally {
    await claims?.flush();
  }
}

function tester(context: RunContext, source: DueWork<RunJob>, onFault?: (error: unknown) => void) {
  return async (work: RunJob): Promise<boolean> => {
    try {
      if (work.lease.until > context.clock.now()) await testAgent(work, context);
    } catch (fault) {
      if (onFault === undefined || !isTransientFault(fault)) throw fault;
      onFault(fault); // nothing was kept: the lease runs out, and another run is made then
    } finally {
      source.ended(work);
    }
    return false;
  };
}
