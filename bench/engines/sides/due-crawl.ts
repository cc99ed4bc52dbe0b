import { crawl } from '../../../pipelines/crawl.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { composeCrawl } from '../../../src/compose/visits.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/ops/log.ts';
import { asSide } from '../../support/as-side.ts';

export interface DueCrawlInput {
  readonly store: string;
  readonly index: string;
  readonly prefix: string;
  readonly port: number;
  readonly ca: string;
  readonly concurrency: number;
}

/** What `agent-registry crawl --due` does, from opening the store to closing it. */
await asSide(async (input: DueCrawlInput): Promise<void> => {
  const { store: address, index, prefix: indexPrefix, concurrency } = input;
  const config = { ...readConfig({}), store: address, index, indexPrefix, concurrency };
  const store = await openStore(config, { create: true });
  const network = { connectTo: [`*=https://127.0.0.1:${input.port}`], ca: input.ca };
  const fetcher = composeFetcher(config, network, systemClock, store.records.robots);
  const log = createLog({ level: 'warn', pretty: false });
  const { signal } = new AbortController();
  await crawl(composeCrawl({ config, store, fetcher, clock: systemClock, log, signal }));
  await fetcher.close();
  await store.close();
});
