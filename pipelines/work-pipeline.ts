import { pause } from '../src/base/back-off.ts';
import { type Indexer, stitchAndIndex } from '../src/indexing/stitch-and-index.ts';
import { reportTransient } from '../src/ops/engine-metrics.ts';
import { engineBackOffMs, isTransientFault } from '../src/pipeline/transient.ts';
import type { Job, JobQueue } from '../src/ports/job-queue.ts';
import type { VisitContext } from './crawl-context.ts';
import { pruneAndMove } from './prune.ts';
import { reportJobs } from './work-jobs.ts';

/** Between two polls of the queue, milliseconds. */
const POLL_MS = 1_000;

/** The queue, and what the pipelines need. */
export interface PipelineJobs {
  readonly queue: JobQueue;
  readonly visits: Pick<VisitContext, 'records' | 'clock' | 'log' | 'metrics' | 'signal'>;
}

/**
 * Runs a pipeline as a whole whenever the queue has its job, one after the other, until the signal. A run that fails is
 * told, put back and tried again later: it ends nothing else.
 */
export async function workPipeline(
  kind: 'index' | 'prune',
  context: PipelineJobs,
  indexer?: Indexer,
): Promise<void> {
  const { queue, visits } = context;
  const { signal, metrics, log } = visits;
  const { onEnd, onTake } = reportJobs(kind, metrics);
  const onTransient = reportTransient(log, metrics);
  metrics.workerSlots(kind, 1, 0);
  for (let failures = 0; !signal.aborted; ) {
    let job: Job | undefined;
    try {
      [job] = await queue.take(kind, 1);
      onTake(1, job === undefined ? 0 : 1);
      if (job !== undefined) {
        await runOne(kind, job, context, indexer);
        await queue.done(kind, [job.id]);
        onEnd('done');
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      if (job === undefined) onTake(1, 'failed');
      else await queue.putBack(kind, [job.id]).then(() => onEnd('failed'), onTransient);
      if (isTransientFault(error)) onTransient(error);
      else log.error({ err: error, kind }, 'a pipeline failed by a fault of ours: tried again later');
    }
    await pause(Math.max(POLL_MS, engineBackOffMs(failures)), signal);
  }
}

async function runOne(
  kind: 'index' | 'prune',
  { traceId }: Job,
  { visits }: PipelineJobs,
  indexer: Indexer | undefined,
): Promise<void> {
  const { metrics, records, clock } = visits;
  const log = visits.log.child({ trace_id: traceId });
  const settled = Math.min(clock.now(), clock.settled?.() ?? clock.now());
  metrics.workerSlots(kind, 1, 1);
  try {
    if (kind === 'prune') {
      const { counts, moved, fault } = await pruneAndMove(records, clock, settled);
      log.info({ ...counts, ...(moved && { moved }) }, 'history past its time was deleted');
      if (fault !== undefined)
        log.warn({ err: fault }, 'bodies stay in the records until their store can be used');
    } else if (indexer !== undefined)
      log.debug({ documents: await stitchAndIndex(indexer) }, 'stitched and indexed');
  } finally {
    metrics.workerSlots(kind, 1, 0);
  }
}
