import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenSearchNode } from '../engines/start/opensearch.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { withQuery } from './support/canonical-dump.ts';
import { Checks, type Fault, type FaultContext, freezeSeconds, scaled } from './support/fault.ts';
import { differencesToRecords } from './support/index-equals-records.ts';
import { type IndexedWorld, openIndexedWorld } from './support/indexed-world.ts';
import { askList, startListReader, wholeOr503 } from './support/list-reader.ts';
import { type PublisherWeb, startPublisherWeb } from './support/publisher-web.ts';
import { type Command, startCommand } from './support/registry.ts';

const DOMAINS = 60;
const LEAST_DOMAINS = 12;
/** Each publisher names three of its own, so that every crawl finds new ones. */
const AGENTS_OF_A_DOMAIN = 3;
const DELAY_MS = 150;
const SOON_MS = 60_000;
const CRAWL_MS = 240_000;
/** The update looks again after half a minute at most. */
const CATCH_UP_MS = 120_000;

export default {
  name: 'opensearch-away',
  isLong: true,
  sentence:
    'reads answer 503 with Retry-After within 2 s, never a part; crawling goes on; the index catches up by itself; nothing lost',
  run: takeAway,
} satisfies Fault;

/** How the engine is away, and until when. */
interface Absence {
  readonly name: string;
  begin(node: OpenSearchNode): Promise<void>;
  /** Resolves when the engine works again. */
  end(node: OpenSearchNode, crawls: readonly Command[]): Promise<void>;
}

interface Scene {
  readonly world: IndexedWorld;
  readonly web: PublisherWeb;
  readonly node: OpenSearchNode;
  readonly context: FaultContext;
  readonly checks: Checks;
}

async function takeAway(context: FaultContext) {
  const checks = new Checks();
  const engine = await context.engines.openSearch();
  const node = engine.nodes[0] as OpenSearchNode;
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, context.scale));
  const seconds = freezeSeconds(context.scale);
  for (const absence of [stopped, frozenFor(seconds)]) {
    const agents = domains * AGENTS_OF_A_DOMAIN;
    const world = await openIndexedWorld({ index: engine.url, folder: context.folder });
    const web = await startPublisherWeb({ domains, agents, delayMs: DELAY_MS });
    try {
      await crawlWithout(absence, { world, web, node, context, checks });
    } finally {
      await web.close();
      await world.close();
    }
  }
  return checks.result(`stopped once and frozen once for ${seconds} s, during crawls of ${domains} domains`);
}

const stopped: Absence = {
  name: 'stopped',
  begin: (node) => node.stop(),
  async end(node, crawls) {
    await Promise.all(crawls.map(({ ended }) => ended));
    await node.restart();
  },
};

function frozenFor(seconds: number): Absence {
  return {
    name: 'frozen',
    begin: async (node) => node.freeze(),
    async end(node) {
      await pause(seconds * 1_000);
      node.thaw();
    },
  };
}

/** A third is crawled before, a third while the engine goes away, and a third is begun when it is away. */
async function crawlWithout(absence: Absence, scene: Scene): Promise<void> {
  const { world, web, node, context, checks } = scene;
  const { name } = absence;
  const serving = await world.serve();
  const first = startCrawl(0, scene);
  checks.that(`${name}: the crawl before ends with 0`, (await first.ended).code === 0, first.stderr());
  const isListed = () => isAllListed(serving.listUrl, world);
  checks.that(`${name}: the API shows what was found`, await waitUntil(isListed, SOON_MS));
  context.log(`${name}: crawling begins again`);
  const known = (await askList(serving.listUrl)).agents;
  const hasKnown = (agents: readonly string[]) => {
    const shown = new Set(agents);
    return known.every((agent) => shown.has(agent));
  };
  const reader = startListReader(
    serving.listUrl,
    wholeOr503((agents) => (hasKnown(agents) ? 'list' : undefined)),
    serving.command.pid,
  );

  web.seen();
  const second = startCrawl(1, scene);
  await waitUntil(() => web.count() > 0 || !second.isRunning(), SOON_MS);
  await absence.begin(node);
  const visitedBefore = await visited(world);
  const isTold = await waitUntil(() => reader.last() === '503', SOON_MS);
  checks.that(`${name}: reads answer 503`, isTold, reader.last());
  context.log(`${name}: it is away`);
  const third = startCrawl(2, scene);
  const crawls = [second, third];
  await absence.end(node, crawls);
  context.log(`${name}: it is back, ${reader.count('503')} reads were answered with 503`);
  const visitedMeanwhile = (await visited(world)) - visitedBefore;
  checks.that(`${name}: crawling goes on`, visitedMeanwhile > 0, visitedMeanwhile);

  for (const crawl of crawls) {
    await waitUntil(() => !crawl.isRunning(), CRAWL_MS);
    const { code } = await crawl.end('SIGTERM');
    checks.that(`${name}: a crawl without the index ends with 0`, code === 0, `${code} ${crawl.stderr()}`);
  }
  context.log(`${name}: the crawls have ended`);
  const hasCaughtUp = await waitUntil(isListed, CATCH_UP_MS);
  checks.that(`${name}: the index catches up by itself`, hasCaughtUp, serving.command.stderr().slice(-1_000));
  const { wrong, kinds, reads } = await reader.stop();
  checks.that(`${name}: reads are whole or a prompt 503`, wrong.length === 0, wrong.slice(0, 3));
  await checkNothingLost(name, scene);
  checks.note(`${name}: ${reads} reads (${kinds}), ${visitedMeanwhile} visits without the index`);
  await serving.stop(checks);
}

function startCrawl(part: number, { world, web, context }: Scene): Command {
  const list = join(context.folder, `part-${part}.txt`);
  writeFileSync(list, web.domains.filter((_, at) => at % 3 === part).join('\n'));
  const args = ['crawl', '--from', list, '--depth', '0', '--progress', 'none', '--log-level', 'warn'];
  return startCommand([...args, ...web.flags], { ...world.env, REGISTRY_CONCURRENCY: '4' });
}

async function isAllListed(listUrl: string, { store }: IndexedWorld): Promise<boolean> {
  const { agents } = await askList(listUrl);
  return agents.length > 0 && agents.length === (await store.records.agents.countListed());
}

function visited({ env }: IndexedWorld): Promise<number> {
  return withQuery(env.REGISTRY_STORE ?? '', async (query) => {
    const [row] = await query('SELECT count(*) AS visited FROM source WHERE last_visit_at IS NOT NULL');
    return Number(row?.visited);
  });
}

async function checkNothingLost(name: string, { world, web, checks }: Scene): Promise<void> {
  const listed = await world.store.records.agents.countListed();
  const all = web.domains.length * AGENTS_OF_A_DOMAIN;
  checks.that(`${name}: all ${all} agents are in the records`, listed === all, listed);
  const different = await differencesToRecords(world.store);
  checks.that(`${name}: the index equals the records`, different.length === 0, different);
}
