import type {
  Account,
  AccountRecord,
  AccountRecordMissingInformationItem,
  Brand,
  Collection,
  PushNotificationConfig,
} from '@agent-registry/surface/agent-kit';
import type { TaskCall } from '../handler.ts';

export type AccountStatus = AccountRecord['status'];

/** An account of one caller, as the seller keeps it. */
export interface StoredAccount {
  readonly accountId: string;
  readonly name?: string;
  readonly brand: Brand;
  readonly operator: string;
  readonly billing: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly sandbox: boolean;
  readonly status: AccountStatus;
  /** With information_needed: what has to be sent. */
  readonly missing: readonly AccountRecordMissingInformationItem[];
  /** What was sent of it and was taken. */
  readonly information: Readonly<Record<string, string>>;
  /** With pending_review: when the review ends well, epoch milliseconds. */
  readonly reviewUntil?: number;
  /** A review that ended well is not repeated. */
  readonly reviewed: boolean;
  /** The most that its media buys may come to, in its currency; absent: no limit. */
  readonly spendLimit?: number;
  /** Where the end of its review is told. */
  readonly webhook?: PushNotificationConfig;
}

/** What tells the accounts of one caller apart. */
export type AccountIdentity = Pick<StoredAccount, 'brand' | 'operator' | 'sandbox'>;

/** The caller's own accounts, by `accountKey`. */
export function accountsOf(call: TaskCall): Collection<StoredAccount> {
  return call.agent.state.collection<StoredAccount>('accounts', call.caller.id);
}

/** The natural key: brand, operator, and whether anything is real. Host names are compared in lower case. */
export function accountKey({ brand, operator, sandbox }: AccountIdentity): string {
  return JSON.stringify([brand.domain.toLowerCase(), brand.brand_id ?? '', operator.toLowerCase(), sandbox]);
}

/** An account that does not say is a sandbox account: this whole agent is one. */
export function isSandbox(account: Pick<Account, 'sandbox'>): boolean {
  return account.sandbox !== false;
}

/** The account as it stands now: a review ends when its time is over. */
export function atThisTime(account: StoredAccount, now: number): StoredAccount {
  const { reviewUntil, ...rest } = account;
  if (account.status !== 'pending_review' || reviewUntil === undefined || now < reviewUntil) return account;
  return { ...rest, status: 'active', reviewed: true };
}

/** The account as it goes over the wire (core/account_record.json). */
export function recordOf(account: StoredAccount): AccountRecord {
  const { accountId, name, brand, operator, billing, currency, sandbox, status, missing, spendLimit } =
    account;
  return {
    account_id: accountId,
    ...(name !== undefined && { name }),
    brand,
    operator,
    billing,
    status,
    ...(status === 'information_needed' && { missing_information: missing }),
    currency,
    sandbox,
    ...(spendLimit !== undefined && { spend_limit: { amount: spendLimit, currency } }),
  };
}
