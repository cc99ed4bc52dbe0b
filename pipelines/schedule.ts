import { pause } from '../src/base/back-off.ts';
import { engineBackOffMs, isTransientFault } from '../src/crawl/transient.ts';
import { RegistryError } from '../src/errors.ts';
import { reportTransient } from '../src/ops/engine-metrics.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import { newTraceId } from '../src/ops/trace.ts';
import type { Clock } from '../src/ports/clock.ts';
import { JOB_KINDS, type JobKind, type JobQueue, type NewJob } from '../src/ports/job-queue.ts';
import type { Records } from '../src/ports/records.ts';

/** `always`: whenever there is something to do. Otherwise at the times of a cron expression, or not at all. */
export type When = 'always' | 'off' | { readonly cron: string };
export type Timetable = Readonly<Record<JobKind, When>>;

export interface ScheduleContext {
  readonly queue: JobQueue;
  readonly records: Pick<Records, 'sources' | 'runs'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly timetable: Timetable;
  /** Jobs of each kind that are kept waiting, at most. */
  readonly ahead: number;
}

/** Between two passes over what is due, milliseconds. */
const PASS_MS = 1_000;
/**
 * Tests that are kept waiting, at most: they take long, and what somebody asks for waits on the queue behind those that
 * are there already.
 */
const TESTS_AHEAD = 100;

/**
 * Puts what is due on the queue until the signal, once each however many do it, oldest first, and never more than the
 * workers come to soon: the records are the list of work, the queue its first page. A database that is away is waited
 * for.
 */
export async function schedule(context: ScheduleContext): Promise<void> {
  const { signal, metrics, log } = context;
  const onTransient = reportTransient(log, metrics);
  const open = new Map<JobKind, Opened>();
  const prepared = new Set<JobKind>();
  for (let failures = 0; !signal.aborted; ) {
    try {
      for (const kind of JOB_KINDS)
        if (!prepared.has(kind)) {
          await prepare(kind, context, open);
          prepared.add(kind);
        }
      for (const [kind, { onDone }] of open)
        if (!signal.aborted && (await fill(kind, context))) {
          open.delete(kind);
          onDone();
        }
      metrics.schedulePass('ok');
      failures = 0;
    } catch (error) {
      if (!isTransientFault(error)) throw error;
      failures += 1;
      metrics.schedulePass('error');
      onTransient(error);
    }
    await pause(Math.max(PASS_MS, engineBackOffMs(failures)), signal);
  }
}

/** A kind for which there is something to do. */
interface Opened {
  /** All that was due is on the queue. */
  readonly onDone: () => void;
}

/**
 * A kind at its times is opened by one process among all, and closed when all that was due is on the queue. The tick lasts
 * as long: when this process ends before, by a signal or a kill, the queue gives the tick to another one, which goes on.
 */
async function prepare(
  kind: JobKind,
  { queue, timetable, log, signal }: ScheduleContext,
  open: Map<JobKind, Opened>,
): Promise<void> {
  const when = timetable[kind];
  if (when === 'always') open.set(kind, { onDone: () => {} });
  if (typeof when === 'string') return queue.never(kind);
  await queue.every(kind, when.cron, async () => {
    log.info({ kind, cron: when.cron }, 'due');
    const all = Promise.withResolvers<void>();
    const leave = () => all.reject(leftToOthers(kind));
    open.set(kind, { onDone: all.resolve });
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    await all.promise.finally(() => signal.removeEventListener('abort', leave));
  });
}

function leftToOthers(kind: JobKind): RegistryError {
  return new RegistryError('interrupted', `stopped before all due work of kind '${kind}' was queued`, {
    hint: 'another scheduler continues, or this one when it runs again',
    retryable: true,
  });
}

/** Puts on the queue what there is room for. Resolves true when that was all there is, and it is not done always. */
async function fill(kind: JobKind, context: ScheduleContext): Promise<boolean> {
  const { queue, metrics, timetable } = context;
  const ahead = aheadOf(kind, context);
  const { waiting } = await queue.depth(kind);
  if (waiting > ahead / 2) return false;
  const jobs = await jobsOf(kind, ahead, context);
  const added = await queue.add(kind, jobs);
  if (added > 0) metrics.jobsAdded(kind, added);
  return timetable[kind] !== 'always' && jobs.length < ahead;
}

/** What a kind has to do now: a pipeline that runs as a whole has one job, named after it. */
async function jobsOf(
  kind: JobKind,
  ahead: number,
  { records, clock }: ScheduleContext,
): Promise<readonly NewJob[]> {
  if (kind === 'index' || kind === 'prune') return [{ key: kind, traceId: newTraceId() }];
  if (kind === 'heartbeat') {
    const due = await records.runs.due(ahead, clock.now());
    return due.map(({ key }) => ({ key, traceId: newTraceId() }));
  }
  const due = await records.sources.due(kind === 'crawl' ? 'domain' : 'agent', ahead, clock.now());
  return due.map(({ key, trace }) => ({ key, traceId: trace ?? newTraceId() }));
}

function aheadOf(kind: JobKind, { ahead }: ScheduleContext): number {
  return kind === 'heartbeat' ? Math.min(ahead, TESTS_AHEAD) : ahead;
}
