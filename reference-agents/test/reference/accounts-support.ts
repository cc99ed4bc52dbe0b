import { findAccount } from '../../src/reference/accounts/find-account.ts';
import { type TaskCall, TaskRefused } from '../../src/reference/handler.ts';
import { accountHandlers } from '../../src/reference/handlers.ts';
import { type AgentUnderTest, type AgentUnderTestOptions, BUYER, freshKey, startAgent } from './support.ts';

export const FERRIES = {
  brand: { domain: 'tidewater-ferries.example' },
  operator: 'tidewater-group.example',
};
export const KAYAKS = { brand: { domain: 'tidewater-kayaks.example' }, operator: 'tidewater-group.example' };

export function seller(facts: AgentUnderTestOptions['facts'] = {}): AgentUnderTest {
  return startAgent({ type: 'sales', handlers: accountHandlers, facts });
}

export function sync(agent: AgentUnderTest, accounts: readonly object[], more: object = {}) {
  return agent.call('sync_accounts', { idempotency_key: freshKey(), accounts, ...more });
}

export function callOf({ agent, clock }: AgentUnderTest, caller = BUYER): TaskCall {
  return { agent, caller, now: clock.now(), newId: (prefix) => `${prefix}_test` };
}

/** The code with which `findAccount` refuses; undefined when it does not. */
export function whyNot(agent: AgentUnderTest, account: Parameters<typeof findAccount>[1], caller = BUYER) {
  try {
    findAccount(callOf(agent, caller), account);
    return undefined;
  } catch (error) {
    if (error instanceof TaskRefused) return error.problem.code;
    throw error;
  }
}
