import { Option } from 'commander';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type LogFlags, wholeNumber, withJson, withLog } from '../options.ts';

export const MATCH_SIDES = ['both', 'context', 'identity'] as const;
export type MatchSide = (typeof MATCH_SIDES)[number];

export interface MatchServeFlags extends LogFlags {
  readonly packages: string;
  readonly audiences?: string;
  readonly side: MatchSide;
  readonly store?: string;
  readonly keyEnv?: string;
  /** Seconds. */
  readonly ttl: number;
  readonly port: number;
  readonly host: string;
  readonly metricsPort?: number;
}

export interface MatchTryFlags extends JsonFlag {
  readonly context: string;
  readonly identity: string;
  readonly provider: string;
}

/** `registry match serve | try`. */
export const defineMatch: DefineCommand = (program, done) => {
  const match = program
    .command('match')
    .description('Trusted match: which packages fit a page, and which somebody may see, asked apart.');
  const serve = match
    .command('serve')
    .description('Answer POST /context, and POST /identity and /exposure, which know nothing of each other.')
    .requiredOption('--packages <file>', 'JSON or YAML, as in schemas/trusted-match/packages.json')
    .option(
      '--audiences <file>',
      'members of audiences as tokens, as in schemas/trusted-match/audiences.json',
    )
    .addOption(new Option('--side <side>', 'what this process answers').choices(MATCH_SIDES).default('both'))
    .option('--store <address>', 'keep exposures there, sqlite:PATH; by default in memory')
    .option('--key-env <name>', 'variable with the secret that tokens are hashed with, 32 characters or more')
    .option('--ttl <s>', 'how long an eligibility may be kept, seconds', wholeNumber(0, 86_400), 60)
    .option('--port <n>', 'TCP port; 0 takes a free one and prints it', wholeNumber(0, 65_535), 8090)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--metrics-port <n>',
      'answer GET /metrics and GET /health there; 0 takes a free one and prints it',
      wholeNumber(0, 65_535),
    );
  withLog(serve).action(async (flags: MatchServeFlags) => {
    const { matchServeCommand } = await import('../run/match.ts');
    done(await matchServeCommand(flags));
  });
  const attempt = match
    .command('try')
    .description('Send both requests as a publisher would, join the answers here, and print the packages.')
    .requiredOption('--context <file>', 'a context match request; its request id is made anew')
    .requiredOption('--identity <file>', 'an identity match request; its request id is made anew')
    .requiredOption('--provider <url>', 'the origin of the provider');
  withJson(attempt).action(async (flags: MatchTryFlags) => {
    const { matchTryCommand } = await import('../run/match.ts');
    done(await matchTryCommand(flags));
  });
  const serving =
    'registry match serve --packages packages.json --store sqlite:caps.sqlite --key-env MATCH_KEY';
  const trying =
    'registry match try --context context.json --identity identity.json --provider http://127.0.0.1:8090';
  examples(match, serving, trying);
  examples(serve, serving);
  examples(attempt, trying);
};
