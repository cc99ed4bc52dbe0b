import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WorkContext, work } from '../../pipelines/work.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeVisits } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { RegistryError } from '../../src/errors.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import type { Records } from '../../src/ports/records.ts';
import { ADAGENTS, type Pages } from '../scenarios/support/web.ts';
import { adagents, openWorld, type World } from '../scenarios/support/world.ts';
import { type MemoryQueue, memoryQueue, until } from './support/memory-queue.ts';

const AGENT = 'https://hub.example/mcp';
const TRACE = 'c'.repeat(32);
const SITES = ['a.example', 'b.example', 'c.example'];
const PAGES: Pages = Object.fromEntries(SITES.map((name) => [name, { [ADAGENTS]: adagents(name, AGENT) }]));
const config = { ...readConfig({}), concurrency: 4 };

async function openQueued(pages: Pages = PAGES): Promise<{ world: World; queue: MemoryQueue }> {
  const world = await openWorld(pages);
  const domains = Object.keys(pages);
  const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
  await world.store.records.sources.add(visits, world.clock.value);
  const queue = memoryQueue();
  await queue.add(
    'crawl',
    domains.map((key) => ({ key, traceId: TRACE })),
  );
  return { world, queue };
}

/** A worker that runs until the test ends, or rejects. */
function begin(
  { store, clock, web }: World,
  queue: MemoryQueue,
  over: { records?: Records; kinds?: WorkContext['kinds'] } = {},
) {
  const end = new AbortController();
  const metrics = createMetrics();
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const records = over.records ?? store.records;
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const visits = composeVisits({ config, records, fetcher, clock, log, signal: end.signal, metrics });
  const indexer = { records, index: store.index, clock, rederive: deriveStored };
  const kinds = over.kinds ?? (['crawl'] as const);
  const running = work({ queue, kinds, holder: 'tested', visits, timeoutMs: 60_000, indexer });
  const stop = async () => {
    end.abort();
    await running.finally(() => fetcher.close());
  };
  onTestFinished(() => stop().catch(() => {}));
  return { running, stop, metrics, logged: () => lines.map((line) => JSON.parse(line)) };
}

