import { reportTransient } from '../../../pipelines/report-jobs.ts';
import { schedule, type Timetable } from '../../../pipelines/schedule.ts';
import { systemClock } from '../../compose.ts';
import type { Config } from '../../config.ts';
import { countQueueLevels, createDueLevels } from '../../ops/level-counts.ts';
import { createLog } from '../../ops/log.ts';
import { createMetrics } from '../../ops/metrics.ts';
import { VERSION } from '../../version.ts';
import type { ScheduleFlags } from '../commands/schedule.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { DEFAULT_TIMETABLE, parseTimetable } from '../input/parse-timetable.ts';
import { onInterrupt } from '../interrupt.ts';
import { readText, settingsOf } from '../settings.ts';
import { serveProcess } from './process-http.ts';
import { openSharedEngines } from './shared-engines.ts';

/** `registry schedule`: until SIGTERM or SIGINT. */
export async function scheduleCommand(flags: ScheduleFlags): Promise<ExitCode> {
  const config = settingsOf(flags);
  const timetable = await timetableOf(config);
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const metrics = createMetrics({ version: VERSION, process: true });
  const interrupt = onInterrupt();
  const onFault = reportTransient(log, metrics);
  const engines = await openSharedEngines(config, { index: false, cron: true, onFault });
  try {
    const { queue, records } = engines;
    const countDue = createDueLevels({ records, metrics, clock: systemClock });
    const http = await serveProcess(flags, {
      logger: log,
      metrics,
      async refresh() {
        await countQueueLevels({ queue, metrics, clock: systemClock });
        await countDue();
      },
      checks: { records: () => records.check(), queue: () => queue.depth('crawl') },
    });
    log.info({ timetable, ahead: flags.ahead }, 'putting on the queue what is due');
    const { signal } = interrupt;
    await schedule({
      queue,
      records,
      clock: systemClock,
      log,
      metrics,
      signal,
      timetable,
      ahead: flags.ahead,
    });
    await http.stop();
  } finally {
    await engines.close();
    interrupt.dispose();
  }
  return EXIT.ok;
}

async function timetableOf({ schedule: file }: Config): Promise<Timetable> {
  if (file === '') return DEFAULT_TIMETABLE;
  return parseTimetable(await readText(file, 'REGISTRY_SCHEDULE'), file);
}
