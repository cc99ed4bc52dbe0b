import { Option } from 'commander';
import type { Protocol } from '../../domain/agent-type.ts';
import { type DefineCommand, examples } from '../command.ts';
import type { SigningFlags } from '../input/signing-fetch-of.ts';
import {
  type CredentialFlags,
  collect,
  type JsonFlag,
  type NetworkFlags,
  type StoreFlags,
  wholeNumber,
  withCredential,
  withJson,
  withNetwork,
  withStore,
} from '../options.ts';
import { withFolder } from './keys.ts';

export interface CheckFlags
  extends NetworkFlags,
    CredentialFlags,
    JsonFlag,
    StoreFlags,
    Pick<SigningFlags, 'sign' | 'keys'> {
  readonly storyboards?: string;
  readonly target: string;
  readonly only: readonly string[];
  readonly track: readonly string[];
  readonly protocol?: Protocol;
  readonly as: string;
  readonly operator?: string;
  readonly brand: string;
  readonly dryRun?: true;
  readonly record?: true;
  readonly save?: string;
  readonly replay?: string;
  readonly timeout: number;
  readonly deadline: number;
  readonly progress: 'auto' | 'plain' | 'none';
}

/** As whom is bought where nobody says otherwise: the desk of the sandbox, which its agents know. */
export const DESK = { agentUrl: 'https://desk.example/agent', brand: 'tidewater-kayaks.example' } as const;

/** `registry check`. */
export const defineCheck: DefineCommand = (program, done) => {
  const command = program
    .command('check')
    .description('Run the storyboards that an agent is to pass, and say what it passes, what not, and why.')
    .argument('[url]', 'the agent; a loopback URL such as http://127.0.0.1:3000/mcp is fine here')
    .option('--storyboards <dir>', 'storyboards in the public YAML format; by default our own bundle')
    .option('--target <line>', 'the version of the protocol: 3.0, 3, latest or 3.0.0', '3.0')
    .addOption(list('--only <id>', 'run this storyboard only (repeatable)'))
    .addOption(list('--track <name>', 'run the storyboards of this track only (repeatable)'))
    .addOption(
      new Option('--protocol <protocol>', 'speak this one only; by default MCP, then A2A').choices([
        'mcp',
        'a2a',
      ]),
    )
    .option('--as <url>', 'our own agent, as whom is bought', DESK.agentUrl)
    .option('--operator <domain>', 'the domain that it acts for; by default its host')
    .option('--brand <domain>', 'the brand that is bought for', DESK.brand)
    .option(
      '--dry-run',
      'call nothing that changes anything; the run is marked, and no verdict follows from it',
    )
    .option('--record', 'keep the run in the registry: its verdict, history and badges follow from it')
    .option('--save <dir>', 'keep every exchange in a new folder')
    .option('--replay <dir>', 'run the checks again on what was saved there, with no network')
    .option('--timeout <s>', 'seconds for each step', wholeNumber(1, 120), 30)
    .option('--deadline <s>', 'seconds for the whole run', wholeNumber(1, 7_200), 600)
    .option('--sign <key>', 'sign every request with this private key: a file, or a kid in the folder')
    .addOption(
      new Option('--progress <kind>', 'how progress is shown, on stderr')
        .choices(['auto', 'plain', 'none'])
        .default('auto'),
    );
  withJson(withStore(withNetwork(withCredential(withFolder(command)))));
  examples(
    command,
    'registry check http://127.0.0.1:3000/mcp',
    'registry check https://sales.agents.example/mcp --auth-env TOKEN --track media_buy --json',
    'registry check https://sales.agents.example/mcp --only media_buy_idempotency --save ./run',
    'registry check https://sales.agents.example/mcp --auth-env TOKEN --record',
    'registry check --replay ./run',
  );
  command.action(async (url: string | undefined, flags: CheckFlags) => {
    const { checkCommand } = await import('../run/check.ts');
    done(await checkCommand(url, flags));
  });
};

function list(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect).default([], 'all');
}