describe('a worker', () => {
  it('waits for a database that is away while it claims domains, and then makes the visits', async () => {
    const { world, queue } = await openQueued();
    const { politeness } = world.store.records;
    let faults = 0;
    const claim: typeof politeness.claim = (...given) => {
      faults += 1;
      if (faults > 1) return politeness.claim(...given);
      return Promise.reject(
        new RegistryError('store_unavailable', 'the database is away', { retryable: true }),
      );
    };
    const records = { ...world.store.records, politeness: { ...politeness, claim } };
    const { stop } = begin(world, queue, { records });
    await until(() => faults === 1);
    await queue.add(
      'crawl',
      SITES.map((key) => ({ key, traceId: TRACE })),
    );
    await until(async () => (await world.authorised('c.example')).length > 0);
    await stop();
  });

  it('makes the visits of its jobs, and says under their trace what it did', async () => {
    const { world, queue } = await openQueued();
    const { stop, metrics, logged } = begin(world, queue);
    await until(() => queue.told.length === 3);
    await stop();
    expect(queue.told.toSorted()).toEqual(SITES.map((name) => `crawl done ${name}`));
    expect(await world.authorised('a.example')).toEqual([AGENT]);
    expect(await metrics.text()).toContain('registry_jobs_total{kind="crawl",outcome="done"} 3');
    const visited = logged().filter(({ msg }) => msg === 'domain visited');
    expect(visited.map(({ trace_id }) => trace_id)).toEqual([TRACE, TRACE, TRACE]);
  });

  it('is done with a job whose source is not due any more, and with one that it has never heard of', async () => {
    const { world, queue } = await openQueued();
    await world.store.records.sources.takeKeys('domain', ['a.example'], world.clock.value, 60_000);
    await queue.add('crawl', [{ key: 'unknown.example', traceId: TRACE }]);
    const { stop, metrics } = begin(world, queue);
    await until(() => queue.told.length === 4);
    await stop();
    expect(await metrics.text()).toContain('registry_jobs_total{kind="crawl",outcome="not_due"} 2');
    expect(world.requests().some((request) => request.startsWith('a.example'))).toBe(false);
  });

  it('leaves a domain alone whose turn another process has', async () => {
    const { world, queue } = await openQueued();
    await world.store.records.politeness.claim(['b.example'], 'another', world.clock.value, 60_000);
    const { stop, metrics } = begin(world, queue);
    await until(() => queue.told.length === 3);
    await stop();
    expect(await metrics.text()).toContain('registry_jobs_total{kind="crawl",outcome="busy"} 1');
    expect(world.requests().some((request) => request.startsWith('b.example'))).toBe(false);
    const due = await world.store.records.sources.takeDue('domain', 10, world.clock.value, 1);
    expect(due.map(({ key }) => key)).toEqual(['b.example']);
  });

  it('gives its turns back with a pause', async () => {
    const { world, queue } = await openQueued();
    const { stop } = begin(world, queue);
    await until(() => queue.told.length === 3);
    await stop();
    const { politeness } = world.store.records;
    const now = world.clock.value;
    expect(await politeness.claim(SITES, 'another', now + 999, 1)).toEqual(new Set());
    expect(await politeness.claim(SITES, 'another', now + 1_100, 1)).toEqual(new Set(SITES));
  });

  it('makes the visits of one registrable domain one after the other', async () => {
    let underWay = 0;
    let most = 0;
    const hosts = Array.from({ length: 5 }, (_, at) => `h${at}.shared.example`);
    const slow = async (_request: unknown, response: { writeHead(status: number): { end(): void } }) => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      response.writeHead(404).end();
    };
    const { world, queue } = await openQueued(Object.fromEntries(hosts.map((host) => [host, slow])));
    const { stop } = begin(world, queue);
    await until(() => queue.told.length === 5);
    await stop();
    expect([most, queue.told.length]).toEqual([1, 5]);
  });

  it('says of a visit that came too late that it was lost', async () => {
    const { world, queue } = await openQueued({ 'a.example': PAGES['a.example'] ?? {} });
    const { sources } = world.store.records;
    world.web.pages = {
      'a.example': async (_request, response) => {
        world.clock.value += 3_600_000;
        await sources.takeKeys('domain', ['a.example'], world.clock.value, 60_000);
        response.writeHead(404).end();
      },
    };
    const { stop, metrics } = begin(world, queue);
    await until(() => queue.told.length === 1);
    await stop();
    expect(queue.told).toEqual(['crawl done a.example']);
    expect(await metrics.text()).toContain('registry_jobs_total{kind="crawl",outcome="lost"} 1');
  });

  it('puts a job back whose visit could not be stored, and goes on', async () => {
    const { world, queue } = await openQueued();
    const { records } = world.store;
    let refused = 0;
    const full: Records = {
      ...records,
      sources: {
        ...records.sources,
        commitDomainVisit: (visit) => {
          if (visit.domain !== 'b.example' || refused++ > 0) return records.sources.commitDomainVisit(visit);
          return Promise.reject(
            new RegistryError('store_unwritable', 'the disk is full', { retryable: true }),
          );
        },
      },
    };
    const late: MemoryQueue = {
      ...queue,
      putBack: (kind, ids) => {
        world.clock.value += 3_600_000; // its lease has run out before its job can be taken again
        return queue.putBack(kind, ids);
      },
    };
    const { stop, metrics } = begin(world, late, { records: full });
    await until(() => queue.told.includes('crawl done b.example'));
    expect(queue.told).toContain('crawl putBack b.example');
    await stop();
    expect(await metrics.text()).toContain('registry_job_retries_total{kind="crawl"} 1');
    expect(refused).toBe(2);
  });

  it('goes on by itself when the queue was away', async () => {
    const { world, queue } = await openQueued();
    queue.away = true;
    const { metrics } = begin(world, queue);
    await until(async () =>
      (await metrics.text()).includes('registry_job_takes_total{kind="crawl",result="error"}'),
    );
    queue.away = false;
    await until(() => queue.told.length === 3);
  });

  it('ends with a fault that does not pass', async () => {
    const { world, queue } = await openQueued();
    const { records } = world.store;
    const takeKeys = () => Promise.reject(new RegistryError('store_corrupt', 'damaged'));
    const broken = { ...records, sources: { ...records.sources, takeKeys } };
    const { running } = begin(world, queue, { records: broken, kinds: ['crawl', 'probe', 'prune'] });
    await expect(running).rejects.toThrow('damaged');
  });

  it('gives everything back when it is stopped: its jobs, leases and turns', async () => {
    const never = () => {};
    const { world, queue } = await openQueued(Object.fromEntries(SITES.map((name) => [name, never])));
    const { stop } = begin(world, queue);
    await until(() => [...queue.jobs.crawl.values()].every(({ active }) => active));
    await stop();
    expect(queue.waiting('crawl').toSorted()).toEqual(SITES);
    const due = await world.store.records.sources.due('domain', 10, world.clock.value + 2_000);
    expect(due.map(({ key }) => key).toSorted()).toEqual(SITES);
  });

  it('probes agents, stitches what changed, and deletes what is past its time', async () => {
    const { world, queue } = await openQueued();
    const { stop, metrics } = begin(world, queue, { kinds: ['crawl', 'probe', 'index', 'prune'] });
    await until(() => queue.told.length === 3);
    await queue.add('probe', [{ key: AGENT, traceId: TRACE }]);
    await until(() => queue.told.includes(`probe done ${AGENT}`));
    await queue.add('index', [{ key: 'index', traceId: TRACE }]);
    await queue.add('prune', [{ key: 'prune', traceId: TRACE }]);
    await until(() => queue.told.includes('index done index') && queue.told.includes('prune done prune'));
    await stop();
    expect(await world.listed()).toEqual([AGENT]);
    expect((await world.journey('agent', AGENT)).source.lastVisitAt).toBeDefined();
    expect(await metrics.text()).toContain('registry_worker_slots{kind="prune"} 1');
  });
});
