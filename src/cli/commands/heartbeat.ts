import { type DefineCommand, examples } from '../command.ts';
import {
  type HttpFlags,
  type JsonFlag,
  type LogFlags,
  type NetworkFlags,
  type StoreFlags,
  withHttp,
  withJson,
  withLog,
  withNetwork,
  withStore,
} from '../options.ts';

export interface HeartbeatFlags extends StoreFlags, NetworkFlags, LogFlags, HttpFlags, JsonFlag {
  readonly once?: true;
}

/** `registry heartbeat`. */
export const defineHeartbeat: DefineCommand = (program, done) => {
  const command = program
    .command('heartbeat')
    .description(
      'Test the agents whose time has come and whose owners have proven control, on one machine; SIGTERM gives back what is under way.',
    )
    .option('--once', 'end when nothing is due any more, for cron; otherwise until SIGTERM');
  withJson(withLog(withHttp(withNetwork(withStore(command)))));
  examples(
    command,
    'registry heartbeat --port 9103',
    'registry heartbeat --once --json',
    "registry heartbeat --once --connect-to '*.example=http://127.0.0.1:4000'",
  );
  command.action(async (flags: HeartbeatFlags) => {
    const { heartbeatCommand } = await import('../run/heartbeat.ts');
    done(await heartbeatCommand(flags));
  });
};
