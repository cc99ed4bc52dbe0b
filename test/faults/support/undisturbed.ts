import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresEngine } from '../../engines/start/postgres.ts';
import type { Checks } from './fault.ts';
import {
  CRAWL_MS,
  type Crawled,
  openQueueCrawl,
  outcomeOf,
  type QueueCrawlOptions,
  stopAll,
} from './queue-crawl.ts';

const TIMES = 3;

/**
 * A crawl through the queue that nothing happens to: what all others must come to. Made once for a web of this size, by the
 * lane that needs it first; the others find it in the lanes' folder.
 */
export async function undisturbed(
  postgres: PostgresEngine,
  options: Omit<QueueCrawlOptions, 'store'>,
  checks: Checks,
): Promise<Crawled> {
  const { domains, agents } = options.web;
  const file = join(process.env.FAULTS_FOLDER as string, `calm-${domains.length}-${agents}.json`);
  if (existsSync(file)) {
    const { dump, files, ...asked } = JSON.parse(readFileSync(file, 'utf8'));
    return { dump, asked: { files: new Map(files), agents: new Map(asked.agents) } };
  }
  const calm = await crawlCalmly(postgres, options, checks);
  const { dump, asked } = calm;
  if (!checks.hold()) return calm;
  const own = `${file}.${process.pid}`; // another lane finds all of it or nothing
  writeFileSync(own, JSON.stringify({ dump, files: [...asked.files], agents: [...asked.agents] }));
  renameSync(own, file);
  return calm;
}

/** Every site of the web answers. A crawl that misses one, as the machine was too busy, is no measure: it is made again. */
async function crawlCalmly(
  postgres: PostgresEngine,
  options: Omit<QueueCrawlOptions, 'store'>,
  checks: Checks,
): Promise<Crawled> {
  for (let time = 1; ; time += 1) {
    const crawl = await openQueueCrawl({ ...options, store: await postgres.createDatabase() });
    options.web.seen();
    const commands = [crawl.startScheduler(), crawl.startWorker(), crawl.startWorker()];
    checks.that('the undisturbed crawl comes to its end', await crawl.finished(CRAWL_MS), await crawl.left());
    await stopAll(commands, checks);
    const crawled = await outcomeOf(crawl, options.web, checks);
    const missed = crawled.dump.sources?.filter((row) => row.includes('"last_outcome":"unreachable"')) ?? [];
    if (missed.length === 0 || !checks.hold()) return crawled;
    if (checks.that('an undisturbed crawl reaches every site', time < TIMES, missed.slice(0, 3)))
      checks.note(`undisturbed crawl ${time} missed ${missed.length} sources`);
    else return crawled;
  }
}
