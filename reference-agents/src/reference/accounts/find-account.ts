import type { Account } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import { mayActAs } from './account-rules.ts';
import {
  type AccountStatus,
  accountKey,
  accountsOf,
  atThisTime,
  type StoredAccount,
} from './stored-account.ts';

/**
 * The caller's active account, for whatever spends money. Refuses with PERMISSION_DENIED for an operator that is
 * somebody else, ACCOUNT_NOT_FOUND, ACCOUNT_SETUP_REQUIRED before it is active, ACCOUNT_SUSPENDED when it may not buy.
 */
export function findAccount(call: TaskCall, account: Account, pointer = '/account'): StoredAccount {
  const found = findAnyAccount(call, account, pointer);
  const why = NOT_ACTIVE[found.status];
  if (why === undefined) return found;
  return refuse(why.code, `${pointer}: ${why.message}`, pointer, why.suggestion);
}

/**
 * The account of a request that names none: the caller's only active one. Refuses INVALID_REQUEST where it has none or
 * several.
 */
export function onlyAccount(call: TaskCall, pointer = '/account'): StoredAccount {
  const all = accountsOf(call)
    .list()
    .map(({ document }) => atThisTime(document, call.now));
  const active = all.filter(({ status }) => status === 'active');
  const [only] = active;
  if (only !== undefined && active.length === 1) return only;
  const why = only === undefined ? 'you have no active account' : 'you have several active accounts';
  return refuse('INVALID_REQUEST', `tasks that cost money require an account, and ${why}`, pointer, OPEN_ONE);
}

/**
 * The caller's account whatever its status, for tasks that only look. One that does not say `sandbox` is the sandbox
 * account, or else the one in which things are real.
 */
export function findAnyAccount(call: TaskCall, account: Account, pointer = '/account'): StoredAccount {
  if (!mayActAs(call.caller, account)) {
    const message = `${pointer}/operator: neither the operator of the caller nor the brand itself`;
    return refuse(
      'PERMISSION_DENIED',
      message,
      `${pointer}/operator`,
      'use the domain that the caller acts for',
    );
  }
  const accounts = accountsOf(call);
  const choices = account.sandbox === undefined ? [true, false] : [account.sandbox];
  const found = choices
    .flatMap((sandbox) => accounts.get(accountKey({ ...account, sandbox })) ?? [])
    .find(({ accountId }) => account.account_id === undefined || account.account_id === accountId);
  if (found !== undefined) return atThisTime(found, call.now);
  return refuse('ACCOUNT_NOT_FOUND', `${pointer}: the caller has no such account`, pointer, OPEN_ONE);
}

const OPEN_ONE = 'open it with sync_accounts, or find it with list_accounts';

interface NotActive {
  readonly code: 'ACCOUNT_SETUP_REQUIRED' | 'ACCOUNT_SUSPENDED';
  readonly message: string;
  readonly suggestion: string;
}

const SUSPENDED: NotActive = {
  code: 'ACCOUNT_SUSPENDED',
  message: 'the account is not allowed to buy',
  suggestion: 'contact the seller, or use another account',
};

const NOT_ACTIVE: Readonly<Record<AccountStatus, NotActive | undefined>> = {
  active: undefined,
  pending_review: {
    code: 'ACCOUNT_SETUP_REQUIRED',
    message: 'the account is still under review',
    suggestion: 'try again when list_accounts returns it as active',
  },
  information_needed: {
    code: 'ACCOUNT_SETUP_REQUIRED',
    message: 'the seller requires more information about the account',
    suggestion: 'send the fields listed in missing_information of sync_accounts, as information',
  },
  suspended: SUSPENDED,
  closed: SUSPENDED,
  rejected: SUSPENDED,
};
