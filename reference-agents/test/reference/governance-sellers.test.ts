import { expect, it, onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import { accountHandlers } from '../../src/reference/handlers.ts';
import {
  bought,
  buy,
  check,
  claimsOf,
  governedWorld,
  OTHER_SELLER,
  PLAN,
  SELLER,
} from './governance-support.ts';
import { BUYER, freshKey, OTHER_BUYER, startAgent } from './support.ts';

const ACCOUNT = { brand: { domain: 'acme.example' }, operator: 'tidewater-group.example' };
const payload = (account: object = ACCOUNT) => buy(5_000, { account });
const asked = (account?: object) => check({ audience: undefined, payload: payload(account) });

/** A world with a plan in which the buyer has accounts at these sellers. */
async function trading(sellers: readonly string[], vocabulary: 'proto' | 'adcp' = 'proto') {
  const states = openAgentStates(':memory:');
  onTestFinished(() => states.close());
  const world = await governedWorld(states, { vocabulary });
  for (const url of sellers) {
    const seller = startAgent({
      type: 'sales',
      handlers: accountHandlers,
      states,
      clock: world.clock,
      spec: { url },
    });
    const accounts = [{ ...ACCOUNT, billing: 'operator' }];
    await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts });
  }
  await world.governance.call('sync_plans', { idempotency_key: freshKey(), plans: [PLAN] });
  return world;
}

it('approves the four fields for the only seller of the operator, which takes the approval', async () => {
  const { governance, seller } = await trading([SELLER]);
  const answer = await governance.call('check_governance', asked());
  expect(claimsOf(answer.governance_approval)).toMatchObject({ phase: 'execution', aud: SELLER });
  const order = bought(answer.governance_approval, payload());
  expect(await seller.call('create_media_buy', order)).toMatchObject({ status: 'pending_start' });
});

it('refuses the four fields of an operator with several sellers, and names them', async () => {
  const { governance } = await trading([SELLER, OTHER_SELLER]);
  const { code, pointer, message } = await governance.refusal('check_governance', asked());
  expect([code, pointer]).toEqual(['CONFLICT', '/payload/account/operator']);
  expect(message).toContain(`2 sellers`);
  expect(message).toContain(`${SELLER}, ${OTHER_SELLER}`);
  const named = check({ audience: undefined, payload: { ...payload(), seller_agent_url: OTHER_SELLER } });
  const answer = await governance.call('check_governance', named);
  expect(claimsOf(answer.governance_approval).aud).toBe(OTHER_SELLER);
  const chosen = await governance.call('check_governance', { ...asked(), audience: SELLER });
  expect(claimsOf(chosen.governance_approval).aud).toBe(SELLER);
});

it.each<[string, object, string | undefined]>([
  ['the operator in other letters', { ...ACCOUNT, operator: 'Tidewater-Group.example' }, SELLER],
  ['the operator alone', { operator: ACCOUNT.operator }, SELLER],
  [
    'an operator that declares a seller itself',
    { operator: 'yellowdoor.example' },
    'https://yellowdoor.example/a2a',
  ],
  ['another brand', { ...ACCOUNT, brand: { domain: 'other.example' } }, undefined],
  ['an operator that nobody knows', { ...ACCOUNT, operator: 'nobody.example' }, undefined],
  ['what is no operator', { ...ACCOUNT, operator: { domain: 'x' } }, undefined],
])('takes the seller from %s', async (_, account, audience) => {
  const { governance } = await trading([SELLER]);
  const answer = await governance.call('check_governance', asked(account));
  expect(claimsOf(answer.governance_approval).aud).toBe(audience);
});

it('looks at no accounts of other callers, and not for tasks that need no approval', async () => {
  const { governance } = await trading([SELLER, OTHER_SELLER]);
  await governance.call('sync_plans', { idempotency_key: freshKey(), plans: [PLAN] }, OTHER_BUYER);
  const other = { ...asked(), caller: OTHER_BUYER.id };
  const answer = await governance.call('check_governance', other, OTHER_BUYER);
  expect(claimsOf(answer.governance_approval).aud).toBeUndefined();
  const products = { ...asked(), tool: 'get_products', caller: BUYER.id };
  expect((await governance.call('check_governance', products)).decision).toBe('approved');
});

it('gives agents of the public protocol, which have no field to choose with, an opinion', async () => {
  const { governance } = await trading([SELLER, OTHER_SELLER], 'adcp');
  const answer = await governance.call('check_governance', asked());
  expect(claimsOf(answer.governance_approval).phase).toBe('intent');
});
