import { pino } from 'pino';
import { expect, it } from 'vitest';
import { crawl } from '../../pipelines/crawl.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { ADAGENTS } from '../scenarios/support/web.ts';
import { adagents, HOUR, openWorld } from '../scenarios/support/world.ts';

const DAY = 24 * HOUR;
const config = { ...readConfig({}), concurrency: 4 };

it('a domain that never published is visited less and less, and as any other from the day on which it publishes', async () => {
  const file = adagents('half.example', 'https://hub.example/mcp');
  const world = await openWorld({ 'never.example': {}, 'half.example': { [ADAGENTS]: file } });
  const { store, clock, web } = world;
  const { sources } = store.records;
  const signal = new AbortController().signal;
  const log = pino({ level: 'silent' });
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const keys = ['never.example', 'half.example'];
  await sources.add(
    keys.map((key) => ({ kind: 'domain', key, foundVia: 'operator' })),
    clock.value,
  );
  const waits: number[] = [];
  /** Goes from one due visit of the domain to the next one; days in between. */
  const goOn = async (kind: 'adagents' | 'brand', key: string): Promise<number> => {
    await crawl(composeCrawl({ config, store, fetcher, clock, log, signal }));
    const next = (await sources.get({ kind, key }))?.nextVisitAt ?? Number.NaN;
    const days = Math.floor((next - clock.value) / DAY);
    clock.value = next;
    return days;
  };
  for (let visit = 0; visit < 13; visit += 1) waits.push(await goOn('adagents', 'never.example'));
  // the first within the day of grace of a file that is gone
  expect(waits).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 7, 14, 28, 30, 30]);

  web.pages = { ...web.pages, 'never.example': { [ADAGENTS]: file } };
  expect(await goOn('adagents', 'never.example')).toBe(0);
  expect(await sources.declaration({ kind: 'adagents', key: 'never.example' })).toBeDefined();

  const brand: number[] = [];
  for (let visit = 0; visit < 12; visit += 1) brand.push(await goOn('brand', 'half.example'));
  expect(Math.max(...brand)).toBeLessThanOrEqual(1);
});
