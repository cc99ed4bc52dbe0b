import type { Registry } from 'prom-client';
import { engineFault, RegistryError, type RegistryErrorCode } from '../errors.ts';
import type { Logger } from './log.ts';
import { counter, gauge } from './prometheus.ts';

/** Engine names, as label values. */
const ENGINE_LABELS = ['store', 'index', 'queue'] as const;
export type EngineLabel = (typeof ENGINE_LABELS)[number];

/** The metrics of the engines and of what is written into the index. Labels are closed lists. */
export interface EngineMetrics {
  /** Documents (or drops) written into generations of the index. */
  indexWritten(count: number): void;
  /** How many changes of the change log the live generation has not got yet. */
  indexLag(changes: number): void;
  /** Items of a bulk write that were refused and are sent again. */
  indexRetried(count: number): void;
  /** An agent or a declaration could not be stitched or derived, and was put off. */
  putOff(kind: 'agent' | 'declaration'): void;
  /** An engine did not do what it was asked; `code` is that of the RegistryError. */
  fault(engine: EngineLabel, code: RegistryErrorCode): void;
}

/** Makes them in the registry of the process. */
export function engineMetrics(registry: Registry): EngineMetrics {
  const written = counter(
    registry,
    'registry_index_documents_written_total',
    'Documents written to or deleted from generations of the index.',
    [],
  );
  const lag = gauge(
    registry,
    'registry_index_lag_changes',
    'Changes in the change log that the live generation of the index has not applied yet.',
  );
  const retried = counter(
    registry,
    'registry_index_retried_items_total',
    'Items of bulk writes that the index refused and that were retried.',
    [],
  );
  const putOffs = counter(
    registry,
    'registry_put_off_total',
    'Agents and declarations whose stitching or derivation failed and was postponed.',
    ['kind'],
  );
  const faults = counter(
    registry,
    'registry_engine_faults_total',
    'Failed operations of the store, the index or the queue, by code.',
    ['engine', 'code'],
  );
  return {
    indexWritten: (count) => written.inc(count),
    indexLag: (changes) => lag.set(changes),
    indexRetried: (count) => retried.inc(count),
    putOff: (kind) => putOffs.inc({ kind }),
    fault: (engine, code) => faults.inc({ engine, code }),
  };
}

/** Counts an error that an engine is the reason of, and returns it; undefined for any other error. */
export function countFault(metrics: Pick<EngineMetrics, 'fault'>, error: unknown): RegistryError | undefined {
  if (!(error instanceof RegistryError)) return undefined;
  const { code } = error;
  const engine = ENGINE_LABELS.find((name) => code.startsWith(`${name}_`));
  if (engine === undefined) return undefined;
  metrics.fault(engine, code);
  return error;
}

export interface IndexingReports {
  readonly onUpdated: (updated: { readonly lag: number; readonly written: number }) => void;
  readonly onFault: (error: unknown) => void;
  readonly onRecovered: (failures: number) => void;
  readonly onPostponed: (put: {
    readonly kind: 'agent' | 'declaration';
    readonly key: string;
    readonly until: number;
    readonly error: unknown;
  }) => void;
}

/**
 * Reports of the background indexing: its lag and its writes as metrics, its faults in the log too. Of an outage the log
 * has its beginning, once for each reason, and its end; the metric counts in between.
 */
export function reportIndexing(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  metrics: Pick<EngineMetrics, 'indexLag' | 'indexWritten' | 'fault' | 'putOff'>,
): IndexingReports {
  const said = new Set<RegistryErrorCode>();
  return {
    onUpdated({ lag, written }) {
      metrics.indexLag(lag);
      if (written > 0) metrics.indexWritten(written);
    },
    onPostponed({ kind, key, until, error }) {
      metrics.putOff(kind);
      const why = 'stitching or derivation failed with an internal error: postponed, other work continues';
      log.error({ err: error, kind, key, until: new Date(until).toISOString() }, why);
    },
    onFault(err) {
      const fault = countFault(metrics, err);
      if (fault === undefined) return log.error({ err }, 'index update failed');
      const { code, message, hint } = fault;
      if (said.has(code)) return;
      said.add(code);
      log.warn(
        { code, reason: message, hint },
        'index update failed: it is retried until it succeeds, no change is lost',
      );
    },
    onRecovered(failures) {
      if (said.size === 0) return;
      log.info({ failures, codes: [...said] }, 'index updates resumed');
      said.clear();
    },
  };
}

/** Reports an engine that did not do what it was asked and is asked again later. */
export function reportTransient(
  log: Pick<Logger, 'warn'>,
  metrics: Pick<EngineMetrics, 'fault'>,
): (error: unknown) => void {
  return (error) => {
    const fault = engineFault(error);
    if (fault === undefined) return log.warn({ err: error }, 'background work failed: it will be retried');
    const { code, message, hint } = fault;
    metrics.fault(code.split('_')[0] as EngineLabel, code);
    log.warn(
      { code, reason: message, hint },
      'an engine did not answer: the work will be retried, nothing is lost',
    );
  };
}
