import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Dial } from '../../src/crawl/fetch/connect.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import { news, type OwnedClock, ownedClock, SELLER } from './fixtures.ts';
import { first, type Receiving, receiving, sender, webhookKey, webOf } from './support.ts';

let key: TestKey;
let clock: OwnedClock;
let buyer: Receiving;

beforeEach(async () => {
  key = await webhookKey();
  clock = ownedClock();
  buyer = receiving(key, clock, undefined, { sender: SELLER });
});

describe('the guard', () => {
  it.each([
    ['a private address behind a name', 'https://inside.example/webhooks', ['10.0.0.1']],
    ['a public and a private address', 'https://inside.example/webhooks', ['93.184.216.34', '127.0.0.1']],
    ['loopback, spelled out', 'https://127.0.0.1:9/webhooks', []],
    ['metadata of a cloud', 'https://169.254.169.254/latest', []],
    ['http', 'http://buyer.example/webhooks', ['93.184.216.34']],
    ['a password', 'https://me:secret@buyer.example/webhooks', ['93.184.216.34']],
    ['a mail port', 'https://buyer.example:25/webhooks', ['93.184.216.34']],
    ['another port than 443', 'https://buyer.example:8443/webhooks', ['93.184.216.34']],
    ['no url', 'webhooks', []],
  ])('sends nothing to %s: dead at once, with no connection', async (_name, url, addresses) => {
    const dials: Dial[] = [];
    const fetcher = fetcherFor(undefined, {
      resolver: async () => addresses,
      connector(dial) {
        dials.push(dial);
        return new Socket().destroy(new Error('a connection was tried'));
      },
    });
    const { queue, deliverer } = sender(key, fetcher, clock);
    queue.add({ url, payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(queue.deadLetters()).toMatchObject([
      { state: 'dead', attempts: 1, lastError: expect.any(String) },
    ]);
    expect(queue.deadLetters()[0]?.lastError).toMatch(/^blocked: /);
    expect(dials).toEqual([]);
  });

  it('lets http pass to what the operator mapped', async () => {
    buyer = receiving(key, clock, undefined, { origin: 'http://buyer.example' });
    const web = await webOf(first(buyer));
    const { queue, deliverer } = sender(key, fetcherFor(web), clock, {
      allowHttp: ({ hostname }) => hostname === 'buyer.example',
    });
    queue.add({ url: 'http://buyer.example/webhooks', payload: news('mb-1', 1) });
    await deliverer.deliverDue();
    expect(buyer.arrivals).toHaveLength(1);
  });
});
