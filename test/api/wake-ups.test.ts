import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Dial } from '../../src/crawl/fetch/connect.ts';
import type { Subscription, SubscriptionStore } from '../../src/records/owners/subscriptions.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import { HOOKS } from '../webhooks/fixtures.ts';
import { BASE, wokenWorld } from './support/woken.ts';

const OTHER = 'https://other.example/webhooks';
const KILLED = new Error('killed');

/** The store of a process that is killed at one of its writings: before it, or after it and before anybody knows. */
function killedAt(store: SubscriptionStore, writing: number, isWritten: boolean) {
  let count = 0;
  return {
    active: () => store.active(),
    async keep(progress: readonly Subscription[]) {
      if (progress.length > 0) count += 1;
      if (count < writing) return store.keep(progress);
      if (isWritten && count === writing) await store.keep(progress);
      throw KILLED;
    },
  };
}

describe('a wake-up', () => {
  it.each([
    ['before it notes that something changed', 1, false, 1],
    ['when it has noted that something changed', 1, true, 1],
    ['before it takes the try', 2, false, 1],
    ['when it has taken the try, and has sent nothing', 2, true, 1],
    ['when the receiver has it, and nobody noted that', 3, false, 2],
    ['when it is noted that the receiver has it', 3, true, 1],
  ])('comes although its sender is killed %s', async (_when, writing, isWritten, comes) => {
    const { subscribe, listed, waking, clock, records, pass, arrivals, bodies, get } = await wokenWorld();
    await subscribe();
    await listed('a');
    const isDead = (error: unknown) => expect(error).toBe(KILLED);
    const dying = waking({
      subscriptions: killedAt(records.subscriptions, writing, isWritten),
      onFault: isDead,
    });
    for (const seconds of [0, 2]) {
      clock.value += seconds * 1_000;
      await dying.look().catch(isDead);
      await dying.idle();
    }
    for (let looks = 0; looks < 4; looks += 1) await pass(20); // past the lease of the one that was killed
    expect(bodies()).toHaveLength(comes);
    expect(new Set(bodies().map((body) => body.idempotency_key)).size).toBe(1);
    expect(arrivals.map(({ duplicate }) => duplicate)).toEqual([false, true].slice(0, comes));
    await listed('b');
    for (let looks = 0; looks < 2; looks += 1) await pass(20);
    expect(bodies()).toHaveLength(comes + 1);
    const names = [];
    for (const body of [bodies()[0], bodies().at(-1)]) {
      const { events } = (await get(String(body?.feed_url).slice(BASE.length))).json();
      names.push(events.map(({ entity_id }: { entity_id: string }) => entity_id));
    }
    // each cursor leads to what came behind it, in the order in which it came
    expect(names).toEqual([['https://a.example/mcp', 'https://b.example/mcp'], ['https://b.example/mcp']]);
  });

  it('of one receiver does not wait for another that does not answer', async () => {
    const { subscribe, listed, waking, clock, other, bodies } = await wokenWorld(() => undefined);
    const wakeUps = waking();
    await subscribe({ url: HOOKS });
    await subscribe({ url: OTHER });
    await listed('a');
    for (const seconds of [0, 2]) {
      clock.value += seconds * 1_000;
      await wakeUps.look();
    }
    await vi.waitUntil(() => other.arrivals.length === 1, 5_000);
    await listed('b');
    for (const seconds of [12, 2]) {
      clock.value += seconds * 1_000;
      await wakeUps.look();
    }
    await vi.waitUntil(() => other.arrivals.length === 2, 5_000);
    expect(bodies()).toEqual([]);
    await wakeUps.stop();
  });

  it('is given back when the process stops while the receiver is slow, and counts as no try', async () => {
    const silent = vi.fn();
    const { subscribe, listed, waking, clock, list, pass, bodies } = await wokenWorld(silent);
    await subscribe();
    await listed('a');
    const wakeUps = waking();
    for (const seconds of [0, 2]) {
      clock.value += seconds * 1_000;
      await wakeUps.look();
    }
    await vi.waitUntil(() => silent.mock.calls.length === 1, 5_000);
    await wakeUps.stop();
    expect((await list()).subscriptions).toMatchObject([{ state: 'active', attempts: 0 }]);
    await pass(6);
    expect(bodies()).toHaveLength(1);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['one public and one private address', ['93.184.216.34', '169.254.169.254']],
    ['loopback of IPv6', ['::1']],
  ])('goes nowhere when the name of the receiver leads to %s', async (_what, addresses) => {
    const { subscribe, listed, waking, clock, dead, bodies } = await wokenWorld();
    const dials: Dial[] = [];
    const fetcher = fetcherFor(undefined, {
      resolver: async () => addresses,
      connector(dial) {
        dials.push(dial);
        return new Socket().destroy(new Error('a connection was tried'));
      },
    });
    onTestFinished(() => fetcher.close());
    await subscribe();
    await listed('a');
    const wakeUps = waking({ fetcher });
    for (const seconds of [0, 2]) {
      clock.value += seconds * 1_000;
      await wakeUps.look();
      await wakeUps.idle();
    }
    expect(dead).toMatchObject([{ lastError: expect.stringMatching(/^blocked: /) }]);
    expect([dials, bodies()]).toEqual([[], []]);
  });

  it('does not follow a redirect inside: nothing is asked there', async () => {
    const { subscribe, listed, pass, list, other } = await wokenWorld((response) =>
      response.writeHead(307, { location: OTHER }).end(),
    );
    await subscribe();
    await listed('a');
    for (const seconds of [0, 2]) await pass(seconds);
    expect((await list()).subscriptions).toMatchObject([
      { attempts: 1, last_error: 'a redirect is not allowed here' },
    ]);
    expect([other.arrivals, other.refusals]).toEqual([[], []]);
  });
});
