import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  composeFetcher,
  composeKeyDirectory,
  fetchPinnedKeys,
  openAgentStates,
  openReplayStore,
  sqlitePath,
  systemClock,
} from '../../compose.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import type { Fetcher } from '../../ports/fetcher.ts';
import { webhookFault } from '../../protocol/read-request.ts';
import { createSignatureGate } from '../../signing/gate.ts';
import { fixedKeys, type KeySource, readJwkSet } from '../../signing/key-source.ts';
import { openInbox } from '../../webhooks/inbox.ts';
import { createWebhookReceiver, type WebhookReceiver } from '../../webhooks/receiver.ts';
import type { ListenFlags } from '../commands/webhooks.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../interrupt.ts';
import { note, printLine } from '../output/print.ts';
import { printArrival, printRefusal } from '../output/print-webhook.ts';
import { networkOf, readText, settingsOf } from '../settings.ts';

const HOST = '127.0.0.1';
/** Whose webhooks these are, where they are kept; the name of nobody. */
const RECEIVER = 'urn:webhooks:listen';

/** `registry webhooks listen`: until SIGTERM or SIGINT. */
export async function listenCommand(flags: ListenFlags): Promise<ExitCode> {
  check(flags);
  const config = settingsOf({});
  const path = flags.store === undefined ? ':memory:' : sqlitePath(flags.store);
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const keys = await keysOf(flags, fetcher);
  const replays = openReplayStore(path);
  const states = openAgentStates(path);
  const interrupt = onInterrupt();
  try {
    const server = await listen(flags.port);
    const place = `http://${HOST}:${(server.address() as AddressInfo).port}`;
    const receive = createWebhookReceiver({
      gate: createSignatureGate({
        kind: 'webhook',
        profile: flags.profile,
        keys,
        replays,
        clock: systemClock,
      }),
      inbox: openInbox(states.of(RECEIVER)),
      clock: systemClock,
      origin: flags.origin ?? place,
      validate: webhookFault,
      ...(flags.agent !== undefined && { sender: flags.agent }),
      onWebhook: (arrival) => printArrival(arrival, flags.json === true),
      onRefused: printRefusal,
    });
    serve(server, flags.path, receive);
    announce(flags, `listening on ${place}${flags.path}`);
    await aborted(interrupt.signal);
    await close(server);
    return EXIT.ok;
  } finally {
    await fetcher.close();
    await replays.close();
    states.close();
    interrupt.dispose();
  }
}

function check({ jwks, agent, brandJson, path, origin, publisher }: ListenFlags): void {
  if ((jwks === undefined) === (agent === undefined))
    throw usage('whose webhooks are to be verified is not clear', 'give --jwks FILE or --agent URL');
  if (brandJson !== undefined && (agent === undefined || URL.parse(brandJson)?.protocol !== 'https:'))
    throw usage('--brand-json is the https address of the brand.json of --agent', 'give both, or none');
  if (publisher.length > 0 && agent === undefined)
    throw usage('--publisher pins the keys of --agent', 'give both, or none');
  if (!path.startsWith('/')) throw usage(`--path ${path} does not begin with /`, 'write it as /webhooks');
  const parsed = origin === undefined ? undefined : URL.parse(origin);
  if (parsed === null || (parsed !== undefined && parsed.origin !== origin))
    throw usage(`--origin ${origin} is no origin`, 'write it as https://buyer.example');
}

async function keysOf(flags: ListenFlags, fetcher: Fetcher): Promise<KeySource> {
  if (flags.agent === undefined) {
    const file = flags.jwks ?? '';
    const set = readJwkSet(await readText(file, '--jwks'));
    if (set === undefined) throw usage(`${file} is no JWK set`, 'make one with `registry keys jwks`');
    return fixedKeys(set);
  }
  if (!parseAgentUrl(flags.agent).ok)
    throw usage('--agent is no address of an agent', 'write it as https://sales.agents.example/mcp');
  const { hostname } = new URL(flags.agent);
  const brandJsonUrl = flags.brandJson ?? `https://${registrableDomain(hostname)}/.well-known/brand.json`;
  return composeKeyDirectory(fetcher, systemClock).keysOf({
    url: flags.agent,
    brandJsonUrl,
    kind: 'webhook',
    pins: await fetchPinnedKeys(fetcher, flags.publisher, flags.agent),
  });
}

function serve(server: Server, path: string, receive: WebhookReceiver): void {
  server.on('request', (request, response) => {
    if (URL.parse(request.url ?? '', 'http://x')?.pathname === path) void receive(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end(`webhooks are posted to ${path}\n`);
  });
}

function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new RegistryError('port_in_use', `port ${port} is already in use`, {
              cause,
              hint: 'choose another one with --port (0 takes a free one)',
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
  if (store === undefined) note('repetitions are recognised until this ends; --store sqlite:PATH keeps them');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
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
