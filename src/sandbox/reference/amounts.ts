/*
 * Amounts of money are numbers on the wire and whole hundredths in every sum, so that 0.1 and 0.2 are 0.3.
 */

/** An amount in whole hundredths. */
export function hundredths(amount: number): number {
  return Math.round(amount * 100);
}

/** The sum, exact to a hundredth. */
export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + hundredths(amount), 0) / 100;
}

/** Whether two amounts are the same to a hundredth. */
export function sameAmount(one: number, other: number): boolean {
  return hundredths(one) === hundredths(other);
}
