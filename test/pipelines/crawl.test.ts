import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import { rootCause } from '../../src/cli/output/print-error.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { RegistryError } from '../../src/errors.ts';
import { ADAGENTS, type Pages } from '../scenarios/support/web.ts';
import { adagents, HOUR, openWorld, type World } from '../scenarios/support/world.ts';

const SITES = Array.from({ length: 20 }, (_, index) => `site-${index}.example`);
const PAGES: Pages = Object.fromEntries(
  SITES.map((domain) => [domain, { [ADAGENTS]: adagents(domain, 'https://hub.example/mcp') }]),
);
const config = { ...readConfig({}), concurrency: 4 };

/** What another process would work with: the same store, a fetcher and a tally of its own. */
function worker({ store, clock, web }: World, signal = new AbortController().signal) {
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const log = pino({ level: 'silent' });
  return composeCrawl({ config, store, fetcher, clock, log, signal });
}

const seeds = SITES.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
const plan = { seeds, fingerprint: 'sites', maxDepth: 0 };

/** How often the adagents.json of each site was captured. */
async function visits(world: World): Promise<readonly number[]> {
  const journeys = await Promise.all(SITES.map((domain) => world.journey('adagents', domain)));
  return journeys.map(({ captures }) => {
    const own = captures.filter(({ requestedUrl }) => requestedUrl.endsWith(ADAGENTS));
    return own.reduce((sum, { times }) => sum + times, 0);
  });
}

describe('workers on one store', () => {
  it('share the work, and no domain is visited twice', async () => {
    const world = await openWorld(PAGES);
    await world.store.records.sources.add(seeds, world.clock.value);
    const workers = [worker(world), worker(world)];
    await Promise.all(workers.map((context) => crawl(context)));
    expect(await visits(world)).toEqual(SITES.map(() => 1));
    expect(workers.reduce((sum, { tally }) => sum + tally.visited.domains, 0)).toBe(SITES.length);
  });

  it('cannot write what somebody else was given meanwhile', async () => {
    const world = await openWorld({ 'site-0.example': PAGES['site-0.example'] ?? {} });
    const { sources } = world.store.records;
    const [seed] = seeds;
    if (seed === undefined) throw new Error('no site');
    await sources.add([seed], world.clock.value);
    const context = worker(world);
    const slow = { ...world.web.pages };
    let visited = 0;
    world.web.pages = {
      'site-0.example': async (_request, response) => {
        if (visited++ === 0) {
          world.clock.value += HOUR; // the lease runs out while the answer is awaited
          await sources.takeDue('domain', 10, world.clock.value, HOUR);
        }
        response.writeHead(404).end();
      },
    };
    await crawl(context);
    expect(context.tally.visited.domains).toBe(0);
    const { source, captures } = await world.journey('adagents', 'site-0.example');
    expect([source.lastVisitAt, captures]).toEqual([undefined, []]);
    expect(Object.keys(slow)).toEqual(['site-0.example']);
  });
});

describe('a run', () => {
  it('under a signal that has fired visits nothing and holds nothing', async () => {
    const world = await openWorld(PAGES);
    const context = await openRun(plan, worker(world, AbortSignal.abort()));
    await crawl(context);
    expect(world.requests()).toEqual([]);
    const { sources } = world.store.records;
    expect(await sources.takeRun(context.run?.id ?? 0, 'domain', 100, world.clock.value, 1)).toHaveLength(20);
  });

  it('that goes on takes over what a process that died still holds', async () => {
    const world = await openWorld(PAGES);
    const { sources } = world.store.records;
    const died = await openRun(plan, worker(world));
    const held = await sources.takeRun(died.run?.id ?? 0, 'domain', 15, world.clock.value, HOUR);
    expect(held).toHaveLength(15);
    const context = await openRun(plan, worker(world));
    expect(context.run?.id).toBe(died.run?.id);
    await crawl(context);
    expect(context.tally.visited.domains).toBe(20);
    expect(await visits(world)).toEqual(SITES.map(() => 1));
  });

  it('is another one for other domains or another depth', async () => {
    const world = await openWorld({});
    const ids = [];
    for (const fingerprint of ['sites', 'sites at depth 2', 'sites'])
      ids.push((await openRun({ ...plan, fingerprint }, worker(world))).run?.id);
    expect(ids).toEqual([1, 2, 1]);
  });

  it('ends with the error of a store that breaks, and gives up the rest', async () => {
    const world = await openWorld(PAGES);
    const context = await openRun(plan, worker(world));
    const broken = new RegistryError('store_locked', 'the store is locked', { retryable: true });
    let commits = 0;
    const sources = {
      ...context.records.sources,
      commitDomainVisit: () => {
        commits += 1;
        return Promise.reject(broken);
      },
    };
    const records = { ...context.records, sources };
    const error = await crawl({ ...context, records }).catch((thrown: unknown) => thrown);
    expect(error === broken || rootCause(error) === broken).toBe(true);
    expect(commits).toBeLessThanOrEqual(config.concurrency);
  });
});
