import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import type { CrawlContext } from '../../pipelines/crawl-context.ts';
import { serve } from '../api/serve.ts';
import { createServer } from '../api/server.ts';
import { composeCrawl, composeFetcher, openStore, type Store, systemClock } from '../compose.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog } from '../ops/log.ts';
import { createMetrics } from '../ops/metrics.ts';
import { VERSION } from '../version.ts';
import { walkCampaigns } from './demo/campaign.ts';
import { registerDemoMembers } from './demo/members.ts';
import { type SandboxProcess, startSandboxProcess } from './demo/sandbox-process.ts';
import { printDemo } from './demo/summary.ts';
import { onInterrupt } from './interrupt.ts';
import { note, printLine } from './output/print.ts';
import { printError } from './output/print-error.ts';
import { showProgress } from './output/show-progress.ts';

const STORE = '.registry/demo.sqlite';
const AGENTS = '.registry/demo-agents.sqlite';

/** `npm run demo`: the whole way on one machine, from the sandbox's domain names to a running API. */
async function demo(): Promise<void> {
  const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });
  for (const file of [STORE, AGENTS])
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  const config: Config = {
    ...readConfig({}),
    store: `sqlite:${STORE}`,
    logLevel: 'error',
    visitDeadlineMs: 4_000,
    probeDeadlineMs: 5_000,
  };
  const interrupt = onInterrupt();
  const sandbox = await startSandboxProcess(`sqlite:${AGENTS}`);
  const store = await openStore(config, { create: true });
  try {
    note(
      `a small advertising web is on ${sandbox.origin}: ${sandbox.domains.length} domains under *.example, and the long tail of a manager`,
    );
    await registerDemoMembers(store, sandbox.agents);
    await crawlSandbox(config, sandbox, store, interrupt.signal);
    if (interrupt.signal.aborted) return;
    await printDemo(store, config.store);
    await walkCampaigns(sandbox);
    if (!values.exit) await serveUntil(interrupt.signal, store, sandbox);
  } finally {
    await store.close();
    sandbox.stop();
    interrupt.dispose();
  }
}

async function crawlSandbox(
  config: Config,
  sandbox: SandboxProcess,
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, systemClock, store.records.robots);
  const seeds = sandbox.domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  try {
    const context: CrawlContext = composeCrawl({ config, store, fetcher, clock: systemClock, log, signal });
    const run = await openRun({ seeds, fingerprint: 'demo', maxDepth: 1 }, context);
    const progress = showProgress('auto', run);
    await crawl(run).finally(() => progress.stop());
  } finally {
    await fetcher.close();
  }
}

async function serveUntil(
  signal: AbortSignal,
  { records, index }: Store,
  sandbox: SandboxProcess,
): Promise<void> {
  const logger = createLog({ level: 'error', pretty: process.stderr.isTTY });
  const server = createServer({
    records,
    index,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
    config: { version: VERSION, trustedProxies: [] },
  });
  const serving = await serve({ server, host: '127.0.0.1', port: 0, signal });
  printLine(`\nthe API is on ${serving.url}; try`);
  printLine(`  curl '${serving.url}/api/registry/agents?type=measurement&capabilities=true&limit=1'`);
  printLine(`  npx registry search --type sales --health --store sqlite:${STORE}`);
  printLine(`  npx registry explain noticeboard.example --store sqlite:${STORE}`);
  printLine(`  npx registry probe ${sandbox.agents[0]} --connect-to '${sandbox.connectTo[0]}'`);
  printLine(
    `  npx registry call ${sandbox.agents[0]} get_products brief='papers of the coast' --connect-to '${sandbox.connectTo[0]}'`,
  );
  printLine(`  npx registry campaign --state ${sandbox.state} --connect-to '${sandbox.connectTo[0]}'`);
  printLine('Ctrl-C ends the demo');
  await serving.stopped;
}

try {
  await demo();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
