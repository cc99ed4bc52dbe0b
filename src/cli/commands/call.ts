import { Option } from 'commander';
import type { Protocol } from '../../domain/agent-type.ts';
import { SIGNING_PROFILES, TAG_VOCABULARIES } from '../../signing/profile.ts';
import { type DefineCommand, examples } from '../command.ts';
import type { SigningFlags } from '../input/signing-fetch-of.ts';
import {
  type CredentialFlags,
  type NetworkFlags,
  wholeNumber,
  withCredential,
  withNetwork,
} from '../options.ts';
import { withFolder } from './keys.ts';

export interface CallFlags extends NetworkFlags, CredentialFlags, SigningFlags {
  /** The file of the request; what is printed is chosen by `format`. */
  readonly json?: string;
  readonly format: 'text' | 'json';
  readonly raw?: true;
  readonly protocol?: Protocol;
  readonly timeout: number;
  readonly validate: boolean;
}

/** `registry call`. */
export const defineCall: DefineCommand = (program, done) => {
  const command = program
    .command('call')
    .description('Call a task of an agent over MCP or A2A, and hold request and answer against the schemas.')
    .argument('<url>', 'the agent; a loopback URL such as http://127.0.0.1:3000/mcp is fine here')
    .argument('<task>', 'the task, get_products for example')
    .argument(
      '[fields...]',
      'members of the request: brief="coffee in Ghent", brand.domain=acme.example, refine.0.scope=request, ' +
        'channels=["display"]; NAME:=VALUE must be JSON',
    )
    .option('--json <file>', 'the request as a JSON file, or - for stdin; fields go over it')
    .addOption(
      new Option('--format <format>', 'how the answer is printed; json follows schemas/cli/call.json')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--raw', 'print the answer as it came')
    .addOption(
      new Option('--protocol <protocol>', 'speak this one only; by default MCP, then A2A').choices([
        'mcp',
        'a2a',
      ]),
    )
    .option(
      '--no-validate',
      'send the request as it is: not checked, and with no idempotency_key made for it',
    )
    .option('--timeout <s>', 'seconds for each step of the conversation', wholeNumber(1, 600), 30)
    .option('--sign <key>', 'sign every request with this private key: a file, or a kid in the folder')
    .addOption(
      new Option('--profile <line>', 'how bytes of signatures are written: 3.1 base64url, 3.2 base64')
        .choices(SIGNING_PROFILES)
        .default('3.2'),
    )
    .addOption(
      new Option('--vocabulary <vocabulary>', "whose tag a signature has; by default the key's").choices(
        TAG_VOCABULARIES,
      ),
    )
    .addOption(
      new Option('--digest <rule>', 'whether a signature covers the body')
        .choices(['required', 'forbidden'])
        .default('required'),
    );
  withNetwork(withCredential(withFolder(command)));
  examples(
    command,
    'registry call http://127.0.0.1:3000/mcp get_products brief="coffee in Ghent" brand.domain=acme.example',
    'registry call https://sales.agents.example/a2a create_media_buy --json buy.json --protocol a2a --sign ./key.json',
    'registry call https://signals.agents.example/mcp get_signals --json - --auth-env TOKEN --format json < ask.json',
  );
  command.action(async (url: string, task: string, fields: readonly string[], flags: CallFlags) => {
    const { callCommand } = await import('../run/call.ts');
    done(await callCommand({ url, task, fields }, flags));
  });
};
