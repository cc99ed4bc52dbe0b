import { pino } from 'pino';
import { expect, it } from 'vitest';
import { crawl } from '../../pipelines/crawl.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { FetchGuardError } from '../../src/crawl/fetch/failure.ts';
import { createFetcher } from '../../src/crawl/fetch/fetcher.ts';
import { ADAGENTS, BRAND } from '../scenarios/support/web.ts';
import { adagents, HOUR, openWorld } from '../scenarios/support/world.ts';

const DAY = 24 * HOUR;
const config = { ...readConfig({}), concurrency: 4 };

it('a domain that never published is visited less and less, and as any other from the day on which it publishes', async () => {
  const file = adagents('half.example', 'https://hub.example/mcp');
  const page = '<!doctype html><title>This name is for sale</title>';
  const pointer = JSON.stringify({ authoritative_location: `https://parked.example${ADAGENTS}` });
  const pages = {
    'parked.example': { [ADAGENTS]: page, [BRAND]: page },
    'pointing.example': { [ADAGENTS]: pointer },
  };
  const world = await openWorld({ 'never.example': {}, 'half.example': { [ADAGENTS]: file }, ...pages });
  const { store, clock, web } = world;
  const { sources } = store.records;
  const signal = new AbortController().signal;
  const log = pino({ level: 'silent' });
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const keys = ['never.example', 'half.example', 'parked.example', 'pointing.example'];
  await sources.add(
    keys.map((key) => ({ kind: 'domain', key, foundVia: 'operator' })),
    clock.value,
  );
  const waits: number[] = [];
  /** Goes from one due visit of the domain to the next one; days in between. */
  const shouldContinue = async (kind: 'adagents' | 'brand', key: string): Promise<number> => {
    await crawl(composeCrawl({ config, store, fetcher, clock, log, signal }));
    const next = (await sources.get({ kind, key }))?.nextVisitAt ?? Number.NaN;
    const days = Math.floor((next - clock.value) / DAY);
    clock.value = next;
    return days;
  };
  for (let visit = 0; visit < 13; visit += 1) waits.push(await shouldContinue('adagents', 'never.example'));
  // the first within the day of grace of a file that is gone
  expect(waits).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 7, 14, 28, 30, 30]);
  expect(await shouldContinue('adagents', 'parked.example')).toBe(30);
  const parked = await sources.journey({ kind: 'adagents', key: 'parked.example' }, 10);
  expect(parked?.captures).toMatchObject([{ status: 200, bytes: page.length }]);
  expect(parked?.captures[0]).not.toHaveProperty('bodyHash');

  web.pages = { ...web.pages, 'never.example': { [ADAGENTS]: file } };
  expect(await shouldContinue('adagents', 'never.example')).toBe(0);
  expect(await sources.declaration({ kind: 'adagents', key: 'never.example' })).toBeDefined();

  const brand: number[] = [];
  for (let visit = 0; visit < 12; visit += 1) brand.push(await shouldContinue('brand', 'half.example'));
  expect(Math.max(...brand)).toBeLessThanOrEqual(1);
  // whoever leads to a page has published something
  expect(await shouldContinue('adagents', 'pointing.example')).toBeLessThanOrEqual(1);
});

it('a domain without an address costs one look-up a visit: no connection, no capture, and the same long waits', async () => {
  const { store, clock } = await openWorld({});
  const { sources } = store.records;
  const signal = new AbortController().signal;
  const log = pino({ level: 'silent' });
  const asked = { lookUps: 0, connections: 0 };
  const fetcher = createFetcher({
    clock,
    userAgent: { product: 'agent-registry', version: '0.1', contact: new URL('https://registry.example/us') },
    resolver: async () => {
      asked.lookUps += 1;
      throw new FetchGuardError('dns', 'queryA ENOTFOUND gone.example (ENOTFOUND)');
    },
    connector: () => {
      asked.connections += 1;
      throw new Error('nothing is dialled');
    },
  });
  await sources.add([{ kind: 'domain', key: 'gone.example', foundVia: 'rank >1000000' }], clock.value);
  const visits = 3;
  for (let visit = 0; visit < visits; visit += 1) {
    await crawl(composeCrawl({ config, store, fetcher, clock, log, signal, control: async () => true }));
    const source = await sources.get({ kind: 'adagents', key: 'gone.example' });
    expect(source).toMatchObject({ lastOutcome: 'unreachable', failures: visit + 1 });
    expect(((source?.nextVisitAt ?? 0) - clock.value) / DAY).toBeGreaterThanOrEqual(30);
    clock.value = source?.nextVisitAt ?? Number.NaN;
  }
  expect(asked).toEqual({ lookUps: visits, connections: 0 });
  const journey = await sources.journey({ kind: 'adagents', key: 'gone.example' }, 10);
  expect(journey?.captures).toEqual([]);
});
