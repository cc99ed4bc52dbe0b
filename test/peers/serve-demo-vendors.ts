import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import { MEASUREMENT_AGENTS } from '../../reference-agents/src/agents/roster-measurement.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import { createServer } from '../../src/api/server.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

/** The seed of the demo: its vendors have the same metrics and accreditations. */
const SEED = 1;

/** A registry that has crawled the measurement vendors of the demo's web. Its store is a file. */
export async function serveDemoVendors() {
  const folder = await mkdtemp(join(tmpdir(), 'buyer-'));
  const store = `sqlite:${join(folder, 'registry.sqlite')}`;
  const config = { ...readConfig({}), store };
  const [sandbox, opened] = await Promise.all([
    startSandbox({ seed: SEED }),
    openStore(config, { create: true }),
  ]);
  const logger = pino({ level: 'silent' });
  const clock = systemClock;
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, clock);
  const { signal } = new AbortController();
  const context = composeCrawl({ config, store: opened, fetcher, clock, log: logger, signal });
  const seeds = MEASUREMENT_AGENTS.map(({ url }) => {
    return { kind: 'domain', key: new URL(url).hostname, foundVia: 'operator' } as const;
  });
  await crawl(await openRun({ seeds, fingerprint: 'buyer', maxDepth: 1 }, context));
  await fetcher.close();
  await sandbox.close();
  const metrics = createMetrics({ version: '0.1.0' });
  const server = createServer({
    ...{
      ...opened,
      logger,
      metrics,
      clock,
      config: { answerWithinMs: 120_000, version: '0.1.0', trustedProxies: [] },
    },
  });
  let requests = 0;
  server.server.on('request', () => {
    requests += 1;
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    store,
    requests: () => requests,
    async close() {
      await server.close();
      await opened.close();
      await rm(folder, { recursive: true });
    },
  };
}
