import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../src/compose/agent-stores.ts';
import { tempFolder } from '../../test/cli/support/cli.ts';
import { fetcherFor } from '../../test/crawl/fetch/web.ts';
import { HOOKS, news, SELLER, SYSTEM_CLOCK } from '../../test/webhooks/fixtures.ts';
import {
  first,
  receiving,
  sender,
  sequencesOf,
  until,
  webhookKey,
  webOf,
} from '../../test/webhooks/support.ts';
import type { AgentProfile, AgentSpec } from '../src/agents/agent.ts';
import { createAgent } from '../src/agents/running-agent.ts';
import { advance, startUpkeep } from '../src/upkeep.ts';
import { BUYER, freshKey } from './reference/support.ts';
import { bareAgent } from './support/reference-agent.ts';

const SPEC: AgentSpec = {
  name: 'The sales agent',
  description: 'under test',
  url: SELLER,
  type: 'sales',
  transport: { protocol: 'mcp', style: 'json' },
};
const FACTS: AgentProfile = { vocabulary: 'proto', publisherDomains: [], metrics: [] };

/** A state in a file, and the write lock of it in other hands when asked for. */
function lockable() {
  const path = join(tempFolder(), 'agents.sqlite');
  const states = openAgentStates(path, { busyTimeoutMs: 10 });
  const other = new DatabaseSync(path);
  onTestFinished(() => {
    other.close();
    states.close();
  });
  return {
    state: states.of(SELLER),
    lock: () => other.exec('BEGIN IMMEDIATE'),
    unlock: () => other.exec('ROLLBACK'),
  };
}

it('goes on sending after the store was locked, and tells of it once', async () => {
  const key = await webhookKey();
  const buyer = receiving(key, SYSTEM_CLOCK, undefined, { sender: SELLER });
  const { state, lock, unlock } = lockable();
  const parts = sender(key, fetcherFor(await webOf(first(buyer))), SYSTEM_CLOCK, { state });
  const faults: unknown[] = [];
  const agent = { ...bareAgent(SPEC, FACTS, state), webhooks: parts.queue };
  advance(agent, SYSTEM_CLOCK.now()); // so that the agent itself has nothing to write for a minute
  const upkeep = startUpkeep([{ agent, deliverer: parts.deliverer }], {
    clock: SYSTEM_CLOCK,
    onFault: (fault) => faults.push(fault),
  });
  parts.queue.add({ url: HOOKS, payload: news('mb-1', 1) });
  await until(() => parts.settled.length === 1);
  parts.queue.add({ url: HOOKS, payload: news('mb-1', 2) });
  lock(); // before the deliverer has taken it
  await until(() => faults.length > 0);
  unlock();
  await until(() => buyer.arrivals.length === 2);
  await upkeep.stop();
  expect(sequencesOf(buyer)).toEqual([1, 2]);
  expect(faults).toHaveLength(1);
  expect(faults).toMatchObject([{ code: 'store_locked' }]);
}, 30_000);

it('opens no transaction when nothing is due', () => {
  const { state } = lockable();
  const agent = bareAgent(SPEC, FACTS, state);
  advance(agent, SYSTEM_CLOCK.now());
  let opened = 0;
  const counted = {
    ...state,
    transaction<T>(work: () => T): T {
      opened += 1;
      return state.transaction(work);
    },
  };
  advance({ ...agent, state: counted }, SYSTEM_CLOCK.now());
  expect(opened).toBe(0);
});

it('a call that meets a locked store is told to come back, and changes nothing', async () => {
  const { state, lock, unlock } = lockable();
  const faults: unknown[] = [];
  const agent = createAgent(SPEC, FACTS, {
    reference: bareAgent(SPEC, FACTS, state),
    now: SYSTEM_CLOCK.now,
    onFault: (fault) => faults.push(fault),
  });
  const request = {
    idempotency_key: freshKey(),
    accounts: [
      { brand: { domain: 'tidewater-ferries.example' }, operator: BUYER.operator, billing: 'operator' },
    ],
  };
  lock();
  expect(await agent.call('sync_accounts', request, BUYER)).toMatchObject({
    ok: false,
    error: { code: 'SERVICE_UNAVAILABLE', recovery: 'transient' },
  });
  expect(faults).toMatchObject([{ code: 'store_locked' }]);
  unlock();
  const { ok, ...answer } = await agent.call('sync_accounts', request, BUYER);
  expect([ok, JSON.stringify(answer)]).toEqual([true, expect.not.stringContaining('replayed')]);
});
