import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { crawl, openRun } from '../../../../pipelines/crawl.ts';
import type { CrawlContext } from '../../../../pipelines/crawl-context.ts';
import { systemClock } from '../../../compose/clock.ts';
import { openScratchStore, openStore, type Store } from '../../../compose/engines.ts';
import { composeFetcher } from '../../../compose/network.ts';
import { composeCrawl } from '../../../compose/visits.ts';
import { type Config, hasOwnContact } from '../../../config.ts';
import type { Tally } from '../../../crawl/progress.ts';
import type { NewVisit } from '../../../domain/source.ts';
import { RegistryError } from '../../../errors.ts';
import { reportClock } from '../../../ops/clock-report.ts';
import { createLog, type Logger } from '../../../ops/log.ts';
import { createMetrics } from '../../../ops/metrics.ts';
import { openTracing } from '../../../ops/trace.ts';
import type { Records } from '../../../ports/records.ts';
import type { RobotsCache } from '../../../ports/robots-cache.ts';
import type { Tracing } from '../../../ports/tracing.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type NamedDomains, namedDomains } from '../../input/named-domains.ts';
import { onInterrupt } from '../../interrupt.ts';
import { showProgress } from '../../output/crawl-progress.ts';
import { counted, nextCommands, note } from '../../output/print.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import type { CrawlFlags } from './flags.ts';
import { printCrawl } from './print.ts';

/** Changes that a dry run prints at most. */
const MAX_CHANGES = 1_000;

/** `agent-registry crawl`: visits, prints the summary, and says by its exit code how it went. */
export async function crawlDomains(args: readonly string[], flags: CrawlFlags): Promise<ExitCode> {
  const named = await domainsOf(args, flags);
  const config = configOf(flags);
  await checkMetricsFile(flags.metricsFile);
  const network = await networkOf(flags, config);
  let store: Store | undefined;
  let tracing: Tracing | undefined;
  // the store is opened after all that can be wrong with the command, so that a mistake does not leave an empty one
  const fetcher = composeFetcher(
    config,
    network,
    { now: () => (store?.records.clock ?? systemClock).now() },
    robotsOf(() => store?.records),
  );
  const interrupt = onInterrupt();
  const metrics = createMetrics();
  try {
    // a dry run is a real one, on a copy of the store: the change log then says what would have changed
    store = flags.dryRun
      ? await openScratchStore(config)
      : await openStore(config, { create: named !== undefined, onIndexRetried: metrics.indexRetried });
    const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });
    reportClock(store.records.clock, log, metrics);
    tracing = await openTracing({ log });
    const context = composeCrawl({
      config,
      store,
      fetcher,
      clock: store.records.clock,
      log,
      signal: interrupt.signal,
      metrics,
      tracing,
      ...(network.domains && { domains: network.domains }),
    });
    if (flags.connectTo.length === 0) warnAboutContact(config, log);
    return await crawlAndPrint(named, context, flags);
  } finally {
    await fetcher.close();
    await store?.close();
    await tracing?.close();
    interrupt.dispose();
  }
}

/** The robots.txt rules of records that are opened later. */
function robotsOf(records: () => Records | undefined): RobotsCache {
  return {
    find: (origin) => records()?.robots.find(origin),
    keep: (origin, entry) => records()?.robots.keep(origin, entry),
  };
}

/** Warns if crawled sites have no way to reach the operator. */
function warnAboutContact(config: Config, log: Logger): void {
  if (hasOwnContact(config)) return;
  log.warn(
    { contact: config.contact },
    'the User-Agent has no contact: set REGISTRY_CONTACT to an https: or mailto: URL of yours',
  );
}

