import type { Money } from '@agent-registry/surface/agent-kit';
import { exactHundredths } from '../amounts.ts';
import { refuse } from '../handler.ts';

/** The largest budget of one package, in the currency's main unit; all sums below it are exact. */
const MAX_BUDGET = 10_000_000;

/** An amount of the wire in whole hundredths. Refuses finer fractions: VALIDATION_ERROR, and sums that nobody lends: BUDGET_EXCEEDED. */
export function centsOf(amount: number, pointer: string): number {
  if (amount > MAX_BUDGET) {
    refuse(
      'BUDGET_EXCEEDED',
      'the budget exceeds the maximum for one package',
      pointer,
      `at most ${MAX_BUDGET}`,
    );
  }
  return wholeCents(amount, pointer);
}

/** Any amount of the wire in whole hundredths. Refuses finer fractions: VALIDATION_ERROR. */
export function wholeCents(amount: number, pointer: string): number {
  return (
    exactHundredths(amount) ??
    refuse(
      'VALIDATION_ERROR',
      'the amount has more than two decimals',
      pointer,
      'round it to two decimal places',
    )
  );
}

/** Whole hundredths as an amount of the wire. */
export function amountOf(cents: number): number {
  return cents / 100;
}

export function moneyOf(cents: number, currency: string): Money {
  return { amount: amountOf(cents), currency };
}
