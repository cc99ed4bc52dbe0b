import { chmodSync, chownSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../engines/start/postgres.ts';
import { unprivilegedUser } from '../engines/start/postgres-binaries.ts';
import { waitUntil } from '../engines/start/processes.ts';
import { differences } from './support/canonical-dump.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, refetches } from './support/publisher-web.ts';
import {
  CRAWL_MS,
  openQueueCrawl,
  outcomeOf,
  type QueueCrawl,
  startQueueWeb,
  stopAll,
} from './support/queue-crawl.ts';
import { type Command, startCommand } from './support/registry.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { startReader } from './support/steady-reader.ts';
import { undisturbed } from './support/undisturbed.ts';

const TIMES = 5;
const MEGABYTES = 64;
/** How long it stays full after somebody has noticed. */
const FULL_MS = 3_000;
const NOTICED_MS = 60_000;
/** They want more connections to the database than are open before them. */
const READERS = 5;
const NO_SPACE = /out of space or memory|could not extend file|No space left on device/;

export default {
  name: 'database-full',
  isLong: true,
  sentence: 'reads go on, writes fail cleanly, recovery by itself (PostgreSQL’s tables on a small tmpfs)',
  run: fillTheDatabase,
} satisfies Fault;

async function fillTheDatabase(context: FaultContext) {
  const { engines, folder, scale } = context;
  const times = scaled(TIMES, scale);
  const openSearch = (await engines.openSearch()).url;
  const web = await startQueueWeb(scale);
  const disk = mountSmallDisk(join(folder, 'disk'), MEGABYTES);
  // one of its own: a server whose tables are unmounted is of no use to others
  const postgres = await startPostgres();
  const checks = new Checks();
  try {
    const calm = await undisturbed(await engines.postgres(), { openSearch, web }, checks);
    const crawl = await openQueueCrawl({
      store: await databaseOn(disk, folder, postgres.url),
      openSearch,
      web,
    });
    web.seen();
    await crawlWhileItFills(times, crawl, { context, web, disk, checks });
    const hit = await outcomeOf(crawl, web, checks);
    const different = differences(hit.dump, calm.dump);
    checks.that(
      'the records equal those of the undisturbed run',
      different.length === 0,
      different.join('\n'),
    );
    const { visits, probes } = refetches(hit.asked, calm.asked);
    checks.note(`${visits} domains and ${probes} agents visited again, as they could not be stored`);
    return checks.result(
      `filled ${times} times during a crawl of ${web.domains.length} domains by 2 workers`,
    );
  } finally {
    await postgres.stop();
    disk.unmount();
    await web.close();
  }
}

interface Scene {
  readonly context: FaultContext;
  readonly web: PublisherWeb;
  readonly disk: SmallDisk;
  readonly checks: Checks;
}

async function crawlWhileItFills(times: number, crawl: QueueCrawl, scene: Scene): Promise<void> {
  const { context, web, disk, checks } = scene;
  const serving = startCommand(['serve', '--port', '0'], crawl.env);
  const url = /listening on (\S+)/.exec(await serving.until('stdout', /listening on \S+\n/))?.[1] ?? '';
  const workers = [crawl.startWorker(), crawl.startWorker()];
  const scheduler = crawl.startScheduler();
  for (let time = 1; time <= times; time += 1) {
    const enough = web.count() + 50 + context.random.int(50);
    await waitUntil(() => web.count() >= enough, NOTICED_MS);
    const before = workers.map((worker) => worker.stderr().length);
    disk.fill();
    takeInNobody(disk);
    const readers = Array.from({ length: READERS }, () => startReader(`${url}/api/registry/agents?limit=20`));
    const isNoticed = await waitUntil(() => haveNoticed(workers, before), NOTICED_MS);
    checks.that('a worker says that there is no space', isNoticed, workers[0]?.stderr().slice(-1_000));
    await pause(FULL_MS);
    const seen = await Promise.all(readers.map((reader) => reader.stop()));
    const reads = seen.reduce((sum, one) => sum + one.reads, 0);
    const failures = seen.flatMap((one) => one.failures);
    const why = [...failures.slice(0, 2), serving.stderr().slice(-900)].join('\n');
    checks.that(`reads go on (${reads})`, failures.length === 0, why);
    disk.free();
    const { visited, unvisited } = await crawl.left();
    context.log(
      `filled ${time} times: ${reads} reads meanwhile, ${visited} sources visited, ${unvisited} left`,
    );
  }
  checks.that('the crawl comes to its end', await crawl.finished(CRAWL_MS), await crawl.left());
  await stopAll([scheduler, ...workers, serving], checks);
}

/** As after a vacuum of the server's own tables: a session that begins writes this file first, and there is no room for it. */
function takeInNobody(disk: SmallDisk): void {
  for (const path of readdirSync(disk.folder, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('pg_internal.init')) rmSync(join(disk.folder, path));
  disk.fill();
}

function haveNoticed(workers: readonly Command[], before: readonly number[]): boolean {
  return workers.some((worker, index) => NO_SPACE.test(worker.stderr().slice(before[index])));
}

/** A database with all its tables on the disk; the server's log of changes is elsewhere. */
async function databaseOn({ folder }: SmallDisk, parent: string, serverUrl: string): Promise<string> {
  const user = unprivilegedUser();
  chmodSync(parent, 0o755); // the server's user passes through it
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`CREATE TABLESPACE small LOCATION ${pg.escapeLiteral(folder)}`);
    await client.query('CREATE DATABASE small TABLESPACE small');
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = '/small';
  return url.href;
}
