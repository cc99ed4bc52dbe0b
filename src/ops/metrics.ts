import { collectDefaultMetrics, Histogram, type MetricObject, Registry } from 'prom-client';
import type { FileKind } from '../domain/declaration.ts';
import type { SelfCheck } from '../domain/self-check.ts';
import type { SubscriptionLevels } from '../records/owners/subscriptions.ts';
import { type ClockMetrics, clockMetrics } from './clock-report.ts';
import { type EdgeMetrics, edgeMetrics } from './edge-metrics.ts';
import { type EngineMetrics, engineMetrics } from './engine-metrics.ts';
import { type MatchMetrics, matchMetrics } from './match-metrics.ts';
import { counter, gauge } from './prometheus.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';
import { type CrawlMetrics, crawlMetrics, type RunMetrics, runMetrics } from './visit-metrics.ts';

/** All that the program counts, each method one event or one level. Labels are closed lists. */
export interface Metrics
  extends CrawlMetrics,
    QueueMetrics,
    RunMetrics,
    MatchMetrics,
    EngineMetrics,
    ClockMetrics,
    EdgeMetrics {
  /** One answered request; `route` is the pattern, never the address. */
  httpRequest(route: string, method: string, status: number, seconds: number): void;
  /** A list answer was found rendered (`hit`) or had to be rendered. */
  listCache(result: 'hit' | 'miss'): void;
  /** A caller had a file checked: what was found, or why nothing was. `repeated`: told again, without a look. */
  fileCheck(kind: FileKind, result: FileCheckResult): void;
  /** How long ago the newest export was begun; 0 where there is none. */
  exportAge(seconds: number): void;
  /** What the last self-check found; undefined where there was none. `now` in epoch milliseconds. */
  selfCheck(found: SelfCheck | undefined, now: number): void;
  /** Wake-ups of subscribers; `now` in epoch milliseconds. */
  subscriptions(levels: SubscriptionLevels, now: number): void;
  /** What there is, whether it has a value yet or not. */
  list(): readonly MetricFacts[];
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
  /** The media type of `text`. */
  readonly contentType: string;
}

export type FileCheckResult = 'valid' | 'invalid' | 'repeated' | 'refused' | 'failed';

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
  /** Adds memory, CPU and event-loop metrics of the process; default false. */
  readonly process?: boolean;
}

/** Makes the metrics in a registry of their own: nothing is shared with other instances in the process. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  if (options.process === true) collectDefaultMetrics({ register: registry });
  if (options.version !== undefined) {
    const labelNames = ['version'] as const;
    gauge(registry, 'registry_build_info', 'Running version; always 1.', labelNames).set(
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
    ...clockMetrics(registry),
    ...edgeMetrics(registry),
    list: () => registry.getMetricsAsArray().map(factsOf),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function apiMetrics(
  registry: Registry,
): Pick<Metrics, 'httpRequest' | 'listCache' | 'fileCheck' | 'exportAge' | 'selfCheck' | 'subscriptions'> {
  const requests = counter(
    registry,
    'registry_http_requests_total',
    'HTTP requests answered, by operation and status.',
    ['route', 'method', 'status'],
  );
  const seconds = new Histogram({
    name: 'registry_http_request_duration_seconds',
    help: 'Time from receiving a request to the end of its response.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const cache = counter(
    registry,
    'registry_list_cache_total',
    'Responses of the agent list, by cache result.',
    ['result'],
  );
  const checks = counter(registry, 'registry_file_checks_total', 'Files checked for callers.', [
    'kind',
    'result',
  ]);
  const age = gauge(
    registry,
    'registry_export_age_seconds',
    'Age of the newest export, from its start; 0 without an export.',
  );
  const differences = gauge(
    registry,
    'registry_self_check_differences',
    'Stored values that the last self-check could not recompute from the facts; should be 0.',
  );
  const checkAge = gauge(
    registry,
    'registry_self_check_age_seconds',
    'Age of the last self-check; +Inf if none was made.',
  );
  const subscribers = gauge(registry, 'registry_subscriptions', 'Feed subscriptions, by state.', ['state']);
  const waiting = gauge(
    registry,
    'registry_subscriptions_oldest_seconds',
    'Age of the oldest change that a subscriber was not notified of; 0 without one.',
  );
  return {
    httpRequest: (route, method, status, took) => {
      requests.inc({ route, method, status });
      seconds.observe({ route }, took);
    },
    listCache: (result) => cache.inc({ result }),
    fileCheck: (kind, result) => checks.inc({ kind, result }),
    exportAge: (seconds) => age.set(seconds),
    selfCheck(found, now) {
      differences.set(found?.differences ?? 0);
      // +Inf, so that an alert on the age also fires without any self-check
      checkAge.set(found === undefined ? Infinity : Math.max(0, now - found.at) / 1_000);
    },
    subscriptions({ oldestAt = Infinity, ...counts }, now) {
      for (const [state, count] of Object.entries(counts)) subscribers.set({ state }, count);
      waiting.set(Math.max(0, now - oldestAt) / 1_000);
    },
  };
}

/** prom-client keeps the label names where its types do not show them. */
function factsOf(metric: MetricObject): MetricFacts {
  const { name, help, labelNames = [] } = metric as MetricObject & { labelNames?: readonly string[] };
  return { name, help, labels: labelNames, isHistogram: metric instanceof Histogram };
}