async function crawlAndPrint(
  named: NamedDomains | undefined,
  context: CrawlContext,
  flags: CrawlFlags,
): Promise<ExitCode> {
  const { tally, signal, records } = context;
  const startedAt = performance.now();
  const startSeq = await records.agents.lastSeq();
  for (const refusal of named?.refused ?? []) tally.note(refusal);
  const run = named === undefined ? context : await openRun(planOf(named, flags), context);
  const progress = showProgress(flags.progress, run);
  try {
    await crawl(run);
  } finally {
    await progress.stop();
    if (flags.metricsFile !== undefined) await writeFile(flags.metricsFile, await context.metrics.text());
  }
  const agentsFound = run.run ? (await records.sources.progressOf(run.run.id)).agentsFound : tally.newAgents;
  const summary = {
    tally,
    agentsFound,
    durationMs: performance.now() - startedAt,
    interrupted: signal.aborted,
  };
  const changes = flags.dryRun ? await records.agents.changes(startSeq, MAX_CHANGES) : undefined;
  const verdict = verdictOf(tally, named, flags.failAbove);
  printCrawl(
    { ...summary, ...(changes && { changes }), ...(verdict !== undefined && { verdict }) },
    flags.json === true,
  );
  if (named === undefined && !signal.aborted && tally.visited.domains + tally.visited.agents === 0)
    note(whyNothing(await records.sources.countDue(context.clock.now())));
  // a crawl started by a timer needs no next steps
  const [first] = named?.domains ?? [];
  if (first !== undefined && !flags.json && !flags.dryRun && !signal.aborted)
    nextCommands([`explain ${first}`, 'search']);
  if (signal.aborted) return EXIT.interrupted;
  return verdict === undefined ? EXIT.ok : EXIT.findings;
}

/** Why nothing was visited, though everything that is due was to be. */
function whyNothing({ domains, agents }: { readonly domains: number; readonly agents: number }): string {
  if (domains + agents === 0) return 'nothing to visit: nothing is due';
  const due = `${counted(domains, 'domain')} and ${counted(agents, 'agent')}`;
  return `${due} due, but leased by another crawl; if that crawl was killed, its leases expire after about 15 minutes`;
}

async function domainsOf(args: readonly string[], flags: CrawlFlags): Promise<NamedDomains | undefined> {
  if (!flags.due) return namedDomains(args, flags.from);
  if (args.length > 0 || flags.from !== undefined) {
    throw new RegistryError('usage', '--due cannot be combined with domains', {
      hint: 'remove --due or the domains',
    });
  }
  return undefined;
}

/** For a typed name, all files of the domain are read; most domains of a list have no agents. */
function planOf({ domains, typed }: NamedDomains, { depth }: CrawlFlags) {
  const seeds = domains.map((key): NewVisit => {
    const visit = { kind: 'domain', key, foundVia: 'operator' } as const;
    return typed.has(key) ? { ...visit, ard: true } : visit;
  });
  const fingerprint = hash('sha256', `${depth}\n${[...domains].sort().join('\n')}`);
  return { seeds, fingerprint, maxDepth: depth };
}

/** Why the command fails: the only domain failed, or more than the accepted share of many; undefined when it does not. */
function verdictOf(tally: Tally, named: NamedDomains | undefined, failAbove: number): string | undefined {
  const refused = named?.refused.length ?? 0;
  const asked = named === undefined ? tally.visited.domains : named.domains.length + refused;
  if (named !== undefined && asked === 1) {
    return tally.failedDomains + tally.absentDomains > 0
      ? 'no agents found: the named domain has no usable file'
      : undefined;
  }
  const failed = tally.failedDomains + refused;
  if (failed * 100 <= asked * failAbove) return undefined;
  return `${failed} of ${asked} domains failed, more than --fail-above ${failAbove} %`;
}

/** Makes the file now: after an hour of crawling is too late to learn that it cannot be written. */
async function checkMetricsFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    await writeFile(path, '');
  } catch (cause) {
    throw new RegistryError('usage', `cannot write --metrics-file ${path}`, {
      cause,
      hint: 'check the folder and its permissions',
    });
  }
}
