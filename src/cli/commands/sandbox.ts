import { Option } from 'commander';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, wholeNumber, withJson } from '../options.ts';

export interface SandboxFlags extends JsonFlag {
  readonly port: number;
  readonly seed: number;
  readonly vocabulary?: 'proto' | 'adcp';
}

/** `registry sandbox`. */
export const defineSandbox: DefineCommand = (program, done) => {
  const command = program
    .command('sandbox')
    .description(
      'Serve a small advertising web on this machine: publishers, brands, agents of every type, and every kind of trouble.',
    )
    .option('--port <n>', 'TCP port on 127.0.0.1; 0 takes a free one', wholeNumber(0, 65_535), 4000)
    .option('--seed <n>', 'the same seed gives the same web', wholeNumber(0, 2 ** 32 - 1), 1)
    .addOption(
      new Option(
        '--vocabulary <name>',
        'which names the agents use; by default some use one and some the other',
      ).choices(['proto', 'adcp']),
    );
  withJson(command);
  examples(
    command,
    'registry sandbox --port 4000',
    "registry crawl noticeboard.example --connect-to '*.example=http://127.0.0.1:4000'",
  );
  command.action(async (flags: SandboxFlags) => {
    const { sandboxCommand } = await import('../run/sandbox.ts');
    done(await sandboxCommand(flags));
  });
};
