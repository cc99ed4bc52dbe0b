import { type DefineCommand, examples } from '../command.ts';
import {
  type LogFlags,
  type NetworkFlags,
  type StoreFlags,
  wholeNumber,
  withLog,
  withNetwork,
  withStore,
} from '../options.ts';

export interface ServeFlags extends StoreFlags, LogFlags, NetworkFlags {
  readonly port: number;
  readonly host: string;
  readonly create?: true;
}

/** `registry serve`. */
export const defineServe: DefineCommand = (program, done) => {
  const command = program
    .command('serve')
    .description('Answer the HTTP API; SIGTERM finishes what is under way and stops.')
    .option('--port <n>', 'TCP port; 0 takes a free one and prints it', wholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--create', 'start with an empty store where there is none');
  withLog(withStore(withNetwork(command)));
  examples(
    command,
    'registry serve --port 8080',
    'curl "http://127.0.0.1:8080/api/registry/agents?type=sales&health=true"',
  );
  command.action(async (flags: ServeFlags) => {
    const { serveCommand } = await import('../run/serve.ts');
    done(await serveCommand(flags));
  });
};
