import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { webhookFault } from '../../src/protocol/read-request.ts';
import { type AgentState, openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import { createSignatureGate } from '../../src/signing/gate.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import type { Settled } from '../../src/webhooks/attempt.ts';
import { createDeliverer, type Deliverer, type DelivererOptions } from '../../src/webhooks/deliverer.ts';
import { type Arrival, type Inbox, openInbox } from '../../src/webhooks/inbox.ts';
import { openOutbox } from '../../src/webhooks/outbox.ts';
import { createWebhookQueue, type WebhookQueue } from '../../src/webhooks/queue.ts';
import {
  createWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookRefusal,
} from '../../src/webhooks/receiver.ts';
import { serve, type Web } from '../crawl/fetch/web.ts';
import { makeKey, replayMemory, type TestKey } from '../signing/support.ts';
import { BUYER, type OwnedClock, SELLER } from './fixtures.ts';

export function webhookKey(kid = 'wh'): Promise<TestKey> {
  return makeKey(kid, 'webhook-signing');
}

export function memoryState(): AgentState {
  const states = openAgentStates(':memory:');
  onTestFinished(() => states.close());
  return states.of(SELLER);
}

export interface Sender {
  readonly state: AgentState;
  readonly queue: WebhookQueue;
  readonly deliverer: Deliverer;
  readonly settled: Settled[];
  /** Sends what is due, again and again, with the clock set to each next due time. */
  untilSettled(): Promise<void>;
}

/** An agent with an outbox of its own. */
export function sender(
  key: TestKey,
  fetcher: Fetcher,
  clock: OwnedClock,
  more: Partial<DelivererOptions> = {},
): Sender {
  const state = more.state ?? memoryState();
  const settled: Settled[] = [];
  const deliverer = createDeliverer({
    state,
    fetcher,
    signing: { key: key.signer, profile: '3.2' },
    clock,
    random: () => 0.5,
    onSettled: (one) => settled.push(one),
    ...more,
  });
  const queue = createWebhookQueue(state, { clock, onAdded: deliverer.wake });
  onTestFinished(() => fetcher.close());
  return {
    state,
    queue,
    deliverer,
    settled,
    async untilSettled() {
      const outbox = openOutbox(state);
      for (;;) {
        await deliverer.deliverDue();
        const next = outbox.nextDue();
        if (next === undefined) return;
        // a receiver that asked for a rest holds back what is due
        clock.set(Math.max(next, clock.now() + 1_000));
      }
    },
  };
}

export interface Receiving {
  readonly handler: WebhookReceiver;
  readonly inbox: Inbox;
  readonly arrivals: Arrival[];
  readonly refusals: WebhookRefusal[];
}

/** A receiver that knows one key. */
export function receiving(
  key: TestKey,
  clock: OwnedClock,
  state = memoryState(),
  more: Partial<
    Pick<WebhookReceiverOptions, 'sender' | 'origin' | 'onWebhook' | 'callerOf' | 'validate'>
  > = {},
): Receiving {
  const arrivals: Arrival[] = [];
  const refusals: WebhookRefusal[] = [];
  const replays = replayMemory();
  onTestFinished(() => replays.close());
  const inbox = openInbox(state);
  const handler = createWebhookReceiver({
    gate: createSignatureGate({
      kind: 'webhook',
      profile: '3.2',
      keys: fixedKeys([key.public]),
      replays,
      clock,
    }),
    inbox,
    clock,
    origin: BUYER,
    validate: webhookFault,
    ...more,
    onRefused: (refusal) => refusals.push(refusal),
    onWebhook(arrival) {
      arrivals.push(arrival);
      more.onWebhook?.(arrival);
    },
  });
  return { handler, inbox, arrivals, refusals };
}

/** For what must not have a fault. */
export function fail(error: unknown): never {
  throw error;
}

/** A server that goes with the test. */
export async function webOf(listener: RequestListener): Promise<Web> {
  const web = await serve(listener);
  onTestFinished(() => web.close());
  return web;
}

/** Answers the statuses in their order, and then lets the buyer's receiver answer. */
export function first(
  buyer: Receiving,
  ...statuses: readonly (number | ((response: ServerResponse) => void))[]
): RequestListener {
  let count = 0;
  return (request, response) => {
    const status = statuses[count];
    count += 1;
    if (status === undefined) return void buyer.handler(request, response);
    request.resume();
    if (typeof status === 'function') return status(response);
    return response.writeHead(status).end('no');
  };
}

/** The sequence numbers of what arrived, in the order in which it did. */
export function sequencesOf({ arrivals }: Receiving): readonly unknown[] {
  return arrivals.map(({ webhook }) => webhook.payload.sequence);
}

/** Waits until a condition that other code makes true holds; the test's own time limit ends a wait that never does. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
  expect(holds()).toBe(true);
}
