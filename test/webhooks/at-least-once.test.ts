import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { openOutbox } from '../../src/webhooks/outbox.ts';
import { createWebhookQueue, type WebhookQueue } from '../../src/webhooks/queue.ts';
import { fetcherFor, serve, type Web } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import { news, ownedClock, SELLER } from './fixtures.ts';
import { webhookKey } from './support.ts';

/** What the receiver does with a request: a status, or one of three kinds of silence. */
type Doing = number | 'busy' | 'reset' | 'lost';

interface Added {
  readonly mediaBuy: string;
  readonly host: string;
}

interface World {
  readonly queue: WebhookQueue;
  readonly doings: Doing[];
  /** `host media-buy sequence` of each that was taken. */
  readonly arrived: Set<string>;
  readonly overtaken: string[];
}

interface Body {
  readonly media_buy_id: string;
  readonly sequence: number;
}

let key: TestKey;
let web: Web;
let world: World;

beforeAll(async () => {
  key = await webhookKey();
  web = await serve(listener);
});

afterAll(() => web.close());

const listener: RequestListener = (request, response) => {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    const url = `https://${request.headers.host}/webhooks`;
    const { media_buy_id: mediaBuy, sequence } = JSON.parse(text) as Body;
    const earlier = world.queue
      .list()
      .filter((one) => one.url === url && one.subject === `media_buy ${mediaBuy}` && one.state === 'pending')
      .filter((one) => (JSON.parse(one.body) as Body).sequence < sequence);
    if (earlier.length > 0) world.overtaken.push(`${url} ${mediaBuy} ${sequence}`);
    const doing = world.doings.shift() ?? 200;
    if (doing === 200 || doing === 'lost') world.arrived.add(`${url} ${mediaBuy} ${sequence}`);
    if (doing === 'reset' || doing === 'lost') request.socket.destroy();
    else if (doing === 'busy') response.writeHead(503, { 'retry-after': '40' }).end();
    else response.writeHead(doing).end();
  });
};

const doing = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Doing>(200) },
  fc.constantFrom<Doing>(500, 502, 429, 408, 'busy', 'reset', 'lost', 404, 400, 302),
);
const webhooks = fc.array(
  fc.record({
    mediaBuy: fc.constantFrom('mb-1', 'mb-2', 'mb-3'),
    host: fc.constantFrom('a.example', 'b.example'),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Sends all of them, with two deliverers at once, until nothing is left to do. */
async function settled(
  added: readonly Added[],
  doings: readonly Doing[],
  random: () => number,
): Promise<void> {
  const states = openAgentStates(':memory:');
  const state = states.of(SELLER);
  const clock = ownedClock();
  const fetcher = fetcherFor(web);
  const parts = { state, fetcher, signing: { key: key.signer, profile: '3.2' as const }, clock, random };
  const deliverers = [createDeliverer(parts), createDeliverer(parts)];
  const queue = createWebhookQueue(state, { clock });
  world = { queue, doings: [...doings], arrived: new Set(), overtaken: [] };
  const outbox = openOutbox(state);
  const sequences = new Map<string, number>();
  for (const { mediaBuy, host } of added) {
    const lane = `${host} ${mediaBuy}`;
    const sequence = (sequences.get(lane) ?? 0) + 1;
    sequences.set(lane, sequence);
    queue.add({ url: `https://${host}/webhooks`, payload: news(mediaBuy, sequence) });
  }
  for (let next = outbox.nextDue(); next !== undefined; next = outbox.nextDue()) {
    clock.set(Math.max(next, clock.now() + 1_000));
    await Promise.all(deliverers.map((one) => one.deliverDue()));
  }
  await fetcher.close();
  judge(added.length);
  states.close();
}

function judge(count: number): void {
  const { queue, arrived, overtaken } = world;
  for (const { url, subject, body, state, lastError } of queue.list()) {
    const name = `${url} ${subject.replace('media_buy ', '')} ${(JSON.parse(body) as Body).sequence}`;
    const accounted = arrived.has(name) || (state === 'dead' && (lastError ?? '') !== '');
    expect(accounted, `${name} is ${state}`).toBe(true);
    if (state === 'delivered') expect(arrived).toContain(name);
  }
  expect([queue.list().length, overtaken]).toEqual([count, []]);
}

describe('whatever a receiver does', () => {
  it('every webhook arrives or is dead with a reason, and none overtakes an earlier one, with two deliverers', async () => {
    await fc.assert(
      fc.asyncProperty(
        webhooks,
        fc.array(doing, { maxLength: 60 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (list, doings, draws) => settled(list, doings, () => draws.next().value ?? 0),
      ),
      { numRuns: 30 },
    );
  });
});
