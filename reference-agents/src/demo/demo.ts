import { mkdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AGENT_TYPES, type Fetcher } from '@agent-registry/surface/agent-kit';
import {
  endWithParent,
  note,
  onInterrupt,
  paint,
  printError,
  printLine,
  showProgress,
  visible,
} from '@agent-registry/surface/command-line';
import {
  type Config,
  type CrawlContext,
  composeCrawl,
  composeFetcher,
  crawl,
  createLog,
  isOnline,
  openRun,
  openStore,
  readConfig,
  type Store,
  systemClock,
} from '@agent-registry/surface/registry';
import { walkCampaigns } from './campaign.ts';
import { createHeartbeat, probeDue } from './create-heartbeat.ts';
import { OWNED_AGENTS, WATCHED_TASK_MS } from './members.ts';
import { ownDemoAgents } from './own-agents.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';
import { serveDemo, tellCommands } from './serve-demo.ts';
import { printStory } from './story/tell-story.ts';
import { printTested } from './tested.ts';

const FOLDER = '.registry';

const STORE = `${FOLDER}/demo.sqlite`;

const AGENTS = `${FOLDER}/demo-agents.sqlite`;

const WELL_KNOWN = `${FOLDER}/demo-well-known`;

const EXPORTS = `${FOLDER}/demo-exports`;

/** Where `agent-registry webhooks listen --port 9000` waits; an exact name goes before the sandbox's `*.example`. */
const RECEIVER = 'hooks.demo.example=http://127.0.0.1:9000';

const CREDENTIAL_KEYS = `${FOLDER}/demo-credential-keys.json`;

/** What is paused is tested when somebody asks, and looks on. */
const WATCHED = OWNED_AGENTS.filter(({ isPaused }) => isPaused).map(({ url }) => `${url}=${WATCHED_TASK_MS}`);

const CONFIG: Config = {
  ...readConfig({}),
  store: `sqlite:${STORE}`,
  credentialKeys: CREDENTIAL_KEYS,
  exports: EXPORTS,
  logLevel: 'error',
  // 178 domains are visited at once: on a busy machine some take seconds to answer
  visitDeadlineMs: 30_000,
};

const USAGE = `npm run demo [-- --exit | --story]
  --exit   stop after the tests; do not start the server
  --story  play 17 days of one agent instead`;

interface DemoParts {
  readonly store: Store;
  readonly sandbox: SandboxProcess;
  readonly fetcher: Fetcher;
  readonly signal: AbortSignal;
}

/** `npm run demo`: the whole way on one machine, from the sandbox's domain names to tested agents and a running API. */
async function demo(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { exit: flag, story: flag, help: flag } });
  if (values.help) return printLine(USAGE);
  const interrupt = onInterrupt();
  try {
    if (values.story) await printStory(interrupt.signal);
    else await walkThrough(values.exit, interrupt.signal);
  } finally {
    interrupt.dispose();
  }
}

async function walkThrough(exits: boolean, signal: AbortSignal): Promise<void> {
  forgetLastDemo();
  const sandbox = await startSandboxProcess(`sqlite:${AGENTS}`, WELL_KNOWN, WATCHED);
  const store = await openStore(CONFIG, { create: true });
  const fetcher = composeFetcher(CONFIG, { connectTo: sandbox.connectTo }, systemClock, store.records.robots);
  const parts = { store, sandbox, fetcher, signal };
  try {
    for (const part of [crawlSandbox, showCampaigns, testAgents]) {
      await part(parts);
      if (signal.aborted) return;
    }
    if (exits) tellCommands(CONFIG, undefined);
    else await serveDemo(CONFIG, { ...parts, wellKnown: WELL_KNOWN, receiver: RECEIVER });
  } finally {
    await fetcher.close();
    await store.close();
    sandbox.stop();
  }
}

function forgetLastDemo(): void {
  for (const file of [STORE, AGENTS])
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  for (const other of [CREDENTIAL_KEYS, WELL_KNOWN, EXPORTS]) rmSync(other, { recursive: true, force: true });
  mkdirSync(WELL_KNOWN, { recursive: true });
}

async function crawlSandbox({ store, sandbox, fetcher, signal }: DemoParts): Promise<void> {
  note(
    `sandbox at ${sandbox.origin}: ${sandbox.domains.length} domains under *.example, and several thousand small publishers of one manager`,
  );
  await ownDemoAgents({ config: CONFIG, store, fetcher, wellKnown: WELL_KNOWN });
  const log = createLog({ level: CONFIG.logLevel, pretty: process.stderr.isTTY });
  const seeds = sandbox.domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  const context: CrawlContext = composeCrawl({
    config: CONFIG,
    store,
    fetcher,
    clock: systemClock,
    log,
    signal,
  });
  const run = await openRun({ seeds, fingerprint: 'demo', maxDepth: 1 }, context);
  const progress = showProgress('auto', run);
  await crawl(run).finally(() => progress.stop());
  if (signal.aborted) return;
  await probeDue(context); // agents that were registered and that no file names
  await printDemo(store, CONFIG.store);
}

async function showCampaigns({ sandbox }: DemoParts): Promise<void> {
  await walkCampaigns(sandbox);
}

async function testAgents({ store, sandbox, fetcher, signal }: DemoParts): Promise<void> {
  note(
    `\n${OWNED_AGENTS.filter(({ isPaused }) => !isPaused).length} agents have a proven owner; testing them now:`,
  );
  const log = createLog({ level: CONFIG.logLevel, pretty: process.stderr.isTTY });
  const beat = await createHeartbeat(store, { config: CONFIG, fetcher, clock: systemClock, log, signal });
  await beat();
  if (!signal.aborted) await printTested(store, sandbox.connectTo[0] ?? '');
}

endWithParent();
try {
  await demo();
} catch (error) {
  const isMistyped =
    error instanceof TypeError && String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS');
  if (isMistyped) note(`${error.message.split('. ')[0]}\n${USAGE}`);
  else printError(error);
  process.exitCode = isMistyped ? 2 : 1;
}

/** Says what the crawl of the sandbox has found, from the index that the API answers from. */
async function printDemo({ index, records }: Store, store: string): Promise<void> {
  const total = await index.count({});
  const counts = await Promise.all(AGENT_TYPES.map(async (type) => `${type} ${await index.count({ type })}`));
  const page = await index.search({ filter: {}, limit: 1_000 });
  const live = await records.agents.live(page.hits.map((hit) => hit.url));
  const online = [...live.values()].filter((state) => isOnline(state) === true).length;
  printLine(`${paint('bold', `${total} agents`)} in the index, ${online} of them online`);
  printLine(`  by type: ${counts.join(', ')}`);
  printLine(
    `  by metric: ${await index.count({ type: 'measurement', q: 'view' })} measurement agents offer a metric with "view" in its id`,
  );
  const offline = [...live.values()].find((state) => isOnline(state) === false);
  if (offline !== undefined) {
    const [last] = await records.agents.observations(offline.agent, 1);
    printLine(visible(`  offline on purpose: ${offline.agent} (${last?.health.errorClass})`));
  }
  printLine(
    `to see why a domain is in its state: npx agent-registry explain tarpit.example --store ${store}`,
  );
}
