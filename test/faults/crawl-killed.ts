import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { canonicalDump, differences, sizes } from './support/canonical-dump.ts';
import { changeLogFaults } from './support/change-log.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, refetches, startPublisherWeb } from './support/publisher-web.ts';
import { startCommand } from './support/registry.ts';

const CONCURRENCY = 16;
const PROBES = 4;
const KILLS = 200;
const KILLS_IN_A_CRAWL = 20;
const DOMAINS = 1_000;
const LEAST_DOMAINS = 500;
/** Of each answer, milliseconds. */
const DELAY_MS = 25;
/** For each domain: long enough for many visits, short enough that the crawl is not over before the last kill. */
const LONGEST_LIFE_MS = 0.4;
/** Of a busy machine: a process may take half a minute to start there. */
const PATIENCE_MS = 120_000;

export default {
  name: 'crawl-killed',
  sentence: 'the final records equal those of an undisturbed run; refetches at most kills × concurrency',
  run: killCrawls,
} satisfies Fault;

async function killCrawls(context: FaultContext) {
  const { scale, log } = context;
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, scale));
  const kills = scaled(KILLS, scale);
  const web = await startPublisherWeb({ domains, agents: 40, delayMs: DELAY_MS });
  try {
    const checks = new Checks();
    const calm = await crawl('undisturbed', 0, context, web, checks);
    log(`undisturbed: ${sizes(calm.dump)}`);
    const crawls = Math.ceil(kills / KILLS_IN_A_CRAWL);
    for (let number = 1; number <= crawls && checks.hold(); number += 1) {
      const share = Math.min(KILLS_IN_A_CRAWL, kills - (number - 1) * KILLS_IN_A_CRAWL);
      const hit = await crawl(`killed ${number}`, share, context, web, checks);
      const different = differences(hit.dump, calm.dump);
      checks.that(
        'the records equal those of the undisturbed run',
        different.length === 0,
        different.join('\n'),
      );
      const again = refetches(hit.asked, calm.asked);
      const most = share * (CONCURRENCY + PROBES);
      checks.that(`refetches at most ${most}`, again.visits + again.probes <= most, again);
      checks.note(`${again.visits} domains and ${again.probes} agents were visited again, ${most} allowed`);
    }
    return checks.result(`${kills} kills in ${crawls} crawls of ${domains} domains (SQLite)`);
  } finally {
    await web.close();
  }
}

/** Crawls in a store of its own, killed so many times on the way, and lets it come to its end. */
async function crawl(
  name: string,
  kills: number,
  { folder, random, log }: FaultContext,
  web: PublisherWeb,
  checks: Checks,
) {
  const store = `sqlite:${join(folder, `${name}.sqlite`)}`;
  const list = join(folder, 'domains.txt');
  writeFileSync(list, web.domains.join('\n'));
  const args = [
    'crawl',
    '--from',
    list,
    '--store',
    store,
    '--depth',
    '0',
    '--progress',
    'none',
    ...web.flags,
  ];
  const start = () =>
    startCommand([...args, '--concurrency', `${CONCURRENCY}`, '--log-level', 'warn'], {
      REGISTRY_PROBE_CONCURRENCY: `${PROBES}`,
    });
  web.seen();
  for (let kill = 1; kill <= kills; kill += 1) {
    const crawling = start();
    const before = web.count();
    const isAtIt = await waitUntil(() => web.count() > before || !crawling.isRunning(), PATIENCE_MS);
    await pause(random.int(Math.ceil(LONGEST_LIFE_MS * web.domains.length)));
    const { signal } = await crawling.end('SIGKILL');
    checks.that(`kill ${kill} hits a crawl at work`, isAtIt && signal === 'SIGKILL', crawling.stderr());
    log(`kill ${kill} after ${web.count()} requests`);
  }
  const last = start();
  const { code } = await last.ended;
  checks.that(`the crawl '${name}' ends with 0`, code === 0, last.stderr());
  const faults = await changeLogFaults(store);
  checks.that(`the change log of '${name}' is in order`, faults.length === 0, faults.join('\n'));
  return { dump: await canonicalDump(store), asked: web.seen() };
}
