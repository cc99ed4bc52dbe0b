import { type Command, Option } from 'commander';
import { SIGNING_PROFILES, type SigningProfile } from '../../signing/profile.ts';
import { type DefineCommand, examples } from '../command.ts';
import {
  collect,
  type JsonFlag,
  type NetworkFlags,
  type StateFlag,
  wholeNumber,
  withJson,
  withNetwork,
  withState,
} from '../options.ts';

export interface ListenFlags extends NetworkFlags, JsonFlag {
  readonly port: number;
  readonly path: string;
  readonly origin?: string;
  readonly jwks?: string;
  readonly agent?: string;
  readonly brandJson?: string;
  readonly publisher: readonly string[];
  readonly profile: SigningProfile;
  readonly store?: string;
}

export interface OutboxFlags extends JsonFlag, StateFlag {
  readonly agent?: string;
}

export interface ReplayFlags extends OutboxFlags {
  readonly all?: true;
}

/** `registry webhooks listen | list | dead | replay`. */
export const defineWebhooks: DefineCommand = (program, done) => {
  const webhooks = program
    .command('webhooks')
    .description('Receive signed webhooks, and look after those that agents of this machine send.');
  withListen(
    webhooks.command('listen').description('Receive webhooks on this machine, verify each, and print it.'),
  ).action(async (flags: ListenFlags) => {
    const { listenCommand } = await import('../run/webhooks-listen.ts');
    done(await listenCommand(flags));
  });
  const list = webhooks.command('list').description('Every webhook of an outbox, with its state.');
  withOutbox(list).action(async (flags: OutboxFlags) => {
    const { listCommand } = await import('../run/webhooks.ts');
    done(await listCommand(flags));
  });
  const dead = webhooks
    .command('dead')
    .description('The dead letters: what could not be delivered, and why.');
  withOutbox(dead).action(async (flags: OutboxFlags) => {
    const { deadCommand } = await import('../run/webhooks.ts');
    done(await deadCommand(flags));
  });
  const replay = webhooks
    .command('replay')
    .description('Send dead letters once more, with all their tries; whoever delivers takes them at once.')
    .argument('[id]', 'as `webhooks dead` prints it')
    .option('--all', 'all dead letters');
  withOutbox(replay).action(async (id: string | undefined, flags: ReplayFlags) => {
    const { replayCommand } = await import('../run/webhooks.ts');
    done(await replayCommand(id, flags));
  });
  examples(
    webhooks,
    'registry webhooks listen --port 9000 --agent https://sales.agents.example/mcp --origin https://buyer.example',
    'registry webhooks dead --state sqlite:.registry/sandbox.sqlite',
    'registry webhooks replay --all --state sqlite:.registry/sandbox.sqlite',
  );
};

function withListen(command: Command): Command {
  command
    .option('--port <n>', 'TCP port on 127.0.0.1; 0 takes a free one', wholeNumber(0, 65_535), 0)
    .option('--path <path>', 'where webhooks are posted', '/webhooks')
    .option('--origin <origin>', 'the public origin that senders post to; default: where it listens')
    .option('--jwks <file>', 'the public keys of the sender, a JWK set')
    .option('--agent <url>', 'or the agent that sends: its keys are found through its brand.json')
    .option('--brand-json <url>', 'with --agent: its brand.json, when it is not on the domain of the agent')
    .addOption(
      new Option(
        '--publisher <domain>',
        'with --agent: a publisher whose adagents.json may pin the keys, which then count alone (repeatable)',
      )
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--profile <line>', 'how bytes are written: 3.1 base64url, 3.2 base64')
        .choices(SIGNING_PROFILES)
        .default('3.2'),
    )
    .option(
      '--store <address>',
      'keep webhooks and nonces there, sqlite:PATH, to recognise them after a restart',
    );
  return withJson(withNetwork(command));
}

function withOutbox(command: Command): Command {
  return withJson(
    withState(command).option('--agent <url>', 'of this agent alone; default: of all in the file'),
  );
}
