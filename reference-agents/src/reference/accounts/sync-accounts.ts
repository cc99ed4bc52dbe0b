import {
  type AccountRecord,
  problem,
  type SyncAccountsRequestAccountsItem,
} from '@agent-registry/surface/agent-kit';
import { handler, type TaskCall } from '../handler.ts';
import { hasOrdered } from '../media-buys/commitments.ts';
import { postsTo } from '../posts-to.ts';
import { type AccountDraft, type AccountFault, judgeAccount } from './account-rules.ts';
import {
  accountKey,
  accountsOf,
  atThisTime,
  isSandbox,
  recordOf,
  type StoredAccount,
} from './stored-account.ts';
import { tellStatus } from './tell-status.ts';

export const syncAccounts = handler('sync_accounts', {
  description: 'Opens or updates the accounts of brands, and returns which information is missing',
  callers: 'known',
  run: ({ accounts, dry_run: dryRun = false, push_notification_config: push }, call) => {
    const webhook = push && postsTo(push, call.agent);
    const seen = new Set<string>();
    const records = accounts.map((wanted, index) => {
      const key = accountKey({ ...wanted, sandbox: isSandbox(wanted) });
      const twice = seen.has(key);
      seen.add(key);
      return syncOne(wanted, { key, twice, place: `/accounts/${index}`, dryRun, webhook }, call);
    });
    return { accounts: records, ...(dryRun && { dry_run: true }) };
  },
});

interface Circumstances {
  readonly key: string;
  /** The same account stands further up in the request. */
  readonly twice: boolean;
  readonly place: string;
  readonly dryRun: boolean;
  /** The account as it was written; its review may have ended since. */
  readonly stored?: StoredAccount | undefined;
  readonly webhook: StoredAccount['webhook'];
}

function syncOne(wanted: SyncAccountsRequestAccountsItem, at: Circumstances, call: TaskCall): AccountRecord {
  const stored = accountsOf(call).get(at.key);
  const known = stored && atThisTime(stored, call.now);
  if (at.twice) return failed(wanted, known, at, NAMED_TWICE);
  const judged = judgeAccount(
    wanted,
    known && { ...known, hasOrdered: hasOrdered(call, known) },
    call.caller,
    call.now,
  );
  if (!judged.ok) return failed(wanted, known, at, judged.fault);
  const webhook = at.webhook ?? known?.webhook;
  return keep({ ...judged.draft, ...(webhook !== undefined && { webhook }) }, known, { ...at, stored }, call);
}

function keep(
  draft: AccountDraft,
  known: StoredAccount | undefined,
  at: Circumstances,
  call: TaskCall,
): AccountRecord {
  const account: StoredAccount = { accountId: known?.accountId ?? call.newId('acc'), ...draft };
  const action = known === undefined ? 'created' : same(known, account) ? 'unchanged' : 'updated';
  if (!at.dryRun) {
    // Also without a change: what `atThisTime` found out is told once, and no later.
    if (at.stored !== undefined) tellStatus(call.agent, at.stored, account, call.now);
    accountsOf(call).put(at.key, account, account.reviewUntil);
  }
  const { account_id: id = '', ...record } = recordOf(account);
  // The id of an account that a dry run would open is not given out: the real one gets another.
  const unopened = at.dryRun && known === undefined;
  return { ...(!unopened && { account_id: id }), ...record, action };
}

function same(one: StoredAccount, other: StoredAccount): boolean {
  return sorted(one) === sorted(other);
}

function sorted(account: StoredAccount): string {
  return JSON.stringify(Object.entries(account).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const NAMED_TWICE: AccountFault = {
  code: 'VALIDATION_ERROR',
  field: '',
  message: 'duplicate account in this request',
  suggestion: 'send each account once; accounts differ in brand, operator or sandbox',
};

/** The record of an account that was not taken: its neighbours are. */
function failed(
  wanted: SyncAccountsRequestAccountsItem,
  known: StoredAccount | undefined,
  { place }: Circumstances,
  { code, field, message, suggestion }: AccountFault,
): AccountRecord {
  const pointer = field === '' ? place : `${place}/${field}`;
  const record: AccountRecord =
    known === undefined
      ? { brand: wanted.brand, operator: wanted.operator, status: 'rejected' }
      : recordOf(known);
  return {
    ...record,
    action: 'failed',
    errors: [problem(code, `${pointer} ${message}`, { pointer, suggestion })],
  };
}
