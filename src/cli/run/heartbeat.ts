import { heartbeat } from '../../../pipelines/heartbeat.ts';
import { reportTransient } from '../../../pipelines/report-jobs.ts';
import { composeFetcher, composeRuns, openStore, type Store, systemClock } from '../../compose.ts';
import type { Config } from '../../config.ts';
import { deriveStored } from '../../discovery/derive-facts.ts';
import { createDueLevels } from '../../ops/level-counts.ts';
import { createLog, type Logger } from '../../ops/log.ts';
import { createMetrics, type Metrics } from '../../ops/metrics.ts';
import { openTracing } from '../../ops/trace.ts';
import type { RunCounts } from '../../ops/visit-metrics.ts';
import { holderName } from '../../this-process.ts';
import { VERSION } from '../../version.ts';
import type { HeartbeatFlags } from '../commands/heartbeat.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { counted, note, printJson, printLine } from '../output/print.ts';
import { warnAboutDesk } from '../output/warn-about-desk.ts';
import { networkOf, settingsOf, tiersOf } from '../settings.ts';
import { WRITE } from '../with-store.ts';
import { serveProcess } from './process-http.ts';

/**
 * `registry heartbeat`: until SIGTERM or SIGINT and then 0; with --once 0 when nothing is due any more, 130 when it was
 * interrupted before. What the agents come to is no exit code: it is in the records.
 */
export async function heartbeatCommand(flags: HeartbeatFlags): Promise<ExitCode> {
  const config = settingsOf(flags);
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const metrics = createMetrics({ version: VERSION, process: true });
  const interrupt = onInterrupt();
  const store = await openStore(config, { ...WRITE, onIndexRetried: metrics.indexRetried });
  try {
    await beat(store, flags, { config, log, metrics, signal: interrupt.signal });
    printCounts(metrics.runCounts(), interrupt.signal.aborted, flags);
  } finally {
    await store.close();
    interrupt.dispose();
  }
  return flags.once && interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
}

interface BeatParts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

async function beat(store: Store, flags: HeartbeatFlags, parts: BeatParts): Promise<void> {
  const { config, log, metrics } = parts;
  const { records, index } = store;
  const network = await networkOf(flags, config);
  const fetcher = composeFetcher(config, network, systemClock, records.robots);
  const tracing = await openTracing({ log });
  const tiers = await tiersOf(config);
  try {
    const runs = await composeRuns({ ...parts, records, fetcher, clock: systemClock, tracing, tiers });
    const countDue = createDueLevels({ records, metrics, clock: systemClock });
    const checks = { records: () => records.check() };
    const refresh = () => countDue().catch(reportTransient(log, metrics));
    const http = await serveProcess(
      flags,
      { logger: log, metrics, refresh, checks },
      flags.json ? note : printLine,
    );
    warnAboutDesk(config, flags, log);
    const holder = holderName();
    log.info(
      { holder, once: flags.once === true, concurrency: config.runConcurrency },
      'testing what is due',
    );
    try {
      await heartbeat({
        runs,
        indexer: { records, index, rederive: deriveStored },
        ...(isShared(config) && { shared: { holder, politeness: records.politeness } }),
        once: flags.once === true,
      });
    } finally {
      await http.stop();
    }
  } finally {
    await fetcher.close();
    await tracing.close();
  }
}

/** A file has its processes on one machine, and those that visit beside us keep their own turns there. */
function isShared({ store }: Config): boolean {
  return !store.startsWith('sqlite:');
}

function printCounts(outcomes: RunCounts, interrupted: boolean, { json }: HeartbeatFlags): void {
  const runs = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  if (json) printJson({ interrupted, runs, outcomes });
  else printLine(sentenceOf(runs, outcomes));
}

function sentenceOf(runs: number, outcomes: RunCounts): string {
  const parts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const ends = parts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return `${counted(runs, 'run')}${ends === '' ? '' : `: ${ends}`}`;
}
