import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import { newTraceId } from '../src/ops/trace.ts';
import { isPassing, pauseAfter } from '../src/pipeline/passing.ts';
import { pause } from '../src/pipeline/pause.ts';
import type { Clock } from '../src/ports/clock.ts';
import { JOB_KINDS, type JobKind, type JobQueue, type NewJob } from '../src/ports/job-queue.ts';
import type { Records } from '../src/ports/records.ts';
import { reportPassing } from './report-jobs.ts';

/** `always`: whenever there is something to do. Otherwise at the times of a cron expression, or not at all. */
export type When = 'always' | 'off' | { readonly cron: string };
export type Timetable = Readonly<Record<JobKind, When>>;

export interface ScheduleContext {
  readonly queue: JobQueue;
  readonly records: Pick<Records, 'sources'>;
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
 * Puts what is due on the queue until the signal, once each however many do it, oldest first, and never more than the
 * workers come to soon: the records are the list of work, the queue its first page. A database that is away is waited
 * for.
 */
export async function schedule(context: ScheduleContext): Promise<void> {
  const { signal, metrics, log } = context;
  const onPassing = reportPassing(log, metrics);
  const open = new Set<JobKind>();
  const prepared = new Set<JobKind>();
  for (let failures = 0; !signal.aborted; ) {
    try {
      for (const kind of JOB_KINDS)
        if (!prepared.has(kind)) {
          await prepare(kind, context, open);
          prepared.add(kind);
        }
      for (const kind of open) if (!signal.aborted && (await fill(kind, context))) open.delete(kind);
      metrics.schedulePass('ok');
      failures = 0;
    } catch (error) {
      if (!isPassing(error)) throw error;
      failures += 1;
      metrics.schedulePass('error');
      onPassing(error);
    }
    await pause(Math.max(PASS_MS, pauseAfter(failures)), signal);
  }
}

/** A kind at its times is opened by one process among all, and closed when all that was due is on the queue. */
async function prepare(
  kind: JobKind,
  { queue, timetable, log }: ScheduleContext,
  open: Set<JobKind>,
): Promise<void> {
  const when = timetable[kind];
  if (when === 'always') open.add(kind);
  if (typeof when === 'string') return queue.never(kind);
  await queue.every(kind, when.cron, async () => {
    log.info({ kind, cron: when.cron }, 'its time has come');
    open.add(kind);
  });
}

/** Puts on the queue what there is room for. Resolves true when that was all there is, and it is not done always. */
async function fill(kind: JobKind, context: ScheduleContext): Promise<boolean> {
  const { queue, metrics, timetable, ahead } = context;
  const { waiting } = await queue.depth(kind);
  if (waiting > ahead / 2) return false;
  const jobs = await jobsOf(kind, context);
  const added = await queue.add(kind, jobs);
  if (added > 0) metrics.jobsAdded(kind, added);
  return timetable[kind] !== 'always' && jobs.length < ahead;
}

/** What a kind has to do now: a pipeline that runs as a whole has one job, named after it. */
async function jobsOf(kind: JobKind, { records, clock, ahead }: ScheduleContext): Promise<readonly NewJob[]> {
  if (kind === 'index' || kind === 'prune') return [{ key: kind, traceId: newTraceId() }];
  const due = await records.sources.due(kind === 'crawl' ? 'domain' : 'agent', ahead, clock.now());
  return due.map(({ key, trace }) => ({ key, traceId: trace ?? newTraceId() }));
}
