import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { crawl } from '../../pipelines/crawl.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { openTracing } from '../../src/ops/trace.ts';
import { startCollector } from '../ops/support/collector.ts';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { adagents, openWorld } from '../scenarios/support/world.ts';

const AGENT = 'https://hub.example/mcp';
const OTHER = 'https://other-hub.example/mcp';

/** Crawls two domains, each with an agent of its own, and says what was told of it. */
async function crawlTraced() {
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const world = await openWorld({
    'news.example': { [ADAGENTS]: adagents('news.example', AGENT) },
    'other.example': { [ADAGENTS]: adagents('other.example', OTHER) },
  });
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = pino({ level: 'debug', base: null }, sink);
  const { store, clock, web } = world;
  const config = readConfig({});
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  onTestFinished(() => fetcher.close());
  const seeds = ['news.example', 'other.example'].map(
    (key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const,
  );
  await store.records.sources.add(seeds, clock.value);
  const tracing = await openTracing({ log });
  const { signal } = new AbortController();
  await crawl(composeCrawl({ config, store, fetcher, clock, log, signal, tracing }));
  await tracing.close();
  return { spans: collector.spans, lines, changes: await store.records.agents.changes(0, 100) };
}

describe('one trace', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('goes from the crawl of a domain through the probe of its agent to the index', async () => {
    const { spans } = await crawlTraced();
    const visit = spans.find(({ attributes }) => attributes['server.address'] === 'news.example');
    expect(visit).toMatchObject({
      name: 'crawl.visit',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      attributes: { 'agent_registry.outcome.adagents': 'indexed', 'agent_registry.stored': true },
    });
    const names = new Set(spans.filter(({ traceId }) => traceId === visit?.traceId).map(({ name }) => name));
    expect([...names].toSorted()).toEqual(['crawl.visit', 'index.write', 'probe', 'stitch']);
    const probe = spans.find(({ attributes }) => attributes['url.full'] === AGENT);
    expect(probe?.traceId).toBe(visit?.traceId);
  });

  it('is not that of another domain', async () => {
    const { spans } = await crawlTraced();
    const traces = ['news.example', 'other.example'].map(
      (domain) => spans.find(({ attributes }) => attributes['server.address'] === domain)?.traceId,
    );
    expect(new Set(traces).size).toBe(2);
    const probe = spans.find(({ attributes }) => attributes['url.full'] === OTHER);
    expect(probe?.traceId).toBe(traces[1]);
  });

  it('stands in the log lines of the visit, the probe, the stitching and the index, and in the change log', async () => {
    const { spans, lines, changes } = await crawlTraced();
    const trace = spans.find(({ attributes }) => attributes['server.address'] === 'news.example')?.traceId;
    const visited = lines.filter((line) => line.trace_id === trace).map(({ msg }) => msg);
    expect(visited).toEqual(expect.arrayContaining(['domain visited', 'agent probed']));
    const batches = lines.filter(({ trace_ids: traces }) =>
      (traces as string[] | undefined)?.includes(trace ?? ''),
    );
    expect(batches.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['stitch', 'index.write']));
    expect(changes.filter(({ agent }) => agent === AGENT).map((change) => change.trace)).toContain(trace);
  });
});
