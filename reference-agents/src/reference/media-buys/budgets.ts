import type { Money } from '@agent-registry/surface/agent-kit';
import type { StoredAccount } from '../accounts/stored-account.ts';
import { hundredths } from '../amounts.ts';
import { refuse } from '../handler.ts';
import type { BuyerScope } from './buyer-scope.ts';
import { commitmentOf, committedOf } from './commitments.ts';
import { amountOf, centsOf, wholeCents } from './money.ts';
import { totalOf } from './render.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';

/** A package's budget in hundredths. Refuses BUDGET_TOO_LOW under the least that its pricing option allows. */
export function packageBudget(budget: number, minSpend: number, pointer: string): number {
  const cents = centsOf(budget, pointer);
  if (cents === 0) refuse('BUDGET_TOO_LOW', 'the budget of a package must be greater than 0', pointer);
  if (cents < minSpend) {
    refuse(
      'BUDGET_TOO_LOW',
      'the budget is below the minimum spend of this pricing option',
      pointer,
      `at least ${amountOf(minSpend)}`,
    );
  }
  return cents;
}

/** The total that an order names is the sum of its packages, in their currency: VALIDATION_ERROR. */
export function checkTotal(
  total: Money | undefined,
  packages: readonly StoredPackage[],
  currency: string,
): void {
  if (total === undefined) return;
  if (total.currency !== currency) {
    refuse(
      'VALIDATION_ERROR',
      'the packages have another currency',
      '/total_budget/currency',
      `use ${currency}`,
    );
  }
  if (wholeCents(total.amount, '/total_budget/amount') === totalOf(packages)) return;
  refuse(
    'VALIDATION_ERROR',
    'the total budget does not equal the sum of the packages',
    '/total_budget',
    `they add up to ${amountOf(totalOf(packages))}`,
  );
}

/**
 * What an account has ordered stays within its limit: BUDGET_EXCEEDED. A buy that takes no more than before is let
 * through, so that a lower limit does not keep anybody from spending less.
 */
export function checkLimit(
  scope: BuyerScope,
  account: StoredAccount,
  before: StoredMediaBuy | undefined,
  after: StoredMediaBuy,
  pointer: string,
): void {
  if (account.spendLimit === undefined) return;
  const more = commitmentOf(after, scope.now) - (before === undefined ? 0 : commitmentOf(before, scope.now));
  const left = hundredths(account.spendLimit) - committedOf(scope, after);
  if (more <= 0 || more <= left) return;
  refuse(
    'BUDGET_EXCEEDED',
    'the budgets exceed the spending limit of the account',
    pointer,
    `${amountOf(Math.max(0, left))} ${after.currency} are left`,
  );
}
