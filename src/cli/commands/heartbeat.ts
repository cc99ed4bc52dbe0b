import type { TierTable } from '../../compliance/badges/conditions.ts';
import type { Store } from '../../compose/engines.ts';
import type { Network } from '../../compose/network.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { RunCounts } from '../../ops/visit-metrics.ts';
import { VERSION } from '../../version.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type FlagValues, toggle } from '../flags.ts';
import { onInterrupt } from '../interrupt.ts';
import { counted, note, printJson, printLine } from '../output/print.ts';
import { configOf, networkOf, tiersOf, warnAboutTester } from '../setup/settings.ts';
import { WRITE } from '../setup/store.ts';
import { JSON_FLAG, LOG_FLAGS, NETWORK_FLAGS, STORE_FLAGS, TESTING_HTTP_FLAGS } from '../shared-flags.ts';

const FLAGS = {
  once: toggle('--once', 'exit when no test is due, for cron; otherwise run until SIGTERM'),
  ...STORE_FLAGS,
  ...NETWORK_FLAGS,
  ...TESTING_HTTP_FLAGS,
  ...LOG_FLAGS,
  ...JSON_FLAG,
};
type HeartbeatFlags = FlagValues<typeof FLAGS>;

/**
 * Until SIGTERM or SIGINT and then 0; with --once 0 when nothing is due any more, 130 when it was interrupted before.
 * What the agents come to is no exit code: it is in the records.
 */
export default command({
  name: 'heartbeat',
  description:
    'Run the scheduled tests of agents with a proven owner, on one machine. On SIGTERM, unfinished tests return to the queue.',
  flags: FLAGS,
  examples: [
    'agent-registry heartbeat --port 9103',
    'agent-registry heartbeat --once --json',
    "agent-registry heartbeat --once --connect-to '*.example=http://127.0.0.1:4000'",
  ],
  async run(flags) {
    const { openStore } = await import('../../compose/engines.ts');
    const { createLog } = await import('../../ops/log.ts');
    const { createMetrics } = await import('../../ops/metrics.ts');
    const config = configOf(flags);
    const network = await networkOf(flags, config);
    const tiers = await tiersOf(config);
    const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    const metrics = createMetrics({ version: VERSION, process: true });
    const interrupt = onInterrupt();
    const store = await openStore(config, { ...WRITE, onIndexRetried: metrics.indexRetried });
    try {
      await beat(store, flags, { config, network, tiers, log, metrics, signal: interrupt.signal });
      printCounts(metrics.runCounts(), interrupt.signal.aborted, flags.json);
    } finally {
      await store.close();
      interrupt.dispose();
    }
    return flags.once && interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
  },
});

interface BeatParts {
  readonly config: Config;
  readonly network: Network;
  readonly tiers: TierTable;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

async function beat(store: Store, flags: HeartbeatFlags, parts: BeatParts): Promise<void> {
  const { heartbeat } = await import('../../../pipelines/heartbeat.ts');
  const { reportTransient } = await import('../../ops/engine-metrics.ts');
  const { composeFetcher } = await import('../../compose/network.ts');
  const { composeRuns } = await import('../../compose/runs.ts');
  const { openTestWebhooks } = await import('../../compose/test-webhooks.ts');
  const { deriveStored } = await import('../../discovery/derive-facts.ts');
  const { createDueLevels } = await import('../../ops/level-counts.ts');
  const { reportClock } = await import('../../ops/clock-report.ts');
  const { openTracing } = await import('../../ops/trace.ts');
  const { holderName } = await import('../../this-process.ts');
  const { serveProcess } = await import('../setup/process-http.ts');
  const { config, network, log, metrics } = parts;
  const { records, index } = store;
  const { clock } = records;
  reportClock(clock, log, metrics);
  await using open = new AsyncDisposableStack();
  const fetcher = composeFetcher(config, network, clock, records.robots);
  open.defer(() => fetcher.close());
  const tracing = await openTracing({ log });
  open.defer(() => tracing.close());
  const webhooks = await openTestWebhooks({ ...parts, host: flags.host, fetcher, clock });
  open.defer(() => webhooks?.close());
  const runs = await composeRuns({ ...parts, records, fetcher, clock, tracing, webhooks });
  const countDue = createDueLevels({ records, metrics, clock });
  const checks = { records: () => records.check() };
  const refresh = () => countDue().catch(reportTransient(log, metrics));
  // the last step: whoever listens has all that it needs
  const http = await serveProcess(
    flags,
    { logger: log, metrics, refresh, checks },
    flags.json ? note : printLine,
  );
  open.defer(() => http.stop());
  warnAboutTester(config, flags, log);
  const holder = holderName();
  log.info(
    { holder, once: flags.once === true, concurrency: config.runConcurrency },
    'running the tests that are due',
  );
  await heartbeat({
    runs,
    indexer: { records, index, rederive: deriveStored },
    ...(isShared(config) && { shared: { holder, politeness: records.politeness } }),
    once: flags.once === true,
  });
}

/** A file has its processes on one machine, and those that visit beside us keep their own turns there. */
function isShared({ store }: Config): boolean {
  return !store.startsWith('sqlite:');
}

function printCounts(outcomes: RunCounts, interrupted: boolean, json = false): void {
  const runs = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (json) printJson({ interrupted, runs, outcomes });
  else printLine(sentenceOf(runs, outcomes));
}

function sentenceOf(runs: number, outcomes: RunCounts): string {
  const parts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const ends = parts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${counted(runs, 'run')}${ends === '' ? '' : `: ${ends}`}`;
}
