import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchEventLoop } from '../../src/edge/watchdog.ts';
import { openRegistry } from '../api/support/registry.ts';
import { call, get, listening } from './support.ts';

/** A watched server in a time of the test's own: some of it passes in turns of the loop, some while one turn lasts. */
async function watched(computes = true) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  const server = createServer();
  const watchdog = watchEventLoop(server, { now: () => now, cpu: () => (computes ? now : 0) });
  await listening(server);
  return {
    ...watchdog,
    blocks: (ms: number) => (now += ms),
    turns(ms: number) {
      for (let passed = 0; passed < ms; passed += 10) {
        now += 10;
        vi.advanceTimersByTime(10);
      }
    },
  };
}

it('one short block sends nobody away, and is shown', async () => {
  const { blocks, turns, isOverloaded, longestBlockMs } = await watched();
  blocks(300);
  expect(isOverloaded(16)).toBe(false);
  turns(50);
  expect(longestBlockMs()).toBe(300);
  expect(isOverloaded(16)).toBe(false);
});

it('a long block sends away while it lasts, and until a second after it', async () => {
  const { blocks, turns, isOverloaded, longestBlockMs } = await watched();
  blocks(700);
  expect(isOverloaded(15)).toBe(false); // nobody is sent away for the sake of a few
  expect(isOverloaded(16)).toBe(true); // what waits behind the block in the same turn of the loop
  turns(50);
  expect(longestBlockMs()).toBe(700);
  expect(isOverloaded(16)).toBe(true);
  turns(990);
  expect(isOverloaded(16)).toBe(true);
  turns(10);
  expect(isOverloaded(16)).toBe(false);
});

it('a process that others keep waiting sends nobody away', async () => {
  const { blocks, turns, isOverloaded } = await watched(false);
  blocks(900);
  expect(isOverloaded(16)).toBe(false);
  turns(50);
  expect(isOverloaded(16)).toBe(false);
});

it('several blocks in a second are one load', async () => {
  const { blocks, turns, isOverloaded } = await watched();
  for (const _ of [1, 2, 3]) {
    blocks(260);
    turns(50);
  }
  expect(isOverloaded(16)).toBe(true);
});

it('a server that is blocked answers 503 with a time to come back; liveness is answered all the same', async () => {
  let now = performance.now(); // a second that passes at the wrong moment would end the load
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: now * 1_000, system: 0 }));
  onTestFinished(() => void vi.restoreAllMocks());
  const { server, metrics } = await openRegistry([], { answerWithinMs: 60_000 });
  let arrived = 0;
  const shown = Promise.withResolvers<string>();
  server.get('/slow', { config: { openapi: { paths: {} } } }, () => {
    arrived += 1;
    return shown.promise;
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const close = 'Connection: close\r\n';
  for (let n = 0; n < 16; n += 1) await call(port, get('/slow', close));
  await expect.poll(() => arrived).toBe(16);
  const callers = [await call(port, ''), await call(port, '')];
  callers[0]?.socket.write(get('/api/registry/agents', close));
  callers[1]?.socket.write(get('/healthz?', close));
  now += 700;
  const [list = '', live = ''] = await Promise.all(callers.map(({ gone }) => gone));
  expect(list).toMatch(/^HTTP\/1.1 503 /);
  expect(list.toLowerCase()).toContain('retry-after: 1');
  expect(list).toContain('"code":"overloaded"');
  expect(live).toMatch(/^HTTP\/1.1 200 /);
  expect(await metrics.text()).toContain('registry_http_requests_shed_total 1');
  shown.resolve('the server need not wait for these to close');
});
