import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetcher } from '@agent-registry/surface/agent-kit';
import {
  type Config,
  type CrawlContext,
  composeCrawl,
  composeCredentials,
  composeFetcher,
  composeVisits,
  crawl,
  createLog,
  createMetrics,
  createServer,
  makeSealingKeys,
  openRun,
  openStore,
  readConfig,
  type ServerOptions,
  type Store,
  serve,
  VERSION,
} from '@agent-registry/surface/registry';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { createHeartbeat, probeDue } from '../create-heartbeat.ts';
import { AGENT } from './story-agent.ts';
import { createStoryClock, type StoryClock } from './story-clock.ts';

/** A whole registry beside a small web, both by a clock that is put forward. */
export interface StoryWorld {
  readonly clock: StoryClock;
  readonly sandbox: Sandbox;
  readonly store: Store;
  /** Where the registry is served. */
  readonly origin: string;
  /** What the sandbox publishes under `/.well-known/`. */
  readonly wellKnown: string;
  /** The API key of the agent's owner, once there is one. */
  readonly owner: { key: string };
  /** The way out of the registry. */
  readonly fetcher: Fetcher;
  /** Takes the way out of the registry away, or gives it back. */
  setNetwork(works: boolean): void;
  /** A crawl of one domain; gives the number of agents that were probed. */
  crawl(domain: string): Promise<number>;
  /** When the agent of the story is probed next, epoch milliseconds. */
  nextProbe(): Promise<number>;
  /** Probes what is due; gives the number of agents. */
  probe(): Promise<number>;
  /** When the agent is tested next: now when somebody has asked for it. */
  nextRun(): Promise<number>;
  /** Tests what is due, and ends when nothing is. */
  heartbeat(): Promise<void>;
  close(): Promise<void>;
}

/** Nobody listens at this port, TCPMUX (RFC 1078). */
const NOWHERE = ['*=http://127.0.0.1:1'];
/** What is asked when the agent cannot be reached: another site of the sandbox. */
const CONTROL_URL = 'https://copperwire.example/.well-known/brand.json';

/** No probe is made sooner than `probeEveryMs` after the last one. */
export async function openStoryWorld(start: number, probeEveryMs: number): Promise<StoryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-story-'));
  const wellKnown = join(folder, 'well-known');
  const credentialKeys = join(folder, 'credential-keys.json');
  const clock = createStoryClock(start);
  await makeSealingKeys(credentialKeys, clock.now());
  const config: Config = {
    ...readConfig({}),
    store: 'sqlite::memory:',
    logLevel: 'silent',
    credentialKeys,
    controlUrls: [CONTROL_URL],
  };
  const sandbox = await startSandbox({
    ...{ seed: 1, publishers: 5, managed: 0, clock, wellKnown },
    // its fault is one by the words of our specification
    vocabulary: 'proto',
  });
  const store = await openStore(config, { create: true });
  const stop = new AbortController();
  const { signal } = stop;
  const network = switchedNetwork(config, sandbox, store, clock);
  const { fetcher } = network;
  const credentials = await composeCredentials(config, store.records, clock);
  const serving = await serveStore({ ...store, clock, credentials }, signal);
  const parts = { config, store, fetcher, clock, log: createLog({ level: 'silent', pretty: false }), signal };
  const heartbeat = await createHeartbeat(store, parts);
  let lastProbe = 0;
  return {
    ...{ clock, sandbox, store, wellKnown, fetcher, heartbeat },
    origin: serving.url,
    owner: { key: '' },
    setNetwork: network.set,
    crawl: (domain) => crawlDomain(domain, composeCrawl(parts)),
    nextProbe: async () => Math.max(await nextProbe(store), lastProbe + probeEveryMs),
    probe: () => {
      lastProbe = clock.now();
      return probeDue(composeVisits({ ...parts, records: store.records }));
    },
    nextRun: () => nextRun(store, clock),
    async close() {
      stop.abort();
      await serving.stopped;
      await fetcher.close();
      await store.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The guarded way out to the sandbox, which can be made to lead nowhere. */
function switchedNetwork(config: Config, { connectTo }: Sandbox, { records }: Store, clock: StoryClock) {
  const up = composeFetcher(config, { connectTo }, clock, records.robots);
  const down = composeFetcher(config, { connectTo: NOWHERE }, clock, records.robots);
  let now = up;
  const fetcher: Fetcher = {
    visit: (bounds, work) => now.visit(bounds, work),
    isMapped: (url) => now.isMapped(url),
    close: async () => void (await Promise.all([up.close(), down.close()])),
  };
  const set = (works: boolean) => {
    now = works ? up : down;
  };
  return { fetcher, set };
}

async function crawlDomain(key: string, context: CrawlContext): Promise<number> {
  const seeds = [{ kind: 'domain', key, foundVia: 'operator' }] as const;
  await crawl(await openRun({ seeds, fingerprint: 'story', maxDepth: 0 }, context));
  return context.tally.visited.agents;
}

async function nextProbe({ records }: Store): Promise<number> {
  const journey = await records.sources.journey({ kind: 'agent', key: AGENT }, 1);
  return journey?.source.nextVisitAt ?? Number.POSITIVE_INFINITY;
}

async function nextRun({ records }: Store, clock: StoryClock): Promise<number> {
  if ((await records.runs.requested(AGENT)) !== undefined) return clock.now();
  return (await records.compliance.state(AGENT))?.due ?? Number.POSITIVE_INFINITY;
}

type Served = Pick<ServerOptions, 'records' | 'index' | 'clock' | 'credentials'>;

function serveStore(served: Served, signal: AbortSignal) {
  const logger = createLog({ level: 'silent', pretty: false });
  const config = { version: VERSION, trustedProxies: [] };
  const server = createServer({ ...served, logger, metrics: createMetrics(), config });
  return serve({ server, host: '127.0.0.1', port: 0, signal });
}
