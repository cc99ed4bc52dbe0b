import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import type { CrawlContext } from '../../pipelines/crawl-context.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { adagents, HOUR, openWorld, type World } from '../scenarios/support/world.ts';

const SITES = Array.from({ length: 60 }, (_, index) => `site-${index}.example`);
const AGENT = 'https://hub.example/mcp';
const BUG = new TypeError('a fault of ours');

/** A crawl of the sites whose log is kept, with parts replaced to be at fault. */
async function crawlWith(world: World, faulty: (context: CrawlContext) => Partial<CrawlContext>) {
  const { store, clock, web } = world;
  const config = { ...readConfig({}), concurrency: 4 };
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const { signal } = new AbortController();
  const made = composeCrawl({ config, store, fetcher, clock, log, signal });
  const seeds = SITES.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  const context = await openRun({ seeds, fingerprint: 'sites', maxDepth: 0 }, { ...made, ...faulty(made) });
  await crawl(context);
  await fetcher.close();
  return { tally: context.tally, run: context.run?.id ?? 0, logged: lines.map((line) => JSON.parse(line)) };
}

const openSites = () =>
  openWorld(
    Object.fromEntries(SITES.map((domain) => [domain, { [ADAGENTS]: adagents(domain, AGENT) }] as const)),
  );

describe('a fault of ours', () => {
  it('in one visit of sixty spoils that one, which is kept, told and tried again later', async () => {
    const world = await openSites();
    const { tally, run, logged } = await crawlWith(world, ({ limits }) => ({
      limits: {
        ...limits,
        bounds: (host) => {
          if (host === 'site-5.example') throw BUG;
          return limits.bounds(host);
        },
      },
    }));
    expect([tally.visited.domains, tally.failedDomains]).toEqual([60, 1]);
    const { source } = await world.journey('adagents', 'site-5.example');
    expect(source).toMatchObject({ lastOutcome: 'failed', failures: 1, lastError: { code: 'internal' } });
    expect(source.nextVisitAt).toBeGreaterThan(world.clock.value + HOUR);
    expect((await world.store.records.sources.progressOf(run)).pending).toEqual({ domains: 0, agents: 0 });
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ domain: 'site-5.example', err: { stack: expect.any(String) } });
    expect(await world.authorised('site-6.example')).toEqual([AGENT]);
  });

  it('in the fetcher, or while one visit is written, is the same', async () => {
    const world = await openSites();
    const { tally } = await crawlWith(world, ({ fetcher, records }) => ({
      fetcher: {
        ...fetcher,
        visit: (options, work) =>
          options.host === 'site-7.example' ? Promise.reject(BUG) : fetcher.visit(options, work),
      },
      records: {
        ...records,
        sources: {
          ...records.sources,
          commitDomainVisit: (visit) =>
            visit.domain === 'site-8.example' && visit.files.some((file) => file.outcome !== 'failed')
              ? Promise.reject(BUG)
              : records.sources.commitDomainVisit(visit),
        },
      },
    }));
    expect([tally.visited.domains, tally.failedDomains]).toEqual([60, 2]);
    for (const domain of ['site-7.example', 'site-8.example']) {
      const { source } = await world.journey('adagents', domain);
      expect(source.lastError).toMatchObject({
        code: 'internal',
        detail: expect.stringContaining(BUG.message),
      });
    }
  });

  it('of the records, met by the probes, ends the visits of domains and then the crawl', async () => {
    const world = await openSites();
    const unhandled: unknown[] = [];
    const note = (fault: unknown) => void unhandled.push(fault);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    let visited = 0;
    const crawling = crawlWith(world, ({ records, fetcher }) => ({
      fetcher: {
        ...fetcher,
        visit: (options, work) => {
          visited += 1;
          return fetcher.visit(options, work);
        },
      },
      records: {
        ...records,
        sources: {
          ...records.sources,
          takeRun: (run, kind, ...rest) =>
            kind === 'agent' ? Promise.reject(BUG) : records.sources.takeRun(run, kind, ...rest),
        },
      },
    }));
    await expect(crawling).rejects.toBe(BUG);
    expect(unhandled).toEqual([]);
    expect(visited).toBeLessThan(60);
  });

  it('in a probe spoils that one', async () => {
    const world = await openSites();
    const { tally, logged } = await crawlWith(world, ({ fetcher }) => ({
      fetcher: {
        ...fetcher,
        visit: (options, work) =>
          options.host === 'hub.example' ? Promise.reject(BUG) : fetcher.visit(options, work),
      },
    }));
    expect(tally.visited).toEqual({ domains: 60, agents: 1 });
    const { source } = await world.journey('agent', AGENT);
    expect(source).toMatchObject({ lastOutcome: 'failed', failures: 1, lastError: { code: 'internal' } });
    expect(logged[0]).toMatchObject({ agent: AGENT, err: { stack: expect.any(String) } });
  });
});
