import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../engines/start/processes.ts';
import { differences, sizes } from './support/canonical-dump.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, refetches } from './support/publisher-web.ts';
import {
  CONCURRENCY,
  CRAWL_MS,
  type Crawled,
  openQueueCrawl,
  outcomeOf,
  PROBES,
  type QueueCrawl,
  startQueueWeb,
  stopAll,
} from './support/queue-crawl.ts';
import type { Command } from './support/registry.ts';
import { undisturbed } from './support/undisturbed.ts';

const KILLS = 100;
const KILLS_IN_A_CRAWL = 10;
/** How long a worker lives after the web has heard of it, at most. */
const LONGEST_LIFE_MS = 1_000;
const LOOK_MS = 1_000;
/** For a worker to start; before that a signal ends it as any process. */
const START_MS = 60_000;

export default {
  name: 'worker-killed',
  isLong: true,
  sentence: 'the final records equal those of an undisturbed run; refetches at most kills × visits under way',
  run: killWorkers,
} satisfies Fault;

async function killWorkers(context: FaultContext) {
  const { scale, engines, log } = context;
  const kills = scaled(KILLS, scale);
  const postgres = await engines.postgres();
  const openSearch = (await engines.openSearch()).url;
  const web = await startQueueWeb(scale);
  const checks = new Checks();
  try {
    const calm = await undisturbed(postgres, { openSearch, web }, checks);
    log(`undisturbed: ${sizes(calm.dump)}`);
    let [killed, crawls] = [0, 0];
    while (killed < kills && checks.hold()) {
      const disturbed = await openQueueCrawl({ store: await postgres.createDatabase(), openSearch, web });
      const most = Math.min(KILLS_IN_A_CRAWL, kills - killed);
      const made = await crawlWithKills(most, disturbed, web, checks, context);
      compare(await outcomeOf(disturbed, web, checks), calm, made, checks);
      killed += made;
      crawls += 1;
    }
    return checks.result(`${killed} kills in ${crawls} crawls of ${web.domains.length} domains by 2 workers`);
  } finally {
    await web.close();
  }
}

/** Kills workers until it was done so many times, or the crawl is over; then lets it come to its end. */
async function crawlWithKills(
  most: number,
  crawl: QueueCrawl,
  web: PublisherWeb,
  checks: Checks,
  { random, log }: FaultContext,
): Promise<number> {
  web.seen();
  const scheduler = crawl.startScheduler();
  const workers = [crawl.startWorker(), crawl.startWorker()];
  let kills = 0;
  while (kills < most) {
    const index = random.int(workers.length);
    const victim = workers[index] as Command;
    if (!(await isWorking(victim, web, crawl))) break;
    await pause(random.int(LONGEST_LIFE_MS));
    const { signal } = await victim.end('SIGKILL');
    checks.that('the worker lived until it was killed', signal === 'SIGKILL', victim.stderr());
    kills += 1;
    workers[index] = crawl.startWorker();
    const { visited, unvisited } = await crawl.left();
    log(`kill ${kills}: ${visited} sources visited, ${unvisited} left`);
  }
  log('no more kills');
  checks.that('the crawl comes to its end', await crawl.finished(CRAWL_MS), await crawl.left());
  // the last one may have been started when the crawl was all but over
  await waitUntil(() => workers.every((worker) => /"working"/.test(worker.stderr())), START_MS);
  await stopAll([scheduler, ...workers], checks);
  return kills;
}

/** Waits until it works and something was fetched since; false when the crawl is over before. */
async function isWorking(worker: Command, web: PublisherWeb, crawl: QueueCrawl): Promise<boolean> {
  await worker.until('stderr', /"working"/);
  const before = web.count();
  while (!(await waitUntil(() => web.count() > before, LOOK_MS)))
    if ((await crawl.left()).unvisited === 0) return false;
  return true;
}

function compare(hit: Crawled, calm: Crawled, kills: number, checks: Checks): void {
  const different = differences(hit.dump, calm.dump);
  checks.that('the records equal those of the undisturbed run', different.length === 0, different.join('\n'));
  const most = kills * (CONCURRENCY + PROBES);
  const { visits, probes } = refetches(hit.asked, calm.asked);
  checks.that(
    'the web was asked for each file',
    hit.asked.files.size === calm.asked.files.size,
    hit.asked.files.size,
  );
  checks.that(`refetches at most ${most}`, visits + probes <= most, { visits, probes });
  checks.note(`${visits} domains and ${probes} agents visited again (${most} allowed)`);
}
