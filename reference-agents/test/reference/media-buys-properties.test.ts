import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MediaBuyStatus } from '../../../src/protocol/generated/types.ts';
import { advanceMediaBuys } from '../../src/reference/media-buys/advance.ts';
import { TRANSITIONS } from '../../src/reference/media-buys/life.ts';
import { runTask } from '../../src/reference/run-task.ts';
import { aCreative, aLine, anOrder, HANDLERS, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey } from './support.ts';

const HOURS = 3_600;

/** Anything that a buyer, a test or time may do; much of it will be refused, and then nothing may have changed. */
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ kind: fc.constant('advance' as const), hours: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    kind: fc.constant('budget' as const),
    part: fc.nat(1),
    amount: fc.integer({ min: 10_000, max: 300_000 }),
  }),
  fc.record({ kind: fc.constant('pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('pausePart' as const), part: fc.nat(1), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('cancelPart' as const), part: fc.nat(1) }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('end' as const), day: fc.integer({ min: 9, max: 30 }) }),
  fc.record({
    kind: fc.constant('creative' as const),
    status: fc.constantFrom('approved', 'rejected', 'pending_review'),
  }),
  fc.record({ kind: fc.constant('force' as const), status: fc.constantFrom(...Object.keys(TRANSITIONS)) }),
  fc.record({ kind: fc.constant('feedback' as const), index: fc.constantFrom(0, 0.5, 1, 1.5, 4) }),
  fc.record({ kind: fc.constant('simulate' as const), spend: fc.integer({ min: 0, max: 30_000 }) }),
);

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

describe('whatever is done to a media buy', () => {
  it('its budgets add up, its delivery only grows within them, and its webhooks tell the whole story in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 14 }), async (steps) => {
        const seller = await startSeller();
        const buy = await ordered(seller);
        let last = await look(seller, buy);
        for (const step of steps) {
          await take(seller, buy, step);
          const next = await look(seller, buy);
          holdsBetween(last, next);
          last = next;
        }
        toldInOrder(seller, buy.status, last.status);
      }),
      { numRuns: 60 },
    );
  });
});

async function ordered(seller: AgentUnderTest): Promise<Answer> {
  const packages = [aLine(), aLine({ budget: 500.01, creatives: [aCreative('banner-2')] })];
  return seller.call(
    'create_media_buy',
    anOrder({ packages, push_notification_config: { url: 'https://buyer.example/hook' } }),
  );
}

async function take(seller: AgentUnderTest, buy: Answer, step: Step): Promise<void> {
  if (step.kind === 'pass') {
    seller.clock.pass(step.hours * HOURS);
    advanceMediaBuys(seller.agent, seller.clock.now(), 10);
    return;
  }
  const [task, request] = requestOf(buy, step);
  await runTask(seller.agent, HANDLERS, task, request, BUYER, seller.clock.now());
}

function requestOf(buy: Answer, step: Exclude<Step, { kind: 'pass' }>): [string, object] {
  const id = buy.media_buy_id;
  const part = 'part' in step ? buy.packages[step.part].package_id : undefined;
  const update = (parts: object): [string, object] => [
    'update_media_buy',
    { idempotency_key: freshKey(), media_buy_id: id, ...parts },
  ];
  const scenario = (name: string, params: object): [string, object] => [
    'comply_test_controller',
    { scenario: name, params: { media_buy_id: id, ...params } },
  ];
  switch (step.kind) {
    case 'advance':
      return scenario('advance_time', { seconds: step.hours * HOURS });
    case 'budget':
      return update({ packages: [{ package_id: part, budget: step.amount / 100 }] });
    case 'pause':
      return update({ paused: step.paused });
    case 'pausePart':
      return update({ packages: [{ package_id: part, paused: step.paused }] });
    case 'cancelPart':
      return update({ packages: [{ package_id: part, canceled: true }] });
    case 'cancel':
      return update({ canceled: true });
    case 'end':
      return update({ end_time: new Date(Date.UTC(2026, 2, step.day)).toISOString() });
    case 'creative':
      return scenario('force_creative_status', { creative_id: 'banner-2', status: step.status });
    case 'force':
      return scenario('force_media_buy_status', { status: step.status });
    case 'simulate':
      return scenario('simulate_delivery', { impressions: 10, spend: step.spend / 100 });
    case 'feedback': {
      const period = { start: '2026-03-02T00:00:00Z', end: '2026-03-02T08:00:00Z' };
      return [
        'provide_performance_feedback',
        {
          idempotency_key: freshKey(),
          media_buy_id: id,
          measurement_period: period,
          performance_index: step.index,
        },
      ];
    }
  }
}

interface Look {
  readonly status: MediaBuyStatus;
  readonly delivery: Answer;
  readonly budgets: readonly number[];
}

/** Looks without changing anything but what time has changed already. */
async function look(seller: AgentUnderTest, { media_buy_id: id }: Answer): Promise<Look> {
  const delivery = await seller.call('get_media_buy_delivery', { media_buy_ids: [id] });
  const status = delivery.media_buys[0].status;
  const hooks = seller.webhooks.at(-1)?.payload.media_buy as Answer;
  const kept = seller.agent.state.collection<Answer>('media_buys', BUYER.id).get(id);
  // What was canceled as a whole shows all of its packages so, and keeps the total that it had.
  if (hooks !== undefined && hooks.status !== 'canceled')
    expect(cents(hooks.total_budget.amount)).toBe(sumOf(hooks.packages));
  return { status, delivery, budgets: kept.packages.map((part: Answer) => part.budget) };
}

function holdsBetween(last: Look, next: Look): void {
  const parts: Answer[] = next.delivery.by_package;
  expect(parts.reduce((sum, part) => sum + cents(part.spend.amount), 0)).toBe(
    cents(next.delivery.spend.amount),
  );
  expect(parts.reduce((sum, part) => sum + part.impressions, 0)).toBe(next.delivery.impressions);
  parts.forEach((part, index) => {
    const before = last.delivery.by_package[index];
    expect(part.impressions).toBeGreaterThanOrEqual(before.impressions);
    expect(part.clicks).toBeGreaterThanOrEqual(before.clicks);
    expect(part.spend.amount).toBeGreaterThanOrEqual(before.spend.amount);
    expect(cents(part.spend.amount)).toBeLessThanOrEqual(next.budgets[index] as number);
  });
}

function toldInOrder({ webhooks }: AgentUnderTest, first: MediaBuyStatus, last: MediaBuyStatus): void {
  let status = first;
  let time = '';
  webhooks.forEach(({ payload }, index) => {
    expect(payload.sequence).toBe(index + 1);
    expect(payload.previous_status).toBe(status);
    status = payload.status as MediaBuyStatus;
    expect(TRANSITIONS[payload.previous_status as MediaBuyStatus]).toContain(status);
    expect(String(payload.occurred_at) >= time).toBe(true);
    time = String(payload.occurred_at);
  });
  expect(status).toBe(last);
  expect(new Set(webhooks.map(({ payload }) => payload.idempotency_key)).size).toBe(webhooks.length);
}

function sumOf(packages: readonly Answer[]): number {
  return packages.reduce((sum, { status, budget }) => (status === 'canceled' ? sum : sum + cents(budget)), 0);
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}
