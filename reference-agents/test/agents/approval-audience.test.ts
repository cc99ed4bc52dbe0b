import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../../src/calling/connect.ts';
import type { TaskAnswer } from '../../../src/calling/connection.ts';
import { CallFailure } from '../../../src/calling/failure.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { Fetcher } from '../../../src/ports/fetcher.ts';
import { addressesOf } from '../../src/agents/agent.ts';
import { ROSTER } from '../../src/agents/roster.ts';
import type { Sandbox } from '../../src/sandbox.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { freshKey } from '../reference/support.ts';

const GOVERNANCE = 'https://governance-1.agents.example/mcp';
const ACCOUNT = { brand: { domain: 'tidewater-kayaks.example' }, operator: 'desk.example' };
const DAY_MS = 86_400_000;

let sandbox: Sandbox;
let fetcher: Fetcher;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0 });
  fetcher = composeFetcher(readConfig({}), { connectTo: sandbox.connectTo }, systemClock);
});

afterAll(async () => {
  await fetcher.close();
  await sandbox.close();
});

async function ask(url: string, task: string, payload: object): Promise<TaskAnswer> {
  const visit = { url, fetcher, clock: systemClock, deadlineMs: 20_000, auth: 'sandbox-desk' };
  return withConnection(visit, async (connection) => {
    if (connection instanceof CallFailure) throw connection;
    return connection.callTask(task, payload);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say themselves what they expect in answers
async function done(url: string, task: string, payload: object): Promise<any> {
  const answer = await ask(url, task, payload);
  if (answer.outcome !== 'answered') throw new Error(`${task} was refused: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** What is to be bought of a seller: its first product in euros, for the least that it takes. */
async function orderAt(seller: string) {
  await done(seller, 'sync_accounts', { idempotency_key: freshKey(), accounts: [ACCOUNT] });
  const { products } = await done(seller, 'get_products', { brief: '' });
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const [line] = products.flatMap(({ product_id, pricing_options: options }: any) =>
    options
      // biome-ignore lint/suspicious/noExplicitAny: as above
      .filter(({ currency }: any) => currency === 'EUR')
      // biome-ignore lint/suspicious/noExplicitAny: as above
      .map(({ pricing_option_id, min_spend = 100 }: any) => ({
        product_id,
        pricing_option_id,
        budget: min_spend,
      })),
  );
  return {
    idempotency_key: freshKey(),
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: new Date(Date.now() + DAY_MS).toISOString(),
    end_time: new Date(Date.now() + 8 * DAY_MS).toISOString(),
    packages: [line],
    plan_id: 'audiences',
  };
}

async function approvalOf(payload: object, audience: string): Promise<string> {
  const plan = { plan_id: 'audiences', budget: { total: 1_000_000, currency: 'EUR' } };
  await done(GOVERNANCE, 'sync_plans', { idempotency_key: freshKey(), plans: [plan] });
  const request = {
    plan_id: 'audiences',
    caller: 'https://desk.example/agent',
    tool: 'create_media_buy',
    audience,
    payload,
  };
  return (await done(GOVERNANCE, 'check_governance', request)).governance_approval;
}

describe('an approval for an agent', () => {
  it.each([
    ['sales-1 by its second way', 'https://sales-1.agents.example/mcp', 'https://sales-1.agents.example/a2a'],
    [
      'sales-1 in another spelling',
      'https://sales-1.agents.example/a2a',
      'https://SALES-1.agents.example/mcp/',
    ],
    ['Tollgate where it lives', 'https://tollgate.example/', 'https://tollgate.example/mcp'],
  ])('is good at any of its addresses: %s', async (_what, seller, audience) => {
    const order = await orderAt(seller);
    const bought = { ...order, governance_approval: await approvalOf(order, audience) };
    expect(await done(seller, 'create_media_buy', bought)).toMatchObject({ status: 'pending_creatives' });
  });

  it('is not good on the same host where no way to it is', async () => {
    const seller = 'https://sales-1.agents.example/mcp';
    const order = await orderAt(seller);
    const token = await approvalOf(order, 'https://sales-1.agents.example/other');
    const refused = await ask(seller, 'create_media_buy', { ...order, governance_approval: token });
    expect(JSON.stringify(refused)).toContain('approval_audience_mismatch');
  });
});

it('no address belongs to two agents', () => {
  const all = ROSTER.flatMap(addressesOf);
  expect(new Set(all).size).toBe(all.length);
});
