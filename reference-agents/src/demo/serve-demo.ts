import type { Fetcher } from '@agent-registry/surface/agent-kit';
import { DEFAULT_TESTER, printLine } from '@agent-registry/surface/command-line';
import {
  type Config,
  composeCredentials,
  composeFileChecks,
  composeProofs,
  composeUrlFault,
  createLog,
  createMetrics,
  createServer,
  localWay,
  newApiKey,
  type Store,
  serve,
  systemClock,
  VERSION,
} from '@agent-registry/surface/registry';
import { createHeartbeat } from './create-heartbeat.ts';
import { OWNED_AGENTS } from './members.ts';
import type { SandboxProcess } from './sandbox-process.ts';

interface ServeParts {
  readonly store: Store;
  readonly sandbox: SandboxProcess;
  readonly fetcher: Fetcher;
  readonly signal: AbortSignal;
}

const [TESTED = ''] = OWNED_AGENTS.map(({ url }) => url);
const PAUSED = OWNED_AGENTS.find(({ isPaused }) => isPaused);
const BROKEN = OWNED_AGENTS.map(({ url }) => url).find((url) => url.includes('broken')) ?? '';

/** Serves what the demo has found until the signal, tests what its owners ask for, and says what to ask. */
export async function serveDemo(
  config: Config,
  { store, sandbox, fetcher, signal }: ServeParts,
): Promise<void> {
  const logger = createLog({ level: 'error', pretty: process.stderr.isTTY });
  const { politeness } = store.records;
  const checks = composeFileChecks({
    ...{ config, network: { connectTo: sandbox.connectTo }, politeness },
    clock: systemClock,
    onFault: (err) => logger.warn({ err }, 'the turn of a checked site was not given back'),
  });
  const proofs = composeProofs({ config, network: { connectTo: sandbox.connectTo }, clock: systemClock });
  const server = createServer({
    ...store,
    checks,
    findProof: proofs.find,
    urlFault: composeUrlFault({ connectTo: sandbox.connectTo }),
    logger,
    clock: systemClock,
    credentials: await composeCredentials(config, store.records, systemClock),
    metrics: createMetrics(),
    config: {
      ...{ version: VERSION, trustedProxies: [] },
      tester: { ...DEFAULT_TESTER, localWay: localWay({ connectTo: sandbox.connectTo }) },
    },
  });
  const serving = await serve({ server, host: '127.0.0.1', port: 0, signal });
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const beat = await createHeartbeat(store, { config, fetcher, clock: systemClock, log, signal });
  const beating = beat(false);
  await tellPages(serving.url, store);
  tellApi(serving.url);
  tellCommands(config, sandbox);
  printLine('\nCtrl-C ends the demo');
  await serving.stopped;
  await beating;
  await checks.close();
  await proofs.close();
}

/** With a key to sign in with, of a member who may have an agent tested now. */
async function tellPages(origin: string, { records }: Store): Promise<void> {
  const { url = '', member = '' } = PAUSED ?? {};
  const { key, id, hash } = newApiKey();
  await records.keys.create({ id, member, label: 'demo', hash }, systemClock.now());
  printLine(`\nin a browser: ${origin}/`);
  printLine(`  an agent that fails      ${origin}/agents/${encodeURIComponent(BROKEN)}`);
  printLine(`  a file to check          ${origin}/validate`);
  printLine(`  a test to watch          ${origin}/my/agents/${encodeURIComponent(url)}#runs`);
  printLine(`    sign in with the key   ${key}`);
}

function tellApi(origin: string): void {
  const agent = `${origin}/api/registry/agents/${encodeURIComponent(TESTED)}`;
  printLine(`\nthe API is on ${origin}; try`);
  printLine(`  curl '${agent}/compliance'`);
  printLine(`  curl '${agent}/badge/media-buy.svg'`);
  printLine(`  curl -s '${agent}/badge/media-buy/token' |`);
  printLine(`    npx agent-registry badges verify - --jwks '${origin}/.well-known/jwks.json'`);
  printLine(`  curl '${origin}/api/registry/agents?verified=true&compliance=true'`);
  printLine(
    `  curl '${origin}/api/registry/agents?accreditation=MRC&q=view&same_metric=true&accreditation_valid=true'`,
  );
}

/** Commands for what the demo has left, and for its sandbox while that runs. */
export function tellCommands({ store }: Config, sandbox: SandboxProcess | undefined): void {
  printLine('\nlook around in another terminal:');
  printLine(`  npx agent-registry explain ${BROKEN} --store ${store}`);
  printLine(`  npx agent-registry badges list ${TESTED} --store ${store}`);
  printLine(`  npx agent-registry explain noticeboard.example --store ${store}`);
  printLine(`  npx agent-registry search --type sales --health --store ${store}`);
  if (sandbox === undefined) {
    printLine(`  npx agent-registry serve --store ${store}`);
    printLine('the sandbox has ended with the demo; for commands that call its agents start another one:');
    printLine(
      "  npx agent-registry sandbox --port 4000  # and give them --connect-to '*.example=http://127.0.0.1:4000'",
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
