import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from '../engines/start/processes.ts';
import { canonicalDump, differences } from './support/canonical-dump.ts';
import { changeLogFaults } from './support/change-log.ts';
import { Checks, type Fault, type FaultContext, scaled } from './support/fault.ts';
import { type PublisherWeb, startPublisherWeb } from './support/publisher-web.ts';
import { type Command, runCommand, startCommand } from './support/registry.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { startReader } from './support/steady-reader.ts';

const TIMES = 5;
const DOMAINS = 300;
const LEAST_DOMAINS = 100;
const MEGABYTES = 64;
const DELAY_MS = 40;
const SOON_MS = 120_000;
/** Our own store cannot be used: src/cli/exit-codes.ts. */
const EXIT_STORE = 3;

export default {
  name: 'disk-full',
  sentence: 'reads go on, writes fail cleanly, health says so, recovery by itself (SQLite on a small tmpfs)',
  run: fillTheDisk,
} satisfies Fault;

interface Scene {
  readonly context: FaultContext;
  readonly web: PublisherWeb;
  readonly disk: SmallDisk;
  readonly store: string;
  /** The API's address. */
  readonly url: string;
  readonly serving: Command;
  readonly checks: Checks;
}

async function fillTheDisk(context: FaultContext) {
  const { folder, scale } = context;
  const domains = Math.max(LEAST_DOMAINS, scaled(DOMAINS, scale));
  const times = scaled(TIMES, scale);
  const web = await startPublisherWeb({ domains, agents: 40, delayMs: DELAY_MS });
  const disk = mountSmallDisk(join(folder, 'disk'), MEGABYTES);
  const checks = new Checks();
  const store = `sqlite:${join(disk.folder, 'registry.sqlite')}`;
  const serving = startCommand(['serve', '--create', '--port', '0', '--store', store]);
  try {
    const url = /listening on (\S+)/.exec(await serving.until('stdout', /listening on \S+\n/))?.[1] ?? '';
    const scene = { context, web, disk, store, url, serving, checks };
    for (let time = 1; time <= times; time += 1) await fillOnce(time, times, scene);
    checks.that('the API was never started again', serving.isRunning(), serving.stderr());
    checks.that('it stops in order', (await serving.end('SIGTERM')).code === 0, serving.stderr());
    await checkStore(times, scene);
    return checks.result(`the disk filled ${times} times during crawls of ${domains} domains`);
  } finally {
    await serving.end('SIGKILL');
    disk.unmount();
    await web.close();
  }
}

/** One part of the domains is crawled while the disk fills up, and again when there is room. */
async function fillOnce(time: number, times: number, scene: Scene): Promise<void> {
  const { context, web, disk, store, url, checks } = scene;
  const args = crawlOf(time, times, scene, store);
  const before = web.count();
  const crawling = startCommand([...args, '--concurrency', '8', '--log-level', 'warn']);
  const enough = context.random.int(Math.floor(web.domains.length / times)) + 1;
  await waitUntil(() => web.count() - before >= enough || !crawling.isRunning(), SOON_MS);
  emptyTheLog(store);
  disk.fill();
  const reader = startReader(`${url}/api/registry/agents?limit=20`);
  const { code } = await crawling.ended;
  checks.that(`crawl ${time} ends with ${EXIT_STORE}`, code === EXIT_STORE, `${code} ${crawling.stderr()}`);
  checks.that(`crawl ${time} says why`, /no disk space left/.test(crawling.stderr()), crawling.stderr());
  await whileFull(time, scene, args);
  const { reads, failures } = await reader.stop();
  checks.that(`reads go on (${reads})`, failures.length === 0, failures.slice(0, 3).join('\n'));
  context.log(`filled ${time} times, ${reads} reads meanwhile`);

  disk.free();
  const heals = await waitUntil(async () => (await health(url)).writes === 'ok', SOON_MS);
  checks.that('health says that writes are possible again', heals, await health(url));
  const again = await runCommand([...args, '--log-level', 'warn']);
  checks.that(`crawl ${time} goes on when there is room`, again.code === 0, again.stderr);
}

/** The command for one part of the domains. */
function crawlOf(time: number, times: number, { context, web }: Scene, store: string): readonly string[] {
  const list = join(context.folder, `domains-${time}.txt`);
  const part = web.domains.filter((_, index) => index % times === time - 1);
  writeFileSync(list, part.join('\n'));
  return ['crawl', '--from', list, '--store', store, '--depth', '0', '--progress', 'none', ...web.flags];
}

/** What an operator sees while there is no room. */
async function whileFull(time: number, scene: Scene, crawlArgs: readonly string[]): Promise<void> {
  const { store, url, checks } = scene;
  const said = await waitUntil(async () => (await health(url)).writes === 'store_unwritable', SOON_MS);
  checks.that('health says that nothing can be written', said, await health(url));
  checks.that('health says that reads go on', (await health(url)).status === 'ready', await health(url));
  const search = await runCommand(['search', '--limit', '5', '--store', store]);
  checks.that(`search ${time} answers`, search.code === 0, search.stderr);
  const crawl = await runCommand(crawlArgs);
  const isClean = crawl.code === EXIT_STORE && !/\n\s+at /.test(crawl.stderr);
  checks.that('a crawl that is begun now fails cleanly', isClean, `${crawl.code} ${crawl.stderr}`);
}

interface Health {
  readonly status: string;
  readonly writes: string;
}

async function health(url: string): Promise<Health> {
  const body = (await (await fetch(`${url}/readyz`)).json()) as {
    readonly status: string;
    readonly checks?: { readonly writes?: string };
  };
  return { status: body.status, writes: body.checks?.writes ?? '' };
}

/** Else what is in the log already makes room for a few more writes. */
function emptyTheLog(store: string): void {
  const database = new DatabaseSync(store.slice('sqlite:'.length), { timeout: 5_000 });
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** Whole, and as if there had always been room. */
async function checkStore(times: number, scene: Scene): Promise<void> {
  const { context, store, checks } = scene;
  const database = new DatabaseSync(store.slice('sqlite:'.length), { readOnly: true });
  const integrity = database.prepare('PRAGMA integrity_check').all();
  database.close();
  checks.that('the store is whole', JSON.stringify(integrity) === '[{"integrity_check":"ok"}]', integrity);
  const faults = await changeLogFaults(store);
  checks.that('the change log is in order', faults.length === 0, faults.join('\n'));
  const calm = `sqlite:${join(context.folder, 'calm.sqlite')}`;
  for (let time = 1; time <= times; time += 1)
    await runCommand([...crawlOf(time, times, scene, calm), '--log-level', 'warn']);
  const different = differences(await canonicalDump(store), await canonicalDump(calm));
  checks.that(
    'the records equal those of an undisturbed crawl',
    different.length === 0,
    different.join('\n'),
  );
}
