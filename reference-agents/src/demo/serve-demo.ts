import { once } from 'node:events';
import { type AddressInfo, createServer as createListener } from 'node:net';
import type { Fetcher } from '@agent-registry/surface/agent-kit';
import { DEFAULT_TESTER, printLine } from '@agent-registry/surface/command-line';
import {
  type Config,
  composeCredentials,
  composeFileChecks,
  composeProofs,
  composeUrlFault,
  createBudgets,
  createLog,
  createMetrics,
  createServer,
  cursorSecretOf,
  localWay,
  newApiKey,
  type Store,
  serve,
  systemClock,
  VERSION,
  wakeSubscribers,
  writeExport,
} from '@agent-registry/surface/registry';
import { createHeartbeat } from './create-heartbeat.ts';
import { OWNED_AGENTS } from './members.ts';
import type { SandboxProcess } from './sandbox-process.ts';

interface ServeParts {
  readonly store: Store;
  readonly sandbox: SandboxProcess;
  readonly fetcher: Fetcher;
  readonly signal: AbortSignal;
  /** The folder of `agent-registry sandbox --well-known`: a file that is put there is on a host of the sandbox. */
  readonly wellKnown: string;
  /** Where wake-ups can be received on this machine, as `--connect-to`: `HOST=ORIGIN`. */
  readonly receiver: string;
}

const [TESTED = ''] = OWNED_AGENTS.map(({ url }) => url);
const PAUSED = OWNED_AGENTS.find(({ isPaused }) => isPaused);
const BROKEN = OWNED_AGENTS.map(({ url }) => url).find((url) => url.includes('broken')) ?? '';

/** Serves what the demo has found until the signal, tests what its owners ask for, wakes subscribers, and says what to ask. */
export async function serveDemo(usual: Config, parts: ServeParts): Promise<void> {
  const { store, sandbox, fetcher, signal, receiver } = parts;
  // what an embed or a wake-up says of the registry has its address in it
  const port = await freePort();
  const config = { ...usual, baseUrl: `http://127.0.0.1:${port}` };
  const network = { connectTo: [...sandbox.connectTo, receiver] };
  const logger = createLog({ level: 'error', pretty: process.stderr.isTTY });
  const { records } = store;
  const { politeness } = records;
  const checks = composeFileChecks({
    ...{ config, network, politeness },
    clock: systemClock,
    onFault: (err) => logger.warn({ err }, 'the turn of a checked site was not given back'),
  });
  const proofs = composeProofs({ config, network, clock: systemClock });
  const budgets = createBudgets(store.records);
  const server = createServer({
    ...store,
    checks,
    findProof: proofs.find,
    urlFault: composeUrlFault(network),
    budgets,
    logger,
    clock: systemClock,
    credentials: await composeCredentials(config, records, systemClock),
    metrics: createMetrics(),
    config: {
      ...{ version: VERSION, trustedProxies: [] },
      tester: { ...DEFAULT_TESTER, localWay: localWay(network) },
      ...{ baseUrl: config.baseUrl, exports: config.exports },
    },
  });
  const copied = { records, clock: systemClock, cursorSecret: await cursorSecretOf(records) };
  await writeExport(copied, config.exports, signal);
  const serving = await serve({ server, host: '127.0.0.1', port, signal });
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const beat = await createHeartbeat(store, { config, fetcher, clock: systemClock, log, signal });
  const beating = beat(false);
  const sleep = await wakeSubscribers({ config, network, records, clock: systemClock, log, budgets });
  await tellPages(serving.url, store);
  tellApi(serving.url);
  tellOwners(serving.url, parts);
  tellCommands(config, sandbox);
  printLine('\npress Ctrl-C to stop the demo');
  await serving.stopped;
  await beating;
  await sleep();
  await checks.close();
  await proofs.close();
}

/** With a key to sign in with, of a member who may have an agent tested now. */
async function tellPages(origin: string, { records }: Store): Promise<void> {
  const { url = '', member = '' } = PAUSED ?? {};
  const { key, id, hash } = newApiKey();
  await records.keys.create({ id, member, label: 'demo', hash }, systemClock.now());
  printLine(`\nopen in a browser: ${origin}/`);
  printLine(`  a failing agent          ${origin}/agents/${encodeURIComponent(BROKEN)}`);
  printLine(`  validate a file          ${origin}/validate`);
  printLine(`  watch a live test        ${origin}/my/agents/${encodeURIComponent(url)}#runs`);
  printLine(`    API key for sign-in    ${key}`);
}

function tellApi(origin: string): void {
  const agent = `${origin}/api/registry/agents/${encodeURIComponent(TESTED)}`;
  printLine(`\nAPI: ${origin}; try`);
  printLine(`  curl '${agent}/compliance'`);
  printLine(`  curl '${agent}/badge/media-buy.svg'`);
  printLine(`  curl -s '${agent}/badge/media-buy/token' |`);
  printLine(`    npx agent-registry badges verify - --jwks '${origin}/.well-known/jwks.json'`);
  printLine(`  curl '${origin}/api/registry/agents?verified=true&compliance=true'`);
  printLine(
    `  curl '${origin}/api/registry/agents?accreditation=MRC&q=view&same_metric=true&accreditation_valid=true'`,
  );
}

/** What somebody tries who owns an agent, or keeps a copy. */
function tellOwners(origin: string, { wellKnown, receiver }: ServeParts): void {
  const [host, place = ''] = receiver.split('=');
  printLine('\nto prove ownership of a sandbox agent, save the challenge text as');
  printLine(`  ${wellKnown}/HOST/agent-registry-challenge.txt`);
  printLine(
    'to receive webhooks about changes, start the listener, and subscribe with this URL; `Send one now` tests it:',
  );
  printLine(`  https://${host}/webhooks   at ${origin}/my/subscriptions`);
  printLine(`  curl -s '${origin}/.well-known/webhook-keys.json' > demo-keys.json`);
  printLine(
    `  npx agent-registry webhooks listen --port ${new URL(place).port} --origin https://${host} --jwks demo-keys.json`,
  );
  printLine(`to download a copy of the registry: curl -s '${origin}/api/registry/export' -o demo.ndjson.gz`);
}

/** One that nobody has at this moment. */
async function freePort(): Promise<number> {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

/** Commands for what the demo has left, and for its sandbox while that runs. */
export function tellCommands({ store }: Config, sandbox: SandboxProcess | undefined): void {
  printLine('\ntry these commands in another terminal:');
  printLine(`  npx agent-registry explain ${BROKEN} --store ${store}`);
  printLine(`  npx agent-registry badges list ${TESTED} --store ${store}`);
  printLine(`  npx agent-registry explain noticeboard.example --store ${store}`);
  printLine(`  npx agent-registry search --type sales --health --store ${store}`);
  if (sandbox === undefined) {
    printLine(`  npx agent-registry serve --store ${store}`);
    printLine('the sandbox stopped with the demo; start another one for commands that call its agents:');
    printLine(
      "  npx agent-registry sandbox --port 4000  # and add --connect-to '*.example=http://127.0.0.1:4000' to them",
    );
    return;
  }
  const [connectTo] = sandbox.connectTo;
  const [seller] = sandbox.agents;
  printLine(`  npx agent-registry probe ${seller} --connect-to '${connectTo}'`);
  printLine(
    `  npx agent-registry call ${seller} get_products brief='papers of the coast' --connect-to '${connectTo}'`,
  );
  printLine(`  npx agent-registry campaign --state ${sandbox.state} --connect-to '${connectTo}'`);
}
