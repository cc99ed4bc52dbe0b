import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { crawl, openRun } from '../../../pipelines/crawl.ts';
import { openStore, type Store } from '../../../src/compose/engines.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { composeCrawl } from '../../../src/compose/visits.ts';
import { type Config, readConfig } from '../../../src/config.ts';
import type { Tally } from '../../../src/crawl/progress.ts';
import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import type { FileKind } from '../../../src/domain/declaration.ts';
import type { SourceKey } from '../../../src/domain/source.ts';
import { stitchAndIndex } from '../../../src/index/generations/stitch-and-index.ts';
import type { SourceJourney } from '../../../src/records/sources/journey.ts';
import { type FakeWeb, type Pages, startWeb } from './web.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** 2026-01-06T09:00:00.000Z. */
export const START = Date.UTC(2026, 0, 6, 9);

/** A registry over a fake web: the real fetcher, store, index and pipelines, and a clock that the test owns. */
export interface World {
  readonly web: FakeWeb;
  readonly store: Store;
  readonly clock: { value: number; now(): number };
  /** Other settings from the next crawl on. */
  configure(settings: Partial<Config>): void;
  /** Visits named domains. */
  crawl(domains: readonly string[], options?: { readonly depth?: number }): Promise<Tally>;
  /** Visits what is due now. */
  due(): Promise<Tally>;
  /** Everything that follows from the records alone: dates, stitching, the index. Returns documents written. */
  derive(): Promise<number>;
  /** URLs in the index, in order. */
  listed(): Promise<readonly string[]>;
  document(agent: string): Promise<AgentDocument | undefined>;
  journey(kind: SourceKey['kind'], key: string): Promise<SourceJourney>;
  /** Agents that a domain's file authorises now, sorted. */
  authorised(domain: string): Promise<readonly string[]>;
  /** Requests since the last time this was asked. */
  requests(): readonly string[];
}

/** Opens a world that ends with the test. */
export async function openWorld(pages: Pages, settings: Partial<Config> = {}): Promise<World> {
  const web = await startWeb(pages);
  const config: Config = { ...readConfig({}), store: 'sqlite::memory:', ...settings };
  const store = await openStore(config, { create: true });
  const clock = { value: START, now: () => clock.value };
  onTestFinished(async () => {
    await store.close();
    await web.close();
  });
  const { records, index } = store;

  const visit = async (domains: readonly string[] | undefined, depth: number): Promise<Tally> => {
    const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
    const signal = new AbortController().signal;
    const log = pino({ level: 'silent' });
    const context = composeCrawl({ config, store, fetcher, clock, log, signal });
    try {
      const seeds = (domains ?? []).map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
      const plan = { seeds, fingerprint: `${depth} ${domains?.join()}`, maxDepth: depth };
      await crawl(domains === undefined ? context : await openRun(plan, context));
      return context.tally;
    } finally {
      await fetcher.close();
    }
  };
  const journey = async (kind: SourceKey['kind'], key: string): Promise<SourceJourney> => {
    const found = await records.sources.journey({ kind, key }, 100);
    if (found === undefined) throw new Error(`nothing is known of ${kind} ${key}`);
    return found;
  };
  return {
    web,
    store,
    clock,
    journey,
    configure: (changed) => void Object.assign(config, changed),
    crawl: (domains, { depth = 1 } = {}) => visit(domains, depth),
    due: () => visit(undefined, 0),
    derive: () => stitchAndIndex({ records, index, clock, rederive: deriveStored }),
    listed: async () => (await index.search({ filter: {}, limit: 10_000 })).hits.map((hit) => hit.url),
    document: async (agent) => (await records.agents.saved([agent]))[0]?.document,
    authorised: async (domain) =>
      (await journey('adagents', domain)).authorisations
        .filter((edge) => edge.seenUntil === undefined)
        .map((edge) => edge.agent)
        .toSorted(),
    requests: () => web.requests.splice(0),
  };
}

/** A simple adagents.json that authorises these agents for everything. */
export function adagents(domain: string, ...agents: readonly string[]): object {
  return {
    version: '1.0',
    publisher: { name: domain, domain },
    agents: agents.map((url) => ({ url, protocol: 'mcp', capabilities: [] })),
  };
}

/** Which of the two files a world's domain has a live declaration of. */
export async function declared(world: World, kind: FileKind, domain: string): Promise<boolean> {
  return (await world.store.records.sources.declaration({ kind, key: domain })) !== undefined;
}
