import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { INCONCLUSIVE_REASONS, type RunTrigger } from '../domain/judged-run.ts';
import type { ErrorClass } from '../domain/observation.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { VisitKind } from '../domain/source.ts';
import type { DueRuns } from '../records/runs/due-runs.ts';
import { counter, gauge } from './prometheus.ts';

/** What a probe came to: `ok`, why the agent is not (fully) there, or that our own network did not work. */
export type ProbeResult = 'ok' | 'own_network' | ErrorClass;

/** The metrics of a crawl. Labels are closed lists. */
export interface CrawlMetrics {
  /** A source was visited. A domain's two files count one each. */
  visit(kind: VisitKind, outcome: Outcome): void;
  /** How long a whole visit took, the wait for its turn not counted. */
  visitTook(kind: VisitKind, seconds: number): void;
  probe(result: ProbeResult): void;
  /** Bytes of decoded bodies. */
  fetched(kind: VisitKind, bytes: number): void;
  /** Visits whose time has come. */
  due(kind: VisitKind, count: number): void;
}

/**
 * How a test of an agent ended: `complete`, `unreachable`, or why it was inconclusive. `interrupted`: stopped, and due
 * still. `lost`: it came too late to be kept. `withdrawn`: the owner did not agree any more, and nothing is kept.
 */
const RUN_ENDS = ['complete', 'unreachable', ...INCONCLUSIVE_REASONS, 'lost', 'withdrawn'] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

/** Tests by how they ended, all of RUN_ENDS. */
export type RunCounts = Readonly<Record<RunEnd, number>>;

/** The metrics of the heartbeat. Labels are closed lists. */
export interface RunMetrics {
  run(trigger: RunTrigger, outcome: RunEnd): void;
  /** How long a run took, the wait for its turn not counted. */
  runTook(trigger: RunTrigger, seconds: number): void;
  /** One more, or one less. */
  runsUnderWay(change: 1 | -1): void;
  /** What waits; `now` in epoch milliseconds. */
  runsDue(due: DueRuns, now: number): void;
  /** The tests of this process so far. */
  runCounts(): RunCounts;
  /** Agents whose badges were looked at without a run. */
  reconsidered(count: number): void;
}

/** Makes the crawl's metrics in the registry of the process. */
export function crawlMetrics(registry: Registry): CrawlMetrics {
  const visits = counter(registry, 'registry_visits_total', 'Sources visited, by outcome.', [
    'kind',
    'outcome',
  ]);
  const probes = counter(registry, 'registry_probes_total', 'Probes of agents, by result.', ['result']);
  const bytes = counter(registry, 'registry_fetched_bytes_total', 'Bytes of fetched bodies, decoded.', [
    'kind',
  ]);
  const took = new Histogram({
    name: 'registry_visit_duration_seconds',
    help: 'Duration of a visit, without the time in the queue.',
    labelNames: ['kind'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40],
    registers: [registry],
  });
  const due = gauge(registry, 'registry_due_visits', 'Visits that are due.', ['kind']);
  return {
    visit: (kind, outcome) => visits.inc({ kind, outcome }),
    visitTook: (kind, seconds) => took.observe({ kind }, seconds),
    probe: (result) => probes.inc({ result }),
    fetched: (kind, count) => bytes.inc({ kind }, count),
    due: (kind, count) => due.set({ kind }, count),
  };
}

/** Makes the heartbeat's metrics in the registry of the process. */
export function runMetrics(registry: Registry): RunMetrics {
  return { ...runCounters(registry), ...runLevels(registry) };
}

function runCounters(registry: Registry): Pick<RunMetrics, 'run' | 'runTook' | 'runCounts' | 'reconsidered'> {
  const registers = [registry];
  const runs = new Counter({
    name: 'registry_runs_total',
    help: 'Test runs of agents, by trigger and outcome.',
    labelNames: ['trigger', 'outcome'],
    registers,
  });
  const took = new Histogram({
    name: 'registry_run_duration_seconds',
    help: 'Duration of a test run, without the time in the queue.',
    labelNames: ['trigger'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  const looked = new Counter({
    name: 'registry_reconsidered_total',
    help: 'Agents whose badges were reviewed without a test, because time alone can change them.',
    registers,
  });
  const counts = Object.fromEntries(RUN_ENDS.map((end) => [end, 0])) as Record<RunEnd, number>;
  return {
    run(trigger, outcome) {
      runs.inc({ trigger, outcome });
      counts[outcome] += 1;
    },
    runCounts: () => ({ ...counts }),
    runTook: (trigger, seconds) => took.observe({ trigger }, seconds),
    reconsidered: (count) => looked.inc(count),
  };
}

function runLevels(registry: Registry): Pick<RunMetrics, 'runsUnderWay' | 'runsDue'> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const underWay = gauge('registry_runs_under_way', 'Test runs in progress in this process.');
  const due = gauge('registry_runs_due', 'Agents whose scheduled test is due.');
  const oldest = gauge('registry_runs_due_oldest_seconds', 'How long the most overdue test has been due.');
  const asked = gauge('registry_runs_asked', 'Requested test runs that have not started.');
  return {
    runsUnderWay: (change) => underWay.inc(change),
    runsDue(waiting, now) {
      due.set(waiting.due);
      oldest.set(waiting.oldestAt === undefined ? 0 : Math.max(0, now - waiting.oldestAt) / 1_000);
      asked.set(waiting.asked);
    },
  };
}
