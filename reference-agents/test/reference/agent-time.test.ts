import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { agentTimeAt, keepTime, TIME } from '../../src/reference/agent-time.ts';
import { forgetKeys } from '../../src/reference/idempotency.ts';
import { advance } from '../../src/upkeep.ts';
import { anOrder, startSeller } from './media-buys-support.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-02T09:00:00Z');

function state() {
  const states = openAgentStates(':memory:');
  onTestFinished(() => states.close());
  return states.of('https://sales-1.agents.example/mcp');
}

it('the time of an agent goes with the clock, and stands still while the clock is behind', () => {
  const agent = state();
  expect(agentTimeAt(agent, START)).toBe(START);
  keepTime(agent, START + DAY);
  expect(agentTimeAt(agent, START)).toBe(START + DAY);
  expect(agentTimeAt(agent, START + 2 * DAY)).toBe(START + 2 * DAY);
});

it('a clock that is more than a week behind is believed: what was kept came from a wrong one', () => {
  const agent = state();
  keepTime(agent, START + TIME.mostBehind + 1);
  expect(agentTimeAt(agent, START)).toBe(START);
  keepTime(agent, START);
  expect(agentTimeAt(agent, START - 1)).toBe(START);
});

it('a call that began before another one ended does not set the time back', () => {
  const agent = state();
  keepTime(agent, START + DAY);
  keepTime(agent, START);
  expect(agentTimeAt(agent, START)).toBe(START + DAY);
});

it('what was delivered stays delivered when the clock goes back', async () => {
  const seller = await startSeller();
  const { media_buy_id: id } = await seller.call('create_media_buy', anOrder());
  const spent = async () =>
    (await seller.call('get_media_buy_delivery', { media_buy_ids: [id] })).spend.amount;
  seller.clock.set('2026-03-15T00:00:00Z');
  const before = await spent();
  seller.clock.set('2026-03-12T00:00:00Z');
  expect(before).toBeGreaterThan(0);
  expect(await spent()).toBe(before);
});

it.each([8, 5])(
  'a clock that jumps %i days ahead and back makes no repeated order a second one',
  async (days) => {
    const seller = await startSeller();
    const order = anOrder();
    const { media_buy_id: id } = await seller.call('create_media_buy', order);
    advance(seller.agent, seller.clock.now());
    seller.clock.pass(days * 86_400);
    for (let tick = 0; tick < 10; tick += 1) {
      advance(seller.agent, seller.clock.now());
      seller.clock.pass(60);
    }
    seller.clock.pass(-days * 86_400);
    advance(seller.agent, seller.clock.now());
    const again = await seller
      .call('create_media_buy', order)
      .catch(() => seller.refusal('create_media_buy', order));
    expect([id, undefined]).toContain(again.media_buy_id);
    expect(again).toMatchObject(
      again.media_buy_id === id ? { replayed: true } : { code: 'IDEMPOTENCY_EXPIRED' },
    );
  },
);

it('a key is forgotten only when it is due in the transaction that forgets it', async () => {
  const seller = await startSeller();
  const order = anOrder({ start_time: '2026-05-10T00:00:00Z', end_time: '2026-05-20T00:00:00Z' });
  await seller.call('create_media_buy', order);
  const steady = (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1_800) {
      seller.clock.pass(1_800);
      keepTime(seller.agent.state, seller.clock.now());
    }
  };
  steady(7 * 86_400 + 3_600);
  const { state: kept } = seller.agent;
  const found = kept.due('idempotency_keys', seller.clock.now(), 10);
  expect(found).not.toHaveLength(0);
  const meanwhile = {
    ...kept,
    transaction<T>(work: () => T): T {
      // another process, between the look and the transaction
      for (const { owner, key, document } of found)
        kept.collection('idempotency_keys', owner).put(key, document, seller.clock.now() + DAY);
      return kept.transaction(work);
    },
  };
  expect(forgetKeys({ agent: { ...seller.agent, state: meanwhile }, now: seller.clock.now() }, 50)).toBe(0);
  steady(86_400);
  expect(forgetKeys({ agent: seller.agent, now: seller.clock.now() }, 50)).toBe(found.length);
});
