import { type DefineCommand, examples } from '../command.ts';
import {
  type JsonFlag,
  type NetworkFlags,
  type StoreFlags,
  wholeNumber,
  withJson,
  withNetwork,
  withStore,
} from '../options.ts';

export interface BadgesListFlags extends StoreFlags, JsonFlag {
  readonly limit: number;
  readonly cursor?: string;
}

export interface BadgesVerifyFlags extends NetworkFlags, JsonFlag {
  readonly jwks: string;
  readonly agent?: string;
  readonly issuer?: string;
  readonly at?: number;
}

/** `registry badges list | verify`. */
export const defineBadges: DefineCommand = (program, done) => {
  const badges = program
    .command('badges')
    .description(
      'What agents are verified for: why badges came or went, and whether the token of one holds.',
    );
  const list = badges
    .command('list')
    .description('Show the badges of an agent and their timeline, newest first.')
    .argument('<url>', 'the agent')
    .option('--limit <n>', 'at most so many events', wholeNumber(1, 1_000), 20)
    .option('--cursor <text>', 'the next_cursor of the page before');
  withJson(withStore(list)).action(async (url: string, flags: BadgesListFlags) => {
    const { listBadges } = await import('../run/badges-list.ts');
    done(await listBadges(url, flags));
  });
  const verify = badges
    .command('verify')
    .description(
      'Check the token of a badge with the public keys of its registry: 0 when it holds, 1 when not.',
    )
    .argument('<token>', 'the token itself, a file with it, or - for stdin')
    .requiredOption(
      '--jwks <file|url>',
      'the public keys, /.well-known/jwks.json of the registry; with a file nothing is fetched',
    )
    .option('--agent <url>', 'it has to be the badge of this agent')
    .option('--issuer <url>', 'it has to be from this registry, by its public address')
    .option('--at <s>', 'verify as of this moment, Unix seconds', wholeNumber(0, 1e12));
  withJson(withNetwork(verify)).action(async (token: string, flags: BadgesVerifyFlags) => {
    const { verifyBadge } = await import('../run/badges-verify.ts');
    done(await verifyBadge(token, flags));
  });
  const verifying = 'registry badges verify badge.jwt --jwks jwks.json --agent https://sales.example/mcp';
  examples(badges, 'registry badges list https://sales.example/mcp', verifying);
  examples(list, 'registry badges list https://sales.example/mcp --json');
  examples(
    verify,
    verifying,
    'registry badges verify - --jwks https://registry.example/.well-known/jwks.json',
  );
};
