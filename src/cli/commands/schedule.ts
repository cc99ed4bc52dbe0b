import { type DefineCommand, examples } from '../command.ts';
import {
  type HttpFlags,
  type LogFlags,
  type StoreFlags,
  wholeNumber,
  withHttp,
  withLog,
  withStore,
} from '../options.ts';

export interface ScheduleFlags extends StoreFlags, LogFlags, HttpFlags {
  readonly ahead: number;
}

/** `registry schedule`. */
export const defineSchedule: DefineCommand = (program, done) => {
  const command = program
    .command('schedule')
    .description('Put what is due on the job queue in PostgreSQL, once each however many schedulers run.')
    .option('--ahead <n>', 'jobs of each kind kept waiting, at most', wholeNumber(1, 1_000_000), 5_000);
  withLog(withHttp(withStore(command)));
  examples(
    command,
    'registry schedule --store postgres://registry@127.0.0.1/registry',
    'REGISTRY_SCHEDULE=schedule.yaml registry schedule --port 9101',
  );
  command.action(async (flags: ScheduleFlags) => {
    const { scheduleCommand } = await import('../run/schedule.ts');
    done(await scheduleCommand(flags));
  });
};
