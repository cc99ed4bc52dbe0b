import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openRecords, openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { waitUntil } from '../../engines/start/processes.ts';
import { canonicalDump, type Dump, withQuery } from './canonical-dump.ts';
import { changeLogFaults } from './change-log.ts';
import { type Checks, scaled } from './fault.ts';
import { type Asked, type PublisherWeb, startPublisherWeb } from './publisher-web.ts';
import { type Command, type Environment, patientConfig, startCommand } from './registry.ts';

/** A crawl of all domains of a web through the queue, with the real commands as an operator runs them. */
export interface QueueCrawl {
  readonly store: string;
  readonly env: Environment;
  startWorker(): Command;
  startScheduler(): Command;
  /** How far it is. */
  left(): Promise<Left>;
  /** Waits until nothing is left to do; false when that takes too long, or one of its commands has given up. */
  finished(withinMs: number): Promise<boolean>;
}

export interface Left {
  readonly visited: number;
  /** Never visited yet, and under lease or not. */
  readonly unvisited: number;
  /** Agents with facts that are not in their documents yet. */
  readonly dirty: number;
}

export interface QueueCrawlOptions {
  /** `postgres://…` of an empty database. */
  readonly store: string;
  readonly openSearch: string;
  readonly web: PublisherWeb;
}

/** Long enough for all that is to happen during it. */
const DOMAINS = 1_000;
const LEAST_DOMAINS = 150;
/** So that a crawl takes a while on a fast machine too. */
const DELAY_MS = 120;
const AGENTS = 40;
/** Enough for a machine that has much else to do. */
export const CRAWL_MS = 300_000;
/** Visits at once of one worker; what a kill may cost. */
export const CONCURRENCY = 8;
export const PROBES = 4;
/** So that what a dead worker had is taken over soon: an operator's is longer. */
const WORKER_TIMEOUT_MS = 10_000;
/** Of the site's time, and not of ours: on a machine that has much else to do too. */
const DEADLINE_MS = 12_000;
const LOOK_MS = 500;
/** For the index to catch up with the records. */
const INDEXED_MS = 120_000;

/** The web of all crawls through the queue at this scale. */
export function startQueueWeb(scale: number): Promise<PublisherWeb> {
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, scale));
  return startPublisherWeb({ domains, agents: AGENTS, delayMs: DELAY_MS });
}

/** The domains become due, and nobody works yet. */
export async function openQueueCrawl({ store, openSearch, web }: QueueCrawlOptions): Promise<QueueCrawl> {
  const env: Environment = {
    REGISTRY_STORE: store,
    REGISTRY_INDEX: openSearch,
    REGISTRY_INDEX_PREFIX: `faults-${randomBytes(4).toString('hex')}`,
    REGISTRY_CONCURRENCY: `${CONCURRENCY}`,
    REGISTRY_PROBE_CONCURRENCY: `${PROBES}`,
    REGISTRY_VISIT_DEADLINE_MS: `${DEADLINE_MS}`,
    REGISTRY_PROBE_DEADLINE_MS: `${DEADLINE_MS}`,
    REGISTRY_WORKER_TIMEOUT_MS: `${WORKER_TIMEOUT_MS}`,
  };
  await seed(env, web.domains);
  const left = () => whatIsLeft(store);
  const started: Command[] = [];
  const start = (args: readonly string[]) => {
    const command = startCommand(args, env);
    started.push(command);
    return command;
  };
  return {
    store,
    env,
    startWorker: () => start(['work', ...web.flags]),
    startScheduler: () => start(['schedule']),
    left,
    async finished(withinMs) {
      const hasGivenUp = () => started.some(({ child }) => child.exitCode !== null); // not by a signal of ours
      const isDone = async () => {
        const { unvisited, dirty } = await left().catch(() => ({ unvisited: 1, dirty: 1 })); // the database is away
        return unvisited + dirty === 0;
      };
      const end = performance.now() + withinMs;
      while (performance.now() < end && !hasGivenUp()) {
        if (await isDone()) return true;
        await pause(LOOK_MS);
      }
      return false;
    },
  };
}

/** SIGTERM, as an operator stops them; each is to have lived until now and to end in order. */
export async function stopAll(commands: readonly Command[], checks: Checks): Promise<void> {
  for (const command of commands) {
    checks.that('it works on by itself', command.isRunning(), command.stderr().slice(-1_500));
    const { code } = await command.end('SIGTERM');
    checks.that('it stops in order', code === 0, `${code} ${command.stderr().slice(-1_500)}`);
  }
}

export interface Crawled {
  readonly dump: Dump;
  readonly asked: Asked;
}

/** What came of it; the change log is looked at too. */
export async function outcomeOf(crawl: QueueCrawl, web: PublisherWeb, checks: Checks): Promise<Crawled> {
  const faults = await changeLogFaults(crawl.store);
  checks.that('the change log is in order', faults.length === 0, faults.join('\n'));
  checks.that('every listed agent can be searched', await isIndexed(crawl));
  return { dump: await canonicalDump(crawl.store), asked: web.seen() };
}

async function isIndexed({ env }: QueueCrawl): Promise<boolean> {
  const { records, index, close } = await openStore(patientConfig(env), { create: false });
  try {
    const listed = await records.agents.countListed();
    return await waitUntil(async () => (await index.count({})) === listed, INDEXED_MS);
  } finally {
    await close();
  }
}

async function seed(env: Environment, domains: readonly string[]): Promise<void> {
  const { records } = await openRecords(readConfig(env), { create: true });
  try {
    const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    await records.sources.add(visits, Date.now());
  } finally {
    await records.close();
  }
}

function whatIsLeft(store: string): Promise<Left> {
  return withQuery(store, async (query) => {
    const [row = {}] = await query(`SELECT
      (SELECT count(*) FROM source WHERE last_visit_at IS NOT NULL) AS visited,
      (SELECT count(*) FROM source WHERE last_visit_at IS NULL) AS unvisited,
      (SELECT count(*) FROM agent WHERE dirty_since IS NOT NULL) AS dirty`);
    return { visited: Number(row.visited), unvisited: Number(row.unvisited), dirty: Number(row.dirty) };
  });
}
