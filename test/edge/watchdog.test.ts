import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchEventLoop } from '../../src/edge/watchdog.ts';
import { openRegistry } from '../api/support/registry.ts';
import { call, get, listening } from './support.ts';

/** Computes for so long. */
function block(ms: number): void {
  const begun = process.cpuUsage();
  let sum = 0;
  while (process.cpuUsage(begun).user < ms * 1_000) for (let n = 0; n < 1e6; n += 1) sum += Math.sqrt(n);
  expect(sum).toBeGreaterThan(0);
}

/** A watched server with a clock of the test's own beside the real one. */
async function watched(computes = true) {
  const clock = { ahead: 0, now: () => performance.now() + clock.ahead };
  const server = createServer();
  const watchdog = watchEventLoop(server, { now: clock.now, cpu: () => (computes ? clock.now() : 0) });
  await listening(server);
  return { ...watchdog, clock, server };
}

it('one short block sends nobody away, and is shown', async () => {
  const { clock, isOverloaded, longestBlockMs } = await watched();
  clock.ahead += 300;
  expect(isOverloaded(16)).toBe(false);
  await expect.poll(longestBlockMs, { interval: 10 }).toBeGreaterThan(240);
  expect(isOverloaded(16)).toBe(false);
});

it('a long block sends away while it lasts, and until a second after it', async () => {
  const { clock, isOverloaded, longestBlockMs } = await watched();
  clock.ahead += 700;
  expect(isOverloaded(15)).toBe(false); // nobody is sent away for the sake of a few
  expect(isOverloaded(16)).toBe(true); // what waits behind the block in the same turn of the loop
  await expect.poll(longestBlockMs, { interval: 10 }).toBeGreaterThan(640);
  expect(isOverloaded(16)).toBe(true);
  clock.ahead += 150;
  expect(isOverloaded(16)).toBe(true);
  for (let step = 0; step < 12; step += 1) {
    clock.ahead += 90;
    await delay(60);
  }
  expect(isOverloaded(16)).toBe(false);
});

it('a process that others keep waiting sends nobody away', async () => {
  const { clock, isOverloaded } = await watched(false);
  clock.ahead += 900;
  expect(isOverloaded(16)).toBe(false);
  await delay(60);
  expect(isOverloaded(16)).toBe(false);
});

it('several blocks in a second are one load', async () => {
  const { clock, isOverloaded } = await watched();
  for (const _ of [1, 2, 3]) {
    clock.ahead += 260;
    await delay(60);
  }
  expect(isOverloaded(16)).toBe(true);
});

it('a server that is blocked answers 503 with a time to come back; liveness is answered all the same', async () => {
  const { server, metrics } = await openRegistry();
  let arrived = 0;
  server.get('/slow', { config: { openapi: { paths: {} } } }, () => {
    arrived += 1;
    return new Promise(() => {});
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const close = 'Connection: close\r\n';
  for (let n = 0; n < 16; n += 1) await call(port, get('/slow'));
  await expect.poll(() => arrived).toBe(16);
  const callers = [await call(port, ''), await call(port, '')];
  callers[0]?.socket.write(get('/api/registry/agents', close));
  callers[1]?.socket.write(get('/healthz?', close));
  block(700);
  const [list = '', live = ''] = await Promise.all(callers.map(({ gone }) => gone));
  expect(list).toMatch(/^HTTP\/1.1 503 /);
  expect(list.toLowerCase()).toContain('retry-after: 1');
  expect(list).toContain('"code":"overloaded"');
  expect(live).toMatch(/^HTTP\/1.1 200 /);
  expect(await metrics.text()).toContain('registry_http_requests_shed_total 1');
});
