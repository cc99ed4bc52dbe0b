import type { EngineLabel } from '../src/ops/engine-metrics.ts';
import type { Logger } from '../src/ops/log.ts';
import type { Metrics } from '../src/ops/metrics.ts';
import type { JobEnd } from '../src/pipeline/job-source.ts';
import { engineFault } from '../src/pipeline/transient.ts';
import type { JobKind } from '../src/ports/job-queue.ts';

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

/** Tells of an engine that did not do what it was asked and is asked again later. */
export function reportTransient(
  log: Pick<Logger, 'warn'>,
  metrics: Pick<Metrics, 'fault'>,
): (error: unknown) => void {
  return (error) => {
    const fault = engineFault(error);
    if (fault === undefined)
      return log.warn({ err: error }, 'something in the background failed: tried again later');
    const { code, message, hint } = fault;
    metrics.fault(code.split('_')[0] as EngineLabel, code);
    log.warn({ code, reason: message, hint }, 'an engine did not answer: tried again later, nothing is lost');
  };
}
