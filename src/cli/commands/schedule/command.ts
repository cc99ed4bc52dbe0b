import type { Timetable } from '../../../../pipelines/schedule.ts';
import { VERSION } from '../../../version.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { integerFlag } from '../../flags.ts';
import { readTextFile } from '../../input/arguments.ts';
import { onInterrupt } from '../../interrupt.ts';
import { configOf } from '../../setup/settings.ts';
import { LOG_FLAGS, PROCESS_HTTP_FLAGS, STORE_FLAGS } from '../../shared-flags.ts';

/** Until SIGTERM or SIGINT. */
export default command({
  name: 'schedule',
  description:
    'Add due work to the job queue in PostgreSQL. Several schedulers can run; each job is queued once.',
  flags: {
    ahead: integerFlag('--ahead <n>', 'maximum number of waiting jobs of each kind', [1, 1_000_000], 5_000),
    ...STORE_FLAGS,
    ...PROCESS_HTTP_FLAGS,
    ...LOG_FLAGS,
  },
  examples: [
    'agent-registry schedule --store postgres://registry@127.0.0.1/registry',
    'REGISTRY_SCHEDULE=schedule.yaml agent-registry schedule --port 9101',
  ],
  async run({ ahead, ...flags }) {
    const { reportTransient } = await import('../../../ops/engine-metrics.ts');
    const { schedule } = await import('../../../../pipelines/schedule.ts');
    const { createDueLevels } = await import('../../../ops/level-counts.ts');
    const { reportClock } = await import('../../../ops/clock-report.ts');
    const { createLog } = await import('../../../ops/log.ts');
    const { createMetrics } = await import('../../../ops/metrics.ts');
    const { countQueueLevels } = await import('../../../ops/level-counts.ts');
    const { serveProcess } = await import('../../setup/process-http.ts');
    const { openQueueEngines } = await import('../../setup/queue-engines.ts');
    const config = configOf(flags);
    const timetable = await timetableOf(config.schedule);
    const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    const metrics = createMetrics({ version: VERSION, process: true });
    const interrupt = onInterrupt();
    const onFault = reportTransient(log, metrics);
    const engines = await openQueueEngines(config, { index: false, cron: true, onFault });
    try {
      const { queue, records } = engines;
      const { clock } = records;
      reportClock(clock, log, metrics);
      const countDue = createDueLevels({ records, metrics, clock });
      const http = await serveProcess(flags, {
        logger: log,
        metrics,
        async refresh() {
          await countQueueLevels({ queue, metrics, clock });
          await countDue();
        },
        checks: { records: () => records.check(), queue: () => queue.depth('crawl') },
      });
      log.info({ timetable, ahead }, 'queueing due work');
      const { signal } = interrupt;
      await schedule({ queue, records, clock, log, metrics, signal, timetable, ahead }).finally(http.stop);
    } finally {
      await engines.close();
      interrupt.dispose();
    }
    return EXIT.ok;
  },
});

async function timetableOf(file: string): Promise<Timetable> {
  const { DEFAULT_TIMETABLE, parseTimetable } = await import('./timetable.ts');
  return file === ''
    ? DEFAULT_TIMETABLE
    : parseTimetable(await readTextFile(file, 'REGISTRY_SCHEDULE'), file);
}
