import type { Timetable, When } from '../../../../pipelines/schedule.ts';
import type { JobKind } from '../../../ports/job-queue.ts';
import { parseChecked } from '../../input/checked-file.ts';

/** Default schedule: everything as soon as work is due, and pruning once a night. */
export const DEFAULT_TIMETABLE: Timetable = {
  crawl: 'always',
  probe: 'always',
  heartbeat: 'always',
  index: 'always',
  prune: { cron: '17 3 * * *' },
};

/** Reads the file that REGISTRY_SCHEDULE names. Throws `input_invalid` with every place that is wrong. */
export function parseTimetable(text: string, file: string): Timetable {
  const entries = parseChecked<Partial<Record<JobKind, string>>>(text, {
    file,
    what: 'schedule file',
    schema: 'config/schedule.json',
  });
  const given = Object.entries(entries).map(([kind, when]) => [kind, whenOf(when)]);
  return { ...DEFAULT_TIMETABLE, ...Object.fromEntries(given) };
}

function whenOf(text: string): When {
  return text === 'always' || text === 'off' ? text : { cron: text };
}
