import type { Account } from '@agent-registry/surface/agent-kit';
import type { TaskCall } from '../handler.ts';
import { findAnyAccount } from './find-account.ts';
import { type AccountStatus, accountKey, accountsOf, type StoredAccount } from './stored-account.ts';
import { tellStatus } from './tell-status.ts';

/** Statuses that an account can be put into from outside: it cannot be made to lack information. */
export type ForcedAccountStatus = Exclude<AccountStatus, 'information_needed'>;

export const FORCED_ACCOUNT_STATUSES: readonly ForcedAccountStatus[] = [
  'active',
  'pending_review',
  'suspended',
  'closed',
  'rejected',
];

/**
 * Puts the caller's account into a status, as the seller's staff would: for the test controller. A review that is
 * forced ends only by force. Gives the account before and after; refuses as `findAnyAccount` does.
 */
export function setAccountStatus(
  call: TaskCall,
  account: Account,
  status: ForcedAccountStatus,
  pointer = '/account',
): { readonly before: StoredAccount; readonly after: StoredAccount } {
  const before = findAnyAccount(call, account, pointer);
  const { reviewUntil: _reviewUntil, ...rest } = before;
  const after: StoredAccount = {
    ...rest,
    status,
    missing: [],
    reviewed: before.reviewed || status === 'active',
  };
  accountsOf(call).put(accountKey(after), after);
  tellStatus(call.agent, before, after, call.now);
  return { before, after };
}
