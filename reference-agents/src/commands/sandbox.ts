import {
  collect,
  type DefineCommand,
  examples,
  wholeNumber,
  withJson,
  withState,
} from 'agent-registry/command-line';
import { Option } from 'commander';
import type { SandboxFlags } from './run-sandbox.ts';

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
  command
    .option('--desk-keys <file>', 'public keys (a JWK set) with which you sign as the buyer of desk.example')
    .option(
      '--well-known <dir>',
      'files DIR/HOST/NAME are served as https://HOST/.well-known/NAME, such as the text that proves ownership',
    )
    .addOption(
      new Option(
        '--connect-to <host=origin>',
        'where the agents reach a host outside of the sandbox, such as your receiver of webhooks (repeatable)',
      )
        .argParser(collect)
        .default([], 'none'),
    );
  withJson(withState(command));
  examples(
    command,
    'registry sandbox --port 4000',
    'registry sandbox --state sqlite::memory:',
    'registry sandbox --well-known proofs',
    "registry sandbox --desk-keys jwks.json --connect-to 'hooks.desk.example=http://127.0.0.1:9000'",
    "registry crawl noticeboard.example --connect-to '*.example=http://127.0.0.1:4000'",
  );
  command.action(async (flags: SandboxFlags) => {
    const { sandboxCommand } = await import('./run-sandbox.ts');
    done(await sandboxCommand(flags));
  });
};
