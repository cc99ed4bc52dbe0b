import { reportTransient } from '../src/ops/engine-metrics.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { DomainClaims } from '../src/pipeline/domain-claims.ts';
import type { SiteWork } from '../src/pipeline/domain-queues.ts';
import { createJobSource, type JobEnd, type JobSource, type Leasing } from '../src/pipeline/job-source.ts';
import { isTransientFault } from '../src/pipeline/transient.ts';
import { runInBulk } from '../src/pipeline/work-queue.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { JobKind, JobQueue } from '../src/ports/job-queue.ts';

/** How jobs of one kind are done. */
export interface WorkKind<W extends SiteWork> {
  readonly kind: JobKind;
  readonly leasing: Leasing<W>;
  /** Until when the work is ours, epoch milliseconds. */
  readonly until: (work: W) => number;
  /** Does it; `onLost` hears when it came too late to be stored. */
  readonly handle: (work: W, leaveDomain: () => void, onLost: () => void) => Promise<unknown>;
  readonly concurrency: number;
  /** For one piece of work, milliseconds. */
  readonly deadlineMs: number;
  readonly ofOneDomain?: number;
}

export interface WorkParts {
  readonly queue: JobQueue;
  readonly claims: DomainClaims;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** How long this process may be silent before its work is another's, milliseconds. */
  readonly timeoutMs: number;
}

/** How often a worker with free slots looks whether it may ask again. */
const POLL_MS = 250;

/** Does jobs of one kind, each under its lease and a claim on its domain, until the signal. */
export async function workJobs<W extends SiteWork>(does: WorkKind<W>, parts: WorkParts): Promise<void> {
  const { kind, leasing, concurrency, deadlineMs, ofOneDomain } = does;
  const { queue, claims, timeoutMs, signal, log, metrics } = parts;
  const source = createJobSource({
    ...{ queue, kind, leasing, claims, deadlineMs, slackMs: timeoutMs },
    ...(ofOneDomain !== undefined && { ofOneDomain }),
    onFault: reportTransient(log, metrics),
    ...reportJobs(kind, metrics),
  });
  const handle = handler(does, parts, source);
  const { take, giveBack } = source;
  try {
    const patient = kind !== 'heartbeat'; // a test is the work of minutes, and its agent agreed
    const bulk = { take, giveBack, handle, concurrency, patient, batch: concurrency, signal };
    await runInBulk({ ...bulk, pollMs: POLL_MS });
  } finally {
    await source.close();
    await claims.flush();
  }
}

/** One piece of work of a job, and what became of it. */
function handler<W extends SiteWork>(does: WorkKind<W>, parts: WorkParts, source: JobSource<W>) {
  const { kind, concurrency } = does;
  const { clock, signal, log, metrics } = parts;
  const onFault = reportTransient(log, metrics);
  let busy = 0;
  const count = (change: 1 | -1 | 0) => {
    busy += change;
    metrics.workerSlots(kind, concurrency, busy);
  };
  count(0);
  return async (work: W, leaveDomain: () => void): Promise<boolean> => {
    // a process that was frozen wakes up with work in hand that is others' by now: nobody is asked for it
    if (does.until(work) <= clock.now()) {
      source.ended(work, 'lost');
      return false;
    }
    count(1);
    let isLost = false;
    try {
      await does.handle(work, leaveDomain, () => {
        isLost = true;
      });
      source.ended(work, isLost ? 'lost' : signal.aborted ? 'returned' : 'done');
    } catch (fault) {
      source.ended(work, 'failed');
      if (!isTransientFault(fault)) throw fault;
      onFault(fault); // nothing was stored: the lease runs out, and another look is taken then
    } finally {
      count(-1);
    }
    return false; // what it found is due, and comes by the queue
  };
}

/** What jobs of a kind come to, as metrics. */
export function reportJobs(kind: JobKind, metrics: Metrics) {
  return {
    onTake: (wanted: number, got: number | 'failed') => metrics.jobTake(kind, wanted, got),
    onEnd(end: JobEnd) {
      if (end === 'failed' || end === 'returned') metrics.jobRetries(kind, 1);
      if (end !== 'returned') metrics.jobs(kind, end, 1);
    },
  };
}
