import { crawl, openRun } from '../../pipelines/crawl.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { createLog } from '../../src/ops/log.ts';
import { asSide } from '../support/as-side.ts';
import { cpuMs } from '../support/cpu.ts';

export interface OurInput {
  readonly port: number;
  readonly ca: string;
  readonly domains: readonly string[];
  readonly concurrency: number;
  /** Path of the store; made where there is none. */
  readonly store: string;
}

export interface OurResult {
  readonly domains: number;
  readonly agents: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly listed: number;
  /** What edges and files got their numbers in the feed for, and how many. */
  readonly feed: { readonly cpuMs: number; readonly rows: number };
}

/** What `agent-registry crawl` does, from opening the store to closing it. */
await asSide(async (input: OurInput): Promise<OurResult> => {
  const config = {
    ...readConfig({}),
    store: `sqlite:${input.store}`,
    concurrency: input.concurrency,
    logLevel: 'warn' as const,
  };
  const store = await openStore(config, { create: true });
  const feed = measureFeed(store.records.edgeLog);
  const network = { connectTo: [`*=https://127.0.0.1:${input.port}`], ca: input.ca };
  const fetcher = composeFetcher(config, network, systemClock, store.records.robots);
  const log = createLog({ level: config.logLevel, pretty: false });
  const { signal } = new AbortController();
  const context = composeCrawl({ config, store, fetcher, clock: systemClock, log, signal });
  const seeds = input.domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  await crawl(await openRun({ seeds, fingerprint: 'bench', maxDepth: 0 }, context));
  const listed = await store.index.count({});
  await fetcher.close();
  await store.close();
  const { visited, outcomes } = context.tally;
  return { ...visited, outcomes, listed, feed };
});

type EdgeLog = Awaited<ReturnType<typeof openStore>>['records']['edgeLog'];

/** Of SQLite a call has all of the process while it runs. */
function measureFeed(edgeLog: EdgeLog): { cpuMs: number; rows: number } {
  const { appendPending, hasPending } = edgeLog;
  const feed = { cpuMs: 0, rows: 0 };
  const measured = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const before = cpuMs();
    const done = work();
    feed.cpuMs += cpuMs() - before;
    return done;
  };
  edgeLog.hasPending = () => measured(hasPending);
  edgeLog.appendPending = async (limit, now) => {
    const told = await measured(() => appendPending(limit, now));
    feed.rows += told;
    return told;
  };
  return feed;
}
