import { countFault } from './count-fault.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface IndexingReports {
  readonly onFed: (fed: { readonly lag: number; readonly written: number }) => void;
  readonly onFault: (error: unknown) => void;
  readonly onPutOff: (put: {
    readonly kind: 'agent' | 'declaration';
    readonly key: string;
    readonly until: number;
    readonly error: unknown;
  }) => void;
}

/** What the background indexing tells: its lag and its writes as metrics, its faults in the log too. */
export function reportIndexing(
  log: Pick<Logger, 'warn' | 'error'>,
  metrics: Pick<Metrics, 'indexLag' | 'indexWritten' | 'fault' | 'putOff'>,
): IndexingReports {
  return {
    onFed({ lag, written }) {
      metrics.indexLag(lag);
      if (written > 0) metrics.indexWritten(written);
    },
    onPutOff({ kind, key, until, error }) {
      metrics.putOff(kind);
      const why = 'could not be stitched or derived, by a fault of ours: put off, the others go on';
      log.error({ err: error, kind, key, until: new Date(until).toISOString() }, why);
    },
    onFault(err) {
      const fault = countFault(metrics, err);
      if (fault === undefined) return log.error({ err }, 'the index was not updated');
      const { code, message, hint } = fault;
      log.warn(
        { code, reason: message, hint },
        'the index was not updated: tried again later, nothing is lost',
      );
    },
  };
}
