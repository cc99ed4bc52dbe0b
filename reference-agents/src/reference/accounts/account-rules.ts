import {
  type Account,
  type KnownErrorCode,
  parseDomain,
  type SyncAccountsRequestAccountsItem,
} from '@agent-registry/surface/agent-kit';
import type { Caller } from '../handler.ts';
import { informationOn } from './information.ts';
import { isSandbox, type StoredAccount } from './stored-account.ts';

/** Who may be billed; `agent` is not: this seller has no contract with software. */
export const BILLING = ['operator', 'brand'] as const;

/** Currencies that accounts are kept in; the first unless the buyer says. */
export const CURRENCIES = ['EUR', 'GBP', 'USD'] as const;

/** How long a review takes, milliseconds. */
const ACCOUNT_REVIEW_MS = 60_000;

/** Until they are known better, accounts that were reviewed may not buy for more, in their currency. */
const REVIEWED_SPEND_LIMIT = 50_000;

/** Brands of trades that a person has to look at first: spirits, bets, cures. */
const REVIEWED_BRANDS: ReadonlySet<string> = new Set([
  'copperkettle.example',
  'lucky-anchor.example',
  'seven-herbs-tonic.example',
]);

/** An account without its name, as it is after a request. */
export type AccountDraft = Omit<StoredAccount, 'accountId'>;

/** What is wrong with one account of a request; `field` is the member of the account. */
export interface AccountFault {
  readonly code: KnownErrorCode;
  readonly field: string;
  readonly message: string;
  readonly suggestion: string;
}

export type JudgedAccount =
  | { readonly ok: true; readonly draft: AccountDraft }
  | { readonly ok: false; readonly fault: AccountFault };

/** Whether a caller may act as this operator: its own, or the brand itself, whom the seller then asks. */
export function mayActAs(caller: Caller, { brand, operator }: Pick<Account, 'brand' | 'operator'>): boolean {
  const name = operator.toLowerCase();
  return name === caller.operator?.toLowerCase() || name === brand.domain.toLowerCase();
}

/** An account as it stands, and whether anything was ever ordered for it. */
export type KnownAccount = StoredAccount & { readonly hasOrdered: boolean };

/**
 * What becomes of a wanted account: faults, else information that is missing, else a review for whoever needs one,
 * else it is active. Pure; `known` is the account as it stands at `now` (epoch milliseconds).
 */
export function judgeAccount(
  wanted: SyncAccountsRequestAccountsItem,
  known: KnownAccount | undefined,
  caller: Caller,
  now: number,
): JudgedAccount {
  const fault = faultOf(wanted, known, caller);
  if (fault !== undefined) return { ok: false, fault };
  const billing = wanted.billing ?? known?.billing ?? BILLING[0];
  const name = wanted.name ?? known?.name;
  const { taken, missing } = informationOn(billing, wanted.information ?? {}, known?.information ?? {});
  return {
    ok: true,
    draft: {
      ...(name !== undefined && { name }),
      brand: { ...wanted.brand, domain: wanted.brand.domain.toLowerCase() },
      operator: wanted.operator.toLowerCase(),
      billing,
      currency: wanted.currency ?? known?.currency ?? CURRENCIES[0],
      sandbox: isSandbox(wanted),
      missing,
      information: taken,
      ...(needsReview(wanted, caller) && { spendLimit: REVIEWED_SPEND_LIMIT }),
      ...standing(missing.length > 0, needsReview(wanted, caller), known, now),
    },
  };
}

type Standing = Pick<AccountDraft, 'status' | 'reviewed' | 'reviewUntil'>;

function standing(lacks: boolean, review: boolean, known: StoredAccount | undefined, now: number): Standing {
  const reviewed = known?.reviewed ?? false;
  if (lacks) return { status: 'information_needed', reviewed };
  if (known?.status === 'pending_review') {
    const until = known.reviewUntil;
    return { status: 'pending_review', reviewed, ...(until !== undefined && { reviewUntil: until }) };
  }
  if (review && !reviewed)
    return { status: 'pending_review', reviewed, reviewUntil: now + ACCOUNT_REVIEW_MS };
  return { status: 'active', reviewed };
}

function needsReview(wanted: SyncAccountsRequestAccountsItem, caller: Caller): boolean {
  const speaksForItself = wanted.operator.toLowerCase() === caller.operator?.toLowerCase();
  return !isSandbox(wanted) || !speaksForItself || REVIEWED_BRANDS.has(wanted.brand.domain.toLowerCase());
}

const STOPPED: ReadonlySet<string> = new Set(['suspended', 'closed', 'rejected']);

function faultOf(
  wanted: SyncAccountsRequestAccountsItem,
  known: KnownAccount | undefined,
  caller: Caller,
): AccountFault | undefined {
  const { brand, operator, billing, currency } = wanted;
  if (!parseDomain(brand.domain).ok) return notADomain('brand/domain');
  if (!parseDomain(operator).ok) return notADomain('operator');
  if (!mayActAs(caller, wanted)) return NOT_THE_OPERATOR;
  if (billing !== undefined && !isOneOf(BILLING, billing)) return NOT_BILLED;
  if (currency !== undefined && !isOneOf(CURRENCIES, currency)) return NO_SUCH_CURRENCY;
  // Its limit counts what was ordered, and that cannot be counted in another currency.
  if (known?.hasOrdered === true && (currency ?? known.currency) !== known.currency) return CURRENCY_STAYS;
  return STOPPED.has(known?.status ?? '') ? ACCOUNT_STOPPED : undefined;
}

function isOneOf(list: readonly string[], value: string): boolean {
  return list.includes(value);
}

function notADomain(field: string): AccountFault {
  return {
    code: 'VALIDATION_ERROR',
    field,
    message: 'is not a domain name',
    suggestion: 'send a host name without scheme, port or path, such as acme.example',
  };
}

const NOT_THE_OPERATOR: AccountFault = {
  code: 'PERMISSION_DENIED',
  field: 'operator',
  message: 'is neither the operator of the caller nor the brand itself',
  suggestion: 'use the domain that the caller acts for',
};

const NOT_BILLED: AccountFault = {
  code: 'BILLING_NOT_SUPPORTED',
  field: 'billing',
  message: 'is not a party that this seller bills',
  suggestion: `use one of ${BILLING.join(', ')}`,
};

const NO_SUCH_CURRENCY: AccountFault = {
  code: 'VALIDATION_ERROR',
  field: 'currency',
  message: 'is not a supported account currency',
  suggestion: `use one of ${CURRENCIES.join(', ')}`,
};

const CURRENCY_STAYS: AccountFault = {
  code: 'INVALID_STATE',
  field: 'currency',
  message: 'cannot change, because the account has media buys in the current currency',
  suggestion: 'omit the currency, or open another account with a different brand, operator or sandbox flag',
};

const ACCOUNT_STOPPED: AccountFault = {
  code: 'ACCOUNT_SUSPENDED',
  field: '',
  message: 'the seller has suspended the account',
  suggestion: 'contact the seller; a request cannot reopen the account',
};
