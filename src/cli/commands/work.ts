import { InvalidArgumentError } from 'commander';
import type { WorkContext } from '../../../pipelines/work.ts';
import { withNearest } from '../../base/near-names.ts';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { Network } from '../../compose/network.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { JOB_KINDS, type JobKind } from '../../ports/job-queue.ts';
import { VERSION } from '../../version.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type FlagValues, integerFlag, parsedFlag } from '../flags.ts';
import { onInterrupt } from '../interrupt.ts';
import type { QueueEngines } from '../setup/queue-engines.ts';
import { configOf, networkOf, tiersOf, warnAboutTester } from '../setup/settings.ts';
import { LOG_FLAGS, NETWORK_FLAGS, STORE_FLAGS, TESTING_HTTP_FLAGS } from '../shared-flags.ts';

const FLAGS = {
  kinds: parsedFlag<readonly JobKind[]>(
    '--kinds <list>',
    `comma-separated list of ${JOB_KINDS.join(', ')}`,
    jobKinds,
    JOB_KINDS,
  ),
  concurrency: integerFlag(
    '--concurrency <n>',
    'maximum number of domains visited at the same time (REGISTRY_CONCURRENCY)',
    [1, 2_000],
  ),
  ...STORE_FLAGS,
  ...NETWORK_FLAGS,
  ...TESTING_HTTP_FLAGS,
  ...LOG_FLAGS,
};
type WorkFlags = FlagValues<typeof FLAGS>;

/** Until SIGTERM or SIGINT. */
export default command({
  name: 'work',
  description: 'Process jobs from the queue in PostgreSQL. SIGTERM finishes or returns open jobs.',
  flags: FLAGS,
  examples: [
    'agent-registry work --store postgres://registry@127.0.0.1/registry',
    'agent-registry work --kinds crawl,probe --port 9102',
    'agent-registry work --kinds heartbeat',
  ],
  async run(flags) {
    const { reportTransient } = await import('../../ops/engine-metrics.ts');
    const { createLog } = await import('../../ops/log.ts');
    const { createMetrics } = await import('../../ops/metrics.ts');
    const { openQueueEngines } = await import('../setup/queue-engines.ts');
    const config = configOf(flags);
    const network = await networkOf(flags, config);
    const tiers = flags.kinds.includes('heartbeat') ? await tiersOf(config) : undefined;
    const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    const metrics = createMetrics({ version: VERSION, process: true });
    const interrupt = onInterrupt();
    const engines = await openQueueEngines(config, {
      index: flags.kinds.includes('index'),
      cron: false,
      onFault: reportTransient(log, metrics),
      onIndexRetried: metrics.indexRetried,
    });
    try {
      await workOn(engines, { config, network, tiers, flags, log, metrics, signal: interrupt.signal });
    } finally {
      await engines.close();
      interrupt.dispose();
    }
    return EXIT.ok;
  },
});

function jobKinds(text: string): readonly JobKind[] {
  const names = text.split(',').map((name) => name.trim());
  const kinds = JOB_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length > 0 && kinds.length === new Set(names).size) return kinds;
  const unknown = names.find((name) => !JOB_KINDS.some((kind) => kind === name)) ?? '';
  throw new InvalidArgumentError(
    `${withNearest(`Allowed choices are ${JOB_KINDS.join(', ')}`, unknown, JOB_KINDS)}.`,
  );
}

interface WorkParts {
  readonly config: Config;
  readonly network: Network;
  /** For jobs of the kind `heartbeat`; absent: none are done. */
  readonly tiers: TierTable | undefined;
  readonly flags: WorkFlags;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

async function workOn(engines: QueueEngines, parts: WorkParts): Promise<void> {
  const { work } = await import('../../../pipelines/work.ts');
  const { composeControl, composeFetcher } = await import('../../compose/network.ts');
  const { composeRuns } = await import('../../compose/runs.ts');
  const { openTestWebhooks } = await import('../../compose/test-webhooks.ts');
  const { composeVisits } = await import('../../compose/visits.ts');
  const { deriveStored } = await import('../../discovery/derive-facts.ts');
  const { countQueueLevels } = await import('../../ops/level-counts.ts');
  const { reportIndexing } = await import('../../ops/engine-metrics.ts');
  const { reportClock } = await import('../../ops/clock-report.ts');
  const { openTracing } = await import('../../ops/trace.ts');
  const { holderName } = await import('../../this-process.ts');
  const { serveProcess } = await import('../setup/process-http.ts');
  const { config, network, tiers, flags, log, metrics, signal } = parts;
  const { records, queue, index } = engines;
  const { clock } = records;
  reportClock(clock, log, metrics);
  await using open = new AsyncDisposableStack();
  const fetcher = composeFetcher(config, network, clock, records.robots);
  open.defer(() => fetcher.close());
  const tracing = await openTracing({ log });
  open.defer(() => tracing.close());
  const given = { config, records, fetcher, clock, log, signal, metrics, tracing };
  const common = { ...given, ...composeControl(given) };
  const visits = composeVisits({ ...common, ...(network.domains && { domains: network.domains }) });
  const webhooks = tiers && (await openTestWebhooks({ ...common, host: flags.host }));
  open.defer(() => webhooks?.close());
  const runs = tiers && (await composeRuns({ ...common, tiers, webhooks }));
  if (runs !== undefined) warnAboutTester(config, flags, log);
  const { onUpdated, onPostponed } = reportIndexing(log, metrics);
  const indexer = index && {
    records,
    index,
    clock,
    rederive: deriveStored,
    signal,
    onUpdated,
    onPostponed,
    tracing,
  };
  const holder = holderName();
  const context: WorkContext = {
    ...{ queue, kinds: flags.kinds, holder, visits, timeoutMs: config.workerTimeoutMs },
    ...(runs && { runs }),
    ...(indexer && { indexer }),
  };
  // the last step: everything else is ready
  const http = await serveProcess(flags, {
    logger: log,
    metrics,
    refresh: () => countQueueLevels({ queue, metrics, clock }),
    checks: { records: () => records.check(), queue: () => queue.depth('crawl') },
  });
  open.defer(() => http.stop());
  log.info({ kinds: flags.kinds, holder }, 'working');
  await work(context);
  log.info('stopped: open jobs are finished or returned to the queue');
}
