import { expect, it, onTestFinished } from 'vitest';
import { positionOf } from '../../src/api/operations/feed/position.ts';
import { feedView } from '../../src/api/operations/feed/view.ts';
import { createBudgets } from '../../src/budgets/budgets.ts';
import type { Fetcher, GuardedFetch, Visit } from '../../src/ports/fetcher.ts';
import { derivedKeys } from '../../src/signing/badge-keys.ts';
import { createWakeUps } from '../../src/webhooks/wake-ups.ts';
import { fail } from '../webhooks/support.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

const SECRET = new Uint8Array(32).fill(1);
const OF_EACH = 20;
const AGENTS = Array.from({ length: 50 }, (_, n) => `https://a${n}.example/`);
const LOOK_EVERY_MS = 500;

/** A registry whose members have twenty subscriptions each, at as many receivers, who are in this process. */
async function crowd(members: number, receive: (host: string, body: unknown) => Promise<Response>) {
  const { records, clock } = await openRegistry(AGENTS.map((url) => bareDocument(url)));
  const feed = feedView({ records, cursorSecret: SECRET, baseUrl: '' });
  const place = await feed.end();
  for (let m = 0; m < members; m += 1) {
    const [member, keyId] = [`m${m}`, `ark_${m}`];
    await records.members.import([{ slug: member, displayName: member, foundingMember: false }], 0);
    await records.keys.create({ id: keyId, hash: keyId, member }, 0);
    for (let n = 0; n < OF_EACH; n += 1) {
      const wanted = { id: `${member} ${n}`, url: `https://${member}-${n}.example/`, types: '*', place };
      const actor = { kind: 'key', keyId, member } as const;
      await records.subscriptions.create({ ...wanted, actor, most: OF_EACH }, clock.now());
    }
  }
  const fetch: GuardedFetch = async (to, init) => {
    const body = (await new Response(init?.body).json()) as { challenge?: string };
    return 'challenge' in body
      ? Response.json({ challenge: body.challenge })
      : receive(new URL(to).host, body);
  };
  const fetcher: Pick<Fetcher, 'visit'> = { visit: (_options, work) => work({ fetch } as Visit) };
  const { signer: key } = await derivedKeys(await records.secret('webhook', 32), 'webhook');
  const wakeUps = createWakeUps({
    ...{ subscriptions: records.subscriptions, feed, fetcher: fetcher as Fetcher, clock },
    ...{
      budgets: createBudgets(records),
      random: () => 0.5,
      signing: { key, profile: '3.2' },
      onFault: fail,
    },
  });
  onTestFinished(() => wakeUps.stop());
  await wakeUps.look();
  await wakeUps.idle(); // all have agreed
  let round = 0;
  /** All agents change. */
  const change = async () => {
    round += 1;
    const stitched = AGENTS.map((agent) => {
      const document = bareDocument(agent);
      return { document: { ...document, base: { ...document.base, name: `${round}` } } };
    });
    const changes = AGENTS.map((agent, at) => ({ agent, revision: 9 + round, stitched: stitched[at] ?? {} }));
    await records.agents.saveStitched(changes, clock.now());
  };
  const look = async () => {
    clock.value += LOOK_EVERY_MS;
    await wakeUps.look();
  };
  return { records, place, wakeUps, change, look };
}

it('a burst of changes wakes each subscriber every ten seconds and no oftener, and leaves out none of them', async () => {
  const known = new Map<string, number>();
  let [calls, told] = [0, 0];
  const world = await crowd(10, async (_host, body) => {
    calls += 1;
    if (calls % 9 === 0) return new Response(null, { status: 503 });
    const { subscription_id: id, cursor } = body as { subscription_id: string; cursor: string };
    // from there it reads to the end: no change may lie between that and what it knows
    expect(positionOf(cursor, SECRET)?.agents).toBeLessThanOrEqual(known.get(id) ?? world.place.agents);
    known.set(id, await world.records.agents.lastSeq());
    told += 1;
    return new Response(null, { status: 204 });
  });
  const { records, change, look, wakeUps, place } = world;
  for (let half = 0; half < 40; half += 1) {
    await change();
    await look();
    await wakeUps.idle();
  }
  const end = await records.agents.lastSeq();
  expect(end - place.agents).toBe(40 * AGENTS.length);
  for (let half = 0; half < 60; half += 1) {
    await look();
    await wakeUps.idle();
  }
  expect([known.size, new Set(known.values())]).toEqual([10 * OF_EACH, new Set([end])]);
  expect(told).toBeLessThanOrEqual(3 * known.size); // twice in twenty seconds, and once behind them
  expect(calls).toBeLessThan(told * 1.2);
});

it('a member whose twenty receivers do not answer holds nobody else up', async () => {
  const woken = new Set<string>();
  const silent = Promise.withResolvers<void>();
  const { change, look } = await crowd(2, async (host) => {
    if (host.startsWith('m0-')) await silent.promise;
    else woken.add(host);
    return new Response(null, { status: 204 });
  });
  await change();
  for (let half = 0; half < 4; half += 1) await look();
  await expect.poll(() => woken.size, { timeout: 5_000 }).toBe(OF_EACH);
  silent.resolve();
});
