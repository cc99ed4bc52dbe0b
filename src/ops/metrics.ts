import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObject, Registry } from 'prom-client';
import type { ErrorClass } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { VisitKind } from '../domain/source.ts';
import type { RegistryErrorCode } from '../errors.ts';
import { type MatchMetrics, matchMetrics } from './match-metrics.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';
import { type RunMetrics, runMetrics } from './run-metrics.ts';

/** What a probe came to: `ok`, why the agent is not (fully) there, or that our own network did not work. */
export type ProbeResult = 'ok' | 'own_network' | ErrorClass;

/** What the registry stands on. */
export type Engine = 'store' | 'index' | 'queue';

/** The figures that the program counts, each method one event or one level. Labels are closed lists. */
export interface Metrics extends QueueMetrics, RunMetrics, MatchMetrics {
  /** One answered request; `route` is the pattern, never the address. */
  httpRequest(route: string, method: string, status: number, seconds: number): void;
  /** A list answer was found rendered (`hit`) or had to be rendered. */
  listCache(result: 'hit' | 'miss'): void;
  /** A source was visited. A domain's two files count one each. */
  visit(kind: VisitKind, outcome: Outcome): void;
  /** How long a whole visit took, the wait for its turn not counted. */
  visitTook(kind: VisitKind, seconds: number): void;
  probe(result: ProbeResult): void;
  /** Bytes of decoded bodies. */
  fetched(kind: VisitKind, bytes: number): void;
  /** Visits whose time has come. */
  due(kind: VisitKind, count: number): void;
  /** Documents (or drops) written into generations of the index. */
  indexWritten(count: number): void;
  /** How many changes of the change log the live generation has not got yet. */
  indexLag(changes: number): void;
  /** Items of a bulk write that were refused and are sent again. */
  indexRetried(count: number): void;
  /** An agent or a declaration could not be stitched or derived, and was put off. */
  putOff(kind: 'agent' | 'declaration'): void;
  /** An engine did not do what it was asked; `code` is that of the RegistryError. */
  fault(engine: Engine, code: RegistryErrorCode): void;
  /** What there is, whether it has a value yet or not. */
  list(): readonly MetricFacts[];
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
  /** The media type of `text`. */
  readonly contentType: string;
}

export interface MetricFacts {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** It has series of its own: `…_bucket`, `…_sum` and `…_count`. */
  readonly isHistogram: boolean;
}

export interface MetricsOptions {
  /** The program's version, shown by `registry_build_info`. */
  readonly version?: string;
  /** Adds memory, CPU and event-loop figures of the process; default false. */
  readonly process?: boolean;
}

/** Makes the figures in a registry of their own: nothing is shared with other instances in the process. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (options.process === true) collectDefaultMetrics({ register: registry });
  if (options.version !== undefined) {
    const labelNames = ['version'] as const;
    gauge(registry, 'registry_build_info', 'The version that runs.', labelNames).set(
      { version: options.version },
      1,
    );
  }
  return {
    ...apiMetrics(registry),
    ...crawlMetrics(registry),
    ...queueMetrics(registry),
    ...runMetrics(registry),
    ...matchMetrics(registry),
    ...engineMetrics(registry),
    list: () => registry.getMetricsAsArray().map(factsOf),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function apiMetrics(registry: Registry): Pick<Metrics, 'httpRequest' | 'listCache'> {
  const requests = counter(registry, 'registry_http_requests_total', 'Requests answered.', [
    'route',
    'method',
    'status',
  ]);
  const seconds = new Histogram({
    name: 'registry_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const cache = counter(registry, 'registry_list_cache_total', 'List answers by how they were made.', [
    'result',
  ]);
  return {
    httpRequest: (route, method, status, took) => {
      requests.inc({ route, method, status });
      seconds.observe({ route }, took);
    },
    listCache: (result) => cache.inc({ result }),
  };
}

type EngineMetrics = Pick<Metrics, 'indexWritten' | 'indexLag' | 'indexRetried' | 'putOff' | 'fault'>;

function engineMetrics(registry: Registry): EngineMetrics {
  const written = counter(
    registry,
    'registry_index_documents_written_total',
    'Documents and drops written into generations of the index.',
    [],
  );
  const lag = gauge(
    registry,
    'registry_index_lag_changes',
    'Changes of the change log that the live generation of the index has not got yet.',
  );
  const retried = counter(
    registry,
    'registry_index_retried_items_total',
    'Items of bulk writes that the index refused and that were sent again.',
    [],
  );
  const putOffs = counter(
    registry,
    'registry_put_off_total',
    'Agents and declarations that could not be stitched or derived, and were put off.',
    ['kind'],
  );
  const faults = counter(
    registry,
    'registry_engine_faults_total',
    'Times that the store, the index or the queue did not do what it was asked.',
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

type CrawlMetrics = Pick<Metrics, 'visit' | 'visitTook' | 'probe' | 'fetched' | 'due'>;

function crawlMetrics(registry: Registry): CrawlMetrics {
  const visits = counter(registry, 'registry_visits_total', 'Sources visited, by outcome.', [
    'kind',
    'outcome',
  ]);
  const probes = counter(registry, 'registry_probes_total', 'Probes of agents, by result.', ['result']);
  const bytes = counter(registry, 'registry_fetched_bytes_total', 'Bytes of decoded bodies.', ['kind']);
  const took = new Histogram({
    name: 'registry_visit_duration_seconds',
    help: 'Time of a visit, the wait for its turn not counted.',
    labelNames: ['kind'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40],
    registers: [registry],
  });
  const due = gauge(registry, 'registry_due_visits', 'Visits whose time has come.', ['kind']);
  return {
    visit: (kind, outcome) => visits.inc({ kind, outcome }),
    visitTook: (kind, seconds) => took.observe({ kind }, seconds),
    probe: (result) => probes.inc({ result }),
    fetched: (kind, count) => bytes.inc({ kind }, count),
    due: (kind, count) => due.set({ kind }, count),
  };
}

function counter<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[]) {
  return new Counter<L>({ name, help, labelNames, registers: [registry] });
}

function gauge<L extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly L[] = [],
) {
  return new Gauge<L>({ name, help, labelNames, registers: [registry] });
}

/** prom-client keeps the label names where its types do not show them. */
function factsOf(metric: MetricObject): MetricFacts {
  const { name, help, labelNames = [] } = metric as MetricObject & { labelNames?: readonly string[] };
  return { name, help, labels: labelNames, isHistogram: metric instanceof Histogram };
}
