import type { Handlers } from '../handler.ts';
import { BILLING } from './account-rules.ts';
import { listAccounts } from './list-accounts.ts';
import { syncAccounts } from './sync-accounts.ts';

/** The tasks of accounts, for agents that sell. */
export const accountHandlers: Handlers = { sync_accounts: syncAccounts, list_accounts: listAccounts };

/** The `account` section of the capabilities task. */
export function accountCapabilities(requiredFor: readonly string[]) {
  return { supported_billing: BILLING, required_for: requiredFor, sandbox: true };
}
