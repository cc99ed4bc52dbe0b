import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFileChecks } from '../../src/compose/file-checks.ts';
import { readConfig } from '../../src/config.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';

const LEASE_MS = 60_000;

/** A site whose agent and files never answer, and the checks of a process that serves callers. */
async function hangingSite() {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { politeness, close } = await openSqliteRecords({ path: ':memory:' });
  const checks = composeFileChecks({
    config: readConfig({}),
    network: { connectTo: [`slow.example=http://127.0.0.1:${port}`] },
    ...{ politeness, clock: systemClock, onFault: () => {} },
  });
  onTestFinished(async () => {
    await checks.close();
    server.closeAllConnections();
    server.close();
    await close();
  });
  return { server, checks, politeness };
}

const claim = async ({ politeness }: Awaited<ReturnType<typeof hangingSite>>) =>
  (await politeness.claim(['slow.example'], 'crawler', Date.now(), LEASE_MS)).has('slow.example');

it.each([
  ['an exam in the lab', 'examine'],
  ['a question for products', 'products'],
] as const)('a visit of the registry itself gets the turn of a site that %s holds', async (_, work) => {
  const world = await hangingSite();
  const asked = world.checks[work]('https://slow.example/mcp');
  const outcome = asked.catch((error: unknown) => error);
  await once(world.server, 'request');
  expect(await claim(world)).toBe(false);
  await expect.poll(() => claim(world), { timeout: 20_000 }).toBe(true);
  // what was cut off is no result
  expect(await outcome).toMatchObject({ name: 'CheckRefused', reason: 'visited_now' });
});

it('a visit of the registry itself gets the turn of a site whose file is being checked', async () => {
  const world = await hangingSite();
  const outcome = world.checks.check({ domain: 'slow.example' }).catch((error: unknown) => error);
  await once(world.server, 'request');
  expect(await claim(world)).toBe(false);
  await expect.poll(() => claim(world), { timeout: 20_000 }).toBe(true);
  expect(await outcome).toMatchObject({ name: 'CheckRefused' });
});

it('callers who ask again and again leave the next turn to the visit that waits', async () => {
  const world = await hangingSite();
  const { politeness } = world;
  await politeness.claim(['slow.example'], 'check 1', Date.now(), LEASE_MS, { yields: true });
  expect(await claim(world)).toBe(false);
  await politeness.release(['slow.example'], 'check 1', Date.now());
  const again = await politeness.claim(['slow.example'], 'check 2', Date.now(), LEASE_MS, { yields: true });
  expect([...again]).toEqual([]);
  expect(await claim(world)).toBe(true);
});

it('an agent is not judged by answers that waited while the files of others were read', async () => {
  const { server, checks } = await hangingSite();
  const readingOfOthers = async () => {
    const text = '['.repeat(2 * 1024 * 1024);
    for (const end = performance.now() + 6_000; performance.now() < end; ) await checks.check({ text });
  };
  let read: Promise<void> | undefined;
  server.on('request', async (_, response) => {
    read ??= readingOfOthers();
    await read;
    response.writeHead(404).end();
  });
  const examine = () => checks.examine('https://slow.example/mcp');
  await expect(examine()).rejects.toMatchObject({ name: 'CheckRefused', reason: 'busy' });
  expect((await examine()).grade).toBe('F');
});

it('of checks that end together, since one of them is too costly, each may be asked for again', async () => {
  const { server, checks } = await hangingSite();
  const asked = checks.examine('https://slow.example/mcp');
  await once(server, 'request');
  const costly = checks.check({ text: '['.repeat(16 * 1024 * 1024) });
  const outcomes = await Promise.allSettled([asked, costly]);
  expect(outcomes).toMatchObject([{ reason: { reason: 'busy' } }, { reason: { reason: 'busy' } }]);
});
