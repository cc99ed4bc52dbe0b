import { connect as tlsConnect } from 'node:tls';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { TEST_CA } from '../crawl/fetch/certificates.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import { patientTime } from '../support/patient-time.ts';
import { HOOKS, news, type OwnedClock, ownedClock, SELLER } from './fixtures.ts';
import { type Receiving, receiving, sender, webhookKey, webOf } from './support.ts';

let key: TestKey;
let clock: OwnedClock;
let buyer: Receiving;

beforeEach(async () => {
  key = await webhookKey();
  clock = ownedClock();
  buyer = receiving(key, clock, undefined, { sender: SELLER });
});

describe('a receiver', () => {
  it('that answers with 10 MB, and then more without end, is read no further, and has it', async () => {
    const flood = Buffer.alloc(10 << 20, 'x');
    const web = await webOf((request, response) => {
      request.resume();
      const more = (error?: Error | null): void => {
        if (!error) response.write(flood, more);
      };
      response.writeHead(200);
      more();
    });
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(queue.list()).toMatchObject([{ state: 'delivered', lastStatus: 200 }]);
  });

  it('that never answers holds up nobody else, and is tried again', async () => {
    patientTime();
    const web = await webOf((request, response) => {
      if (request.headers.host !== 'slow.example') void buyer.handler(request, response);
    });
    const { queue, deliverer } = sender(key, fetcherFor(web), clock, { tryMs: 300 });
    queue.add({ url: 'https://slow.example/webhooks', payload: news('mb-1', 1) });
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(queue.list()).toMatchObject([
      { state: 'pending', attempts: 1, lastError: 'no answer within 300 ms' },
      { state: 'delivered' },
    ]);
  });

  it('that sends a head and then nothing has it', async () => {
    const web = await webOf((request, response) => {
      request.resume();
      response.writeHead(202).write('{');
    });
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(queue.list()).toMatchObject([{ state: 'delivered', lastStatus: 202 }]);
  });

  it('gets one at a time, over one connection', async () => {
    let inside = 0;
    let most = 0;
    const web = await webOf(async (request, response) => {
      inside += 1;
      most = Math.max(most, inside);
      await buyer.handler(request, response);
      inside -= 1;
    });
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    for (let n = 0; n < 20; n += 1) queue.add({ url: HOOKS, payload: news(`mb-${n}`, 1) });
    await deliverer.deliverDue();
    expect([buyer.arrivals.length, most, web.connections()]).toEqual([20, 1, 1]);
  });
});

it('a public domain gets what is due for it in one visit, with no pause between two webhooks', async () => {
  const web = await serve((_request, response) => response.end(), { tls: true });
  onTestFinished(() => web.close());
  const fetcher = fetcherFor(undefined, {
    resolver: async () => ['93.184.216.34'],
    // no second visit begins in the time of this test
    rates: { 'news.example': { gapMs: 3_600_000 } },
    connector: ({ address, tls }) =>
      Object.defineProperty(
        tlsConnect({ host: '127.0.0.1', port: web.port, servername: tls?.hostname ?? '', ca: TEST_CA }),
        'remoteAddress',
        { get: () => address },
      ),
  });
  const { queue, deliverer } = sender(key, fetcher, clock);
  for (let n = 0; n < 9; n += 1)
    queue.add({ url: 'https://news.example/webhooks', payload: news(`mb-${n}`, 1) });
  await deliverer.deliverDue();
  expect(queue.list().map(({ state, lastError }) => lastError ?? state)).toEqual(Array(9).fill('delivered'));
  expect(web.connections()).toBe(1);
});
