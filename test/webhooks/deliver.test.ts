import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { fetcherFor } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import { accountNews, BUYER, HOOKS, news, type OwnedClock, ownedClock, SELLER, START } from './fixtures.ts';
import { first, type Receiving, receiving, sender, sequencesOf, webhookKey, webOf } from './support.ts';

const SECRET = 's3cret-of-the-receiver-0123456789';
const EXPECTED_MAC = 'sha256=336fab443b5291f036617ff316bd6a95e16342c185c264a6b1385696420cf74d';

let key: TestKey;
let clock: OwnedClock;
let buyer: Receiving;

beforeEach(async () => {
  key = await webhookKey();
  clock = ownedClock();
  buyer = receiving(key, clock, undefined, { sender: SELLER });
});

describe('a webhook', () => {
  it('arrives signed, and is verified and kept by its receiver', async () => {
    const web = await webOf(first(buyer));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(buyer.arrivals).toEqual([
      {
        duplicate: false,
        webhook: {
          sender: SELLER,
          keyid: 'wh',
          receivedAt: START,
          outOfOrder: false,
          payload: news('mb-1', 1),
        },
      },
    ]);
    expect(queue.list()).toMatchObject([
      { id: 'wh-000000000001', state: 'delivered', attempts: 1, lastStatus: 200 },
    ]);
    expect(web.seen).toEqual(['POST buyer.example /webhooks']);
  });

  it.each([
    ['Bearer', 'authorization', `Bearer ${SECRET}`],
    // HMAC of `${epoch seconds}.${body}`, as openssl makes it too
    ['HMAC-SHA256', 'x-adcp-signature', EXPECTED_MAC],
  ])(
    'shows the shared secret by %s where its receiver asked for that, and no signature',
    async (scheme, header, value) => {
      const heads: IncomingMessage['headers'][] = [];
      const web = await webOf((request, response) => {
        heads.push(request.headers);
        response.writeHead(204).end();
      });
      const { queue, deliverer } = sender(key, fetcherFor(web), clock);
      const authentication = { schemes: [scheme], credentials: SECRET };
      queue.add({ url: HOOKS, payload: { idempotency_key: 'k' }, authentication });
      await deliverer.deliverDue();
      expect(heads).toMatchObject([{ [header]: value, 'content-type': 'application/json' }]);
      expect(Object.keys(heads[0] ?? {})).not.toContain('signature');
    },
  );

  it('repeats a shared secret that no header can carry in no error', async () => {
    const { queue, deliverer } = sender(key, fetcherFor(), clock);
    const authentication = { schemes: ['Bearer'], credentials: `${SECRET}\nx: y` };
    queue.add({ url: HOOKS, payload: { idempotency_key: 'k' }, authentication });
    await deliverer.deliverDue();
    const lastError = 'the request cannot be sent: invalid method or header';
    expect(queue.list()).toMatchObject([{ state: 'pending', lastError }]);
  });

  it('is not there when the transaction around it fails', async () => {
    const { queue, state } = sender(key, fetcherFor(), clock);
    const failing = () =>
      state.transaction(() => {
        queue.add({ url: HOOKS, payload: news('mb-1', 1) });
        throw new Error('no budget');
      });
    expect(failing).toThrow('no budget');
    expect(queue.list()).toEqual([]);
  });

  it('needs an idempotency key', () => {
    const { queue } = sender(key, fetcherFor(), clock);
    expect(() => queue.add({ url: HOOKS, payload: { media_buy_id: 'mb-1' } })).toThrow('no idempotency_key');
  });

  it('is sent again with the same bytes and another signature', async () => {
    const bodies: string[] = [];
    const heads: IncomingMessage[] = [];
    const web = await webOf(async (request, response) => {
      bodies.push((await buffer(request)).toString());
      heads.push(request);
      response.writeHead(bodies.length < 3 ? 500 : 204).end();
    });
    const { queue, untilSettled } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await untilSettled();
    expect(new Set(bodies)).toEqual(new Set([JSON.stringify(news('mb-1', 1))]));
    expect(new Set(heads.map(({ headers }) => headers['signature-input'])).size).toBe(3);
    expect(queue.list()).toMatchObject([{ state: 'delivered', attempts: 3, lastStatus: 204 }]);
  });

  it.each([
    ['a redirect', (response: ServerResponse) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['404', 404],
    ['401', 401],
  ])(
    'that is answered with %s is tried seven times, for half an hour at least, and is dead with its reason',
    async (_name, answer) => {
      const web = await webOf(first(buyer, ...Array<typeof answer>(9).fill(answer)));
      const { queue, untilSettled } = sender(key, fetcherFor(web), clock);
      queue.add({ url: HOOKS, payload: news('mb-1', 1) });
      await untilSettled();
      expect(web.seen).toEqual(Array(7).fill('POST buyer.example /webhooks'));
      expect(clock.now() - START).toBeGreaterThan(30 * 60_000);
      expect(queue.deadLetters()).toMatchObject([
        { state: 'dead', attempts: 7, lastError: expect.stringContaining('stopped after 7 attempts') },
      ]);
    },
  );

  it('waits as long as a receiver with a 429 says, and so do all others for it', async () => {
    const busy = (response: ServerResponse) => response.writeHead(429, { 'retry-after': '90' }).end();
    const web = await webOf(first(buyer, busy));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    queue.add({ url: HOOKS, payload: news('mb-2', 1) });
    await deliverer.deliverDue();
    clock.set(START + 89_999);
    await deliverer.deliverDue();
    expect(web.seen).toHaveLength(1);
    clock.set(START + 90_000);
    await deliverer.deliverDue();
    expect(buyer.arrivals).toHaveLength(2);
  });

  it('ends with a 410, with all that wait for that URL; a new one is tried', async () => {
    const web = await webOf(first(buyer, 410));
    const { queue, deliverer, untilSettled } = sender(key, fetcherFor(web), clock);
    for (const sequence of [1, 2, 3]) queue.add({ url: HOOKS, payload: news('mb-1', sequence) });
    queue.add({ url: HOOKS, payload: news('mb-2', 1) });
    queue.add({ url: `${BUYER}/other`, payload: news('mb-2', 1) });
    await deliverer.deliverDue();
    expect(queue.list().map(({ state, lastError }) => [state, lastError])).toEqual([
      ['ended', 'the receiver answered 410'],
      ['ended', 'the receiver answered 410 to wh-000000000001'],
      ['ended', 'the receiver answered 410 to wh-000000000001'],
      ['ended', 'the receiver answered 410 to wh-000000000001'],
      ['delivered', undefined],
    ]);
    expect(web.seen).toEqual(['POST buyer.example /webhooks', 'POST buyer.example /other']);
    queue.add({ url: HOOKS, payload: news('mb-1', 4) });
    await untilSettled();
    expect(sequencesOf(buyer)).toEqual([1, 4]);
  });

  it('that a receiver refuses after it was down for long is tried for as long as any other', async () => {
    const web = await webOf(first(buyer, ...Array<number>(10).fill(500), ...Array<number>(6).fill(401)));
    const { queue, untilSettled } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    await untilSettled();
    expect(queue.list()).toMatchObject([{ state: 'delivered', attempts: 17 }]);
  });

  it('that was added while the clock was days ahead is sent when it is right again', async () => {
    const web = await webOf(first(buyer));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock);
    clock.set(START + 3 * 86_400_000);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    clock.set(START);
    queue.add({ url: HOOKS, payload: news('mb-1', 2) });
    await deliverer.deliverDue();
    expect(sequencesOf(buyer)).toEqual([1, 2]);
  });

  it('waits for an earlier one about the same account, and for no other', async () => {
    const web = await webOf(first(buyer, 500));
    const { queue, deliverer, untilSettled } = sender(key, fetcherFor(web), clock);
    for (const [account, sequence] of [
      ['acc_1', 1],
      ['acc_1', 2],
      ['acc_2', 7],
    ] as const)
      queue.add({ url: HOOKS, payload: accountNews(account, sequence) });
    await deliverer.deliverDue();
    expect(sequencesOf(buyer)).toEqual([7]);
    await untilSettled();
    expect(sequencesOf(buyer)).toEqual([7, 1, 2]);
  });

  it('waits for an earlier one about the same media buy, and for no other', async () => {
    const web = await webOf(first(buyer, 500));
    const { queue, deliverer, untilSettled } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    queue.add({ url: HOOKS, payload: news('mb-1', 2) });
    queue.add({ url: HOOKS, payload: news('mb-2', 7) });
    await deliverer.deliverDue();
    expect(sequencesOf(buyer)).toEqual([7]);
    await untilSettled();
    expect(sequencesOf(buyer)).toEqual([7, 1, 2]);
    expect(buyer.arrivals.some(({ webhook }) => webhook.outOfOrder)).toBe(false);
  });

  it('goes on when the one before it is dead, and a replay of that one is late', async () => {
    const web = await webOf(first(buyer, ...Array<number>(7).fill(400)));
    const { queue, untilSettled } = sender(key, fetcherFor(web), clock);
    queue.add({ url: HOOKS, payload: news('mb-1', 1) });
    queue.add({ url: HOOKS, payload: news('mb-1', 2) });
    await untilSettled();
    expect(queue.list().map(({ state }) => state)).toEqual(['dead', 'delivered']);
    expect(queue.replay('wh-000000000001')).toMatchObject([{ state: 'pending', attempts: 0, replays: 1 }]);
    await untilSettled();
    expect(buyer.arrivals.map(({ webhook }) => [webhook.payload.sequence, webhook.outOfOrder])).toEqual([
      [2, false],
      [1, true],
    ]);
    expect(queue.deadLetters()).toEqual([]);
    expect(() => queue.replay('wh-000000000001')).toThrow('unknown dead letter wh-000000000001');
  });

  it('that comes back from the dead letters goes before those that are still waiting', async () => {
    const web = await webOf(first(buyer, ...Array<number>(7).fill(400), 500));
    const { queue, deliverer, untilSettled } = sender(key, fetcherFor(web), clock);
    for (const sequence of [1, 2, 3]) queue.add({ url: HOOKS, payload: news('mb-1', sequence) });
    for (let round = 0; queue.deadLetters().length === 0; round += 1) {
      await deliverer.deliverDue();
      clock.set(clock.now() + 60_000 * round);
    }
    queue.replay('all');
    clock.set(clock.now() + 3_600_000); // the second one is due too
    await untilSettled();
    expect(sequencesOf(buyer)).toEqual([1, 2, 3]);
  });
});
