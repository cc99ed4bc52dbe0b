import { reportTransient } from '../../../pipelines/report-jobs.ts';
import { type WorkContext, work } from '../../../pipelines/work.ts';
import {
  composeControl,
  composeFetcher,
  composeRuns,
  composeVisits,
  type Network,
  systemClock,
} from '../../compose.ts';
import type { Config } from '../../config.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { reportIndexing } from '../../ops/engine-metrics.ts';
import { countQueueLevels } from '../../ops/level-counts.ts';
import { createLog, type Logger } from '../../ops/log.ts';
import { createMetrics, type Metrics } from '../../ops/metrics.ts';
import { openTracing } from '../../ops/trace.ts';
import { holderName } from '../../this-process.ts';
import { VERSION } from '../../version.ts';
import type { WorkFlags } from '../commands/work.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { warnAboutDesk } from '../output/warn-about-desk.ts';
import { networkOf, settingsOf, tiersOf } from '../settings.ts';
import { serveProcess } from './process-http.ts';
import { openSharedEngines, type SharedEngines } from './shared-engines.ts';

/** `registry work`: until SIGTERM or SIGINT. */
export async function workCommand(flags: WorkFlags): Promise<ExitCode> {
  const config = settingsOf(flags);
  const network = await networkOf(flags, config);
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const metrics = createMetrics({ version: VERSION, process: true });
  const interrupt = onInterrupt();
  const onFault = reportTransient(log, metrics);
  const needs = {
    index: flags.kinds.includes('index'),
    cron: false,
    onFault,
    onIndexRetried: metrics.indexRetried,
  };
  const engines = await openSharedEngines(config, needs);
  try {
    await workOn(engines, { config, network, flags, log, metrics, signal: interrupt.signal });
  } finally {
    await engines.close();
    interrupt.dispose();
  }
  return EXIT.ok;
}

interface WorkParts {
  readonly config: Config;
  readonly network: Network;
  readonly flags: WorkFlags;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

async function workOn(engines: SharedEngines, parts: WorkParts): Promise<void> {
  const { config, network, flags, log, metrics, signal } = parts;
  const { records, queue, index } = engines;
  const fetcher = composeFetcher(config, network, systemClock, records.robots);
  const tracing = await openTracing({ log });
  const http = await serveProcess(flags, {
    logger: log,
    metrics,
    refresh: () => countQueueLevels({ queue, metrics, clock: systemClock }),
    checks: { records: () => records.check(), queue: () => queue.depth('crawl') },
  });
  const given = { config, records, fetcher, clock: systemClock, log, signal, metrics, tracing };
  const common = { ...given, ...composeControl(given) };
  const visits = composeVisits({ ...common, ...(network.domains && { domains: network.domains }) });
  const runs = flags.kinds.includes('heartbeat')
    ? await composeRuns({ ...common, tiers: await tiersOf(config) })
    : undefined;
  if (runs !== undefined) warnAboutDesk(config, flags, log);
  const { onFed, onPutOff } = reportIndexing(log, metrics);
  const indexer = index && {
    records,
    index,
    clock: systemClock,
    rederive: deriveStored,
    signal,
    onFed,
    onPutOff,
    tracing,
  };
  const holder = holderName();
  const context: WorkContext = {
    ...{ queue, kinds: flags.kinds, holder, visits, timeoutMs: config.workerTimeoutMs },
    ...(runs && { runs }),
    ...(indexer && { indexer }),
  };
  log.info({ kinds: flags.kinds, holder }, 'working');
  try {
    await work(context);
    log.info('stopped: what was under way is finished or given back');
  } finally {
    await fetcher.close();
    await tracing.close();
    await http.stop();
  }
}
