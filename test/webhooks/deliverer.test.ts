import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAttempts } from '../../src/webhooks/attempt.ts';
import { KEPT, openOutbox } from '../../src/webhooks/outbox.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import { makeKey, type TestKey } from '../signing/support.ts';
import { HOOKS, news, type OwnedClock, ownedClock, SELLER, START, SYSTEM_CLOCK } from './fixtures.ts';
import {
  fail,
  first,
  memoryState,
  type Receiving,
  receiving,
  sender,
  sequencesOf,
  until,
  webhookKey,
  webOf,
} from './support.ts';

let key: TestKey;
let clock: OwnedClock;
let buyer: Receiving;

beforeEach(async () => {
  key = await webhookKey();
  clock = ownedClock();
  buyer = receiving(key, clock, undefined, { sender: SELLER });
});

describe('the deliverer', () => {
  it('needs a key for webhooks', async () => {
    const wrong = await makeKey('r', 'request-signing');
    expect(() => sender(wrong, fetcherFor(), clock)).toThrow('the key r has the purpose request-signing');
  });

  it('wakes for what is added, until it is stopped', async () => {
    const web = await webOf(first(buyer));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    const stop = new AbortController();
    const running = deliverer.run(stop.signal, fail);
    for (const sequence of [1, 2, 3]) {
      queue.add({ url: HOOKS, payload: news('mb-1', sequence) });
      await until(() => buyer.arrivals.length === sequence);
    }
    stop.abort();
    await running;
    expect(sequencesOf(buyer)).toEqual([1, 2, 3]);
  });

  it('serves a new receiver while another one hangs', async () => {
    const web = await webOf((request, response) => {
      if (request.headers.host !== 'slow.example') void buyer.handler(request, response);
    });
    const { queue, deliverer } = sender(key, fetcherFor(web), clock, { tryMs: 60_000 });
    const stop = new AbortController();
    const running = deliverer.run(stop.signal, fail);
    queue.add({ url: 'https://slow.example/webhooks', payload: news('mb-1', 1) });
    await until(() => web.seen.length === 1);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await until(() => buyer.arrivals.length === 1);
    stop.abort();
    await running;
    expect(queue.list()[0]).toMatchObject({ state: 'pending', attempts: 0, dueAt: START });
  });

  it('serves all receivers, however few at once', async () => {
    const web = await webOf((_request, response) => response.end());
    const { queue, deliverer } = sender(key, fetcherFor(web), clock, { receivers: 2 });
    for (let n = 0; n < 60; n += 1)
      queue.add({ url: `https://b${n % 7}.example/webhooks`, payload: news(`mb-${n}`, 1) });
    await deliverer.deliverDue();
    expect(queue.list().filter(({ state }) => state === 'delivered')).toHaveLength(60);
  });

  it('comes back by itself to a receiver that asked for a rest', async () => {
    buyer = receiving(key, SYSTEM_CLOCK);
    const busy = (response: ServerResponse) => response.writeHead(503, { 'retry-after': '1' }).end();
    const web = await webOf(first(buyer, busy));
    const { queue, deliverer } = sender(key, fetcherFor(web), SYSTEM_CLOCK, { random: () => 0 });
    const stop = new AbortController();
    const running = deliverer.run(stop.signal, fail);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await until(() => buyer.arrivals.length === 1);
    stop.abort();
    await running;
    expect(web.seen).toHaveLength(2);
  });

  it('leaves alone what another process has taken, until the lease ends', async () => {
    let held: ServerResponse | undefined;
    const web = await webOf((request, response) => {
      if (held === undefined) held = response;
      else void buyer.handler(request, response);
    });
    const state = memoryState();
    const one = sender(key, fetcherFor(web), clock, { state, tryMs: 60_000 });
    const other = sender(key, fetcherFor(web), clock, { state, tryMs: 60_000 });
    one.queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    one.queue.add({ url: HOOKS, payload: news('mb-1', 2) });
    const sending = one.deliverer.deliverDue();
    await until(() => held !== undefined);
    await other.deliverer.deliverDue();
    expect(web.seen).toHaveLength(1);
    clock.set(START + 80_000);
    await other.deliverer.deliverDue();
    expect(sequencesOf(buyer)).toEqual([1, 2]);
    held?.writeHead(500).end();
    await sending;
    expect(one.queue.list().map(({ state: at, attempts }) => [at, attempts])).toEqual([
      ['delivered', 2],
      ['delivered', 1],
    ]);
  });

  it('gives up a webhook that ends its process each time', () => {
    const state = memoryState();
    const { queue } = sender(key, fetcherFor(), clock, { state });
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    const attempts = openAttempts(state, () => 0.5);
    const outbox = openOutbox(state);
    for (let taken = 0; queue.deadLetters().length === 0; taken += 1) {
      expect(taken).toBeLessThan(30);
      for (const due of outbox.due(clock.now(), 1)) attempts.take(due, clock.now(), 1_000);
      clock.set(clock.now() + 1_000);
    }
    expect(queue.deadLetters()).toMatchObject([{ attempts: 24, lastError: 'stopped after 24 attempts' }]);
  });
});
describe('what is settled', () => {
  it('can be looked up for some time, and dead letters for longer', async () => {
    const web = await webOf(first(buyer, 200, 410));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    const send = async (mediaBuy: string) => {
      queue.add({ url: HOOKS, payload: news(mediaBuy, 1) });
      await deliverer.deliverDue();
      return queue.list().map(({ subject, state }) => `${subject}: ${state}`);
    };
    await send('mb-1');
    expect(await send('mb-2')).toEqual(['media_buy mb-1: delivered', 'media_buy mb-2: ended']);
    clock.set(START + KEPT.delivered.ms);
    expect(await send('mb-3')).toEqual(['media_buy mb-2: ended', 'media_buy mb-3: delivered']);
    clock.set(START + KEPT.dead.ms);
    queue.add({ url: 'no url', payload: news('mb-4', 1) });
    await deliverer.deliverDue();
    expect(queue.deadLetters().map(({ subject }) => subject)).toEqual(['media_buy mb-4']);
  });

  it('is bounded in number', async () => {
    const state = memoryState();
    const outbox = openOutbox(state);
    const { queue } = sender(key, fetcherFor(), clock, { state });
    state.transaction(() => {
      for (let n = 0; n < KEPT.delivered.atMost + 5; n += 1)
        queue.add({ url: HOOKS, payload: news(`mb-${n}`, 1) });
      for (const delivery of outbox.pending()) outbox.finish(delivery, 'delivered', START);
    });
    expect(outbox.delivered()).toHaveLength(KEPT.delivered.atMost);
    expect(outbox.delivered()[0]?.subject).toBe('media_buy mb-5');
  });
});
