import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorClass } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { VisitKind } from '../domain/source.ts';

/** What a probe came to: `ok`, or why the agent is not (fully) there. */
export type ProbeResult = 'ok' | ErrorClass;

/** The figures that the program counts, each method one event or one level. Labels are closed lists. */
export interface Metrics {
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
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
  /** The media type of `text`. */
  readonly contentType: string;
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

type CrawlMetrics = Omit<Metrics, 'httpRequest' | 'listCache' | 'text' | 'contentType'>;

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
