import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RegistryError } from '../../../errors.ts';
import { PROFILE_RULES } from '../../../signing/profile.ts';
import type { WebhookReceiver } from '../../../webhooks/receiver.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { choiceFlag, type FlagValues, integerFlag, listFlag, PORTS, textFlag } from '../../flags.ts';
import { senderKeys } from '../../input/sender-keys.ts';
import { aborted, onInterrupt } from '../../interrupt.ts';
import { note, printLine } from '../../output/print.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import { JSON_FLAG, NETWORK_FLAGS } from '../../shared-flags.ts';
import { printAgreement, printArrival, printRefusal } from './print.ts';

const HOST = '127.0.0.1';
/** Whose webhooks these are, where they are kept; the name of nobody. */
const RECEIVER = 'urn:webhooks:listen';

const FLAGS = {
  port: integerFlag('--port <n>', 'TCP port on 127.0.0.1; 0 picks a free port', PORTS, 0),
  path: textFlag('--path <path>', 'path that receives webhooks', '/webhooks'),
  origin: textFlag(
    '--origin <origin>',
    'public origin that senders post to (default: the listening address)',
  ),
  jwks: textFlag(
    '--jwks <file>',
    'public keys of the sender, a JWK set; for notifications of a registry, its /.well-known/webhook-keys.json',
  ),
  agent: textFlag('--agent <url>', 'URL of the sending agent, whose keys are found through its brand.json'),
  brandJson: textFlag(
    '--brand-json <url>',
    'with --agent: URL of its brand.json, if it is not on the domain of the agent',
  ),
  publisher: listFlag(
    '--publisher <domain>',
    'with --agent: publisher whose adagents.json can pin the keys; pinned keys replace all others (repeatable)',
    'none',
  ),
  profile: choiceFlag(
    '--profile <line>',
    'encoding of signatures: 3.0 and 3.1 base64url, 3.2 base64; declared: detect it from tag and padding',
    PROFILE_RULES,
    'declared',
  ),
  store: textFlag(
    '--store <address>',
    'store webhooks and nonces in sqlite:PATH, to detect duplicates after a restart',
  ),
  ...NETWORK_FLAGS,
  ...JSON_FLAG,
};
type ListenFlags = FlagValues<typeof FLAGS>;

/** Until SIGTERM or SIGINT. */
export default command({
  name: 'listen',
  description: 'Receive webhooks of agents and of registries on this machine, verify and print them.',
  flags: FLAGS,
  async run(flags) {
    check(flags);
    const { composeFetcher } = await import('../../../compose/network.ts');
    const { openAgentStates, openReplayStore } = await import('../../../compose/agent-stores.ts');
    const { sqlitePath } = await import('../../../compose/engines.ts');
    const { systemClock: clock } = await import('../../../compose/clock.ts');
    const { webhookFault } = await import('../../../protocol/read-request.ts');
    const { isWakeUp, wakeUpFault } = await import('../../../webhooks/wake-up.ts');
    const { createSignatureGate } = await import('../../../signing/gate.ts');
    const { openInbox } = await import('../../../webhooks/inbox.ts');
    const { createWebhookReceiver } = await import('../../../webhooks/receiver.ts');
    const { callerBehind } = await import('../../../edge/peer.ts');
    const config = configOf({});
    const path = flags.store === undefined ? ':memory:' : sqlitePath(flags.store);
    await using open = new AsyncDisposableStack();
    const fetcher = composeFetcher(config, await networkOf(flags, config), clock);
    open.defer(() => fetcher.close());
    const keys = await senderKeys(flags, fetcher, clock);
    const replays = openReplayStore(path);
    open.defer(() => replays.close());
    const states = openAgentStates(path);
    open.defer(() => states.close());
    const gate = createSignatureGate({ kind: 'webhook', profile: flags.profile, keys, replays, clock });
    const inbox = openInbox(states.of(RECEIVER));
    const { signal, dispose } = onInterrupt();
    open.defer(dispose);
    // the last step: everything else is ready
    // the receiver is for the very place where this listens
    let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
    const server = await listen(flags.port, (...exchange) => answer(...exchange), config.trustedProxies);
    open.defer(() => close(server));
    const place = `http://${HOST}:${(server.address() as AddressInfo).port}`;
    const receive = createWebhookReceiver({
      gate,
      inbox,
      clock,
      origin: flags.origin ?? place,
      validate: (payload) => (isWakeUp(payload) ? wakeUpFault(payload) : webhookFault(payload)),
      ...(flags.agent !== undefined && { sender: flags.agent }),
      onWebhook: (arrival) => printArrival(arrival, flags.json === true),
      onAgreed: printAgreement,
      onRefused: printRefusal,
      callerOf: callerBehind(config.trustedProxies),
    });
    answer = receiveAt(flags.path, receive);
    announce(flags, `listening on ${place}${flags.path}`);
    await aborted(signal);
    return EXIT.ok;
  },
});

function check({ jwks, agent, brandJson, path, origin, publisher }: ListenFlags): void {
  if ((jwks === undefined) === (agent === undefined))
    throw usage('the sender is missing', 'give --jwks FILE or --agent URL');
  if (brandJson !== undefined && (agent === undefined || URL.parse(brandJson)?.protocol !== 'https:'))
    throw usage(
      '--brand-json must be the https URL of the brand.json of --agent',
      'give both flags or neither',
    );
  if (publisher.length > 0 && agent === undefined)
    throw usage('--publisher requires --agent', 'give both flags or neither');
  if (!path.startsWith('/')) throw usage(`--path ${path} must begin with /`, 'write it as /webhooks');
  const parsed = origin === undefined ? undefined : URL.parse(origin);
  if (parsed === null || (parsed !== undefined && parsed.origin !== origin))
    throw usage(`--origin ${origin} is not an origin`, 'write it as https://buyer.example');
}

function receiveAt(path: string, receive: WebhookReceiver): RequestListener {
  return (request, response) => {
    if (URL.parse(request.url ?? '', 'http://x')?.pathname === path) void receive(request, response);
    else
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`not found: send webhooks to ${path}\n`);
  };
}

async function listen(
  port: number,
  listener: RequestListener,
  trustedProxies: readonly string[],
): Promise<Server> {
  const { createGuardedServer } = await import('../../../edge/guarded-server.ts');
  const server = createGuardedServer(listener, { trustedProxies });
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new RegistryError('port_in_use', `port ${port} is already in use`, {
              cause,
              hint: 'choose another port with --port (0 picks a free one)',
            })
          : cause,
      ),
    );
    server.listen(port, HOST, () => resolve(server));
  });
}

/** Data alone goes to stdout. */
function announce({ json, store }: ListenFlags, line: string): void {
  (json ? note : printLine)(line);
  if (store === undefined)
    note('duplicates are detected until this process stops; add --store sqlite:PATH to keep the state');
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 2_000);
  await closed;
  clearTimeout(timer);
}

function usage(message: string, hint: string): RegistryError {
  return new RegistryError('usage', message, { hint });
}
