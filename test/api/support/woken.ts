import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { feedView } from '../../../src/api/operations/feed/view.ts';
import { cursorSecretOf } from '../../../src/api/operations/list-agents.ts';
import { createBudgets } from '../../../src/budgets/budgets.ts';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import type { Subscription } from '../../../src/records/owners/subscriptions.ts';
import { derivedKeys } from '../../../src/signing/badge-keys.ts';
import { createWakeUps, type WakeUpOptions } from '../../../src/webhooks/wake-ups.ts';
import { documentOf } from '../../contract/agent-index-samples.ts';
import { fetcherFor } from '../../crawl/fetch/web.ts';
import { HOOKS } from '../../webhooks/fixtures.ts';
import { fail, first, receiving, webOf } from '../../webhooks/support.ts';
import { openRegistry } from './registry.ts';

/** Of the operations on subscriptions. */
export const PATH = '/api/me/subscriptions';
export const BASE = 'https://registry.example';
const SECOND = 1_000;

/** A registry that wakes a receiver on loopback, which verifies with the published keys. */
export async function wokenWorld(...statuses: Parameters<typeof first>[1][]) {
  const registry = await openRegistry([], { baseUrl: BASE });
  const { records, clock, server } = registry;
  const { key } = await registry.addKey('nova');
  const headers = { authorization: `Bearer ${key}` };
  const { keys } = (await registry.get('/.well-known/webhook-keys.json')).json<{ keys: { kid: string }[] }>();
  const jwk = keys.find(({ kid }) => kid.startsWith('webhook-')) ?? fail('no key for webhooks');
  const its = { now: () => clock.now(), set: () => {} };
  const buyer = receiving({ public: jwk } as never, its, undefined, { validate: () => undefined });
  const answers = first(buyer, ...statuses);
  let isAgreeing = false;
  const listener: RequestListener = (request, response) =>
    void (isAgreeing ? buyer.handler(request, response) : answers(request, response));
  const { origin } = await webOf(listener);
  const other = receiving({ public: jwk } as never, its, undefined, {
    origin: 'https://other.example',
    validate: () => undefined,
  });
  const { origin: otherOrigin } = await webOf(first(other));
  const fetcher = fetcherFor(undefined, {
    connectTo: parseConnectTo([`buyer.example=${origin}`, `other.example=${otherOrigin}`]),
    rates: { 'buyer.example': { gapMs: 0 }, 'other.example': { gapMs: 0 } },
  });
  onTestFinished(() => fetcher.close());
  const { signer } = await derivedKeys(await records.secret('webhook', 32), 'webhook');
  const dead: Subscription[] = [];
  const feed = feedView({ records, cursorSecret: await cursorSecretOf(records), baseUrl: BASE });
  /** A process that wakes subscribers. */
  const waking = (more: Partial<WakeUpOptions> = {}) => {
    const wakeUps = createWakeUps({
      ...{ subscriptions: records.subscriptions, feed, signing: { key: signer, profile: '3.2' } },
      ...{ fetcher, clock, budgets: createBudgets(records), random: () => 0.5, onFault: fail },
      onDead: (one) => dead.push(one),
      ...more,
    });
    onTestFinished(() => wakeUps.stop());
    return wakeUps;
  };
  const wakeUps = waking();
  const look = async () => {
    await wakeUps.look();
    await wakeUps.idle();
  };
  /** Has the receiver agree to what is asked of it now. */
  const agree = async () => {
    isAgreeing = true;
    await look();
    isAgreeing = false;
  };
  const send = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    server.inject({ method, url, headers, ...(payload && { payload }) });
  return {
    ...{ ...registry, ...buyer, headers, dead, send, waking, other, agree },
    /** Subscribes, and has the receiver agree; the statuses answer what comes then. */
    async subscribe(body: object = { url: HOOKS }) {
      const made = (await send('POST', PATH, body)).json();
      await agree();
      return made;
    },
    list: async () => (await registry.get(PATH, headers)).json(),
    listed: (name: string) => registry.put([documentOf({ url: `https://${name}.example/mcp` })]),
    /** Lets time pass, and looks then. */
    async pass(seconds: number) {
      clock.value += seconds * SECOND;
      await look();
    },
    bodies: () => buyer.arrivals.map(({ webhook }) => webhook.payload),
  };
}
