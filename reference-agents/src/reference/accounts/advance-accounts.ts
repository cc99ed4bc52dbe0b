import { eachDue } from '../each-due.ts';
import type { ReferenceAgent } from '../handler.ts';
import { atThisTime, type StoredAccount } from './stored-account.ts';
import { tellStatus } from './tell-status.ts';

/**
 * Ends the reviews whose time is over at `now` (epoch milliseconds), at most `limit` of them, and tells those who
 * asked to be told. Nobody has to call it for the accounts to be right: whoever looks at one sees it as it stands.
 * Gives how many there were.
 */
export function advanceAccounts(agent: ReferenceAgent, now: number, limit = 100): number {
  return eachDue<StoredAccount>(agent.state, 'accounts', { now, limit }, (due) => {
    const { owner, key, document, dueAt } = due;
    const account = atThisTime(document, now);
    agent.state.collection<StoredAccount>('accounts', owner).put(key, account);
    tellStatus(agent, document, account, dueAt);
  });
}
