/**
 * An amount of money in whole hundredths. Amounts are numbers on the wire and whole hundredths in every sum, so that
 * 0.1 and 0.2 are 0.3.
 */
export function hundredths(amount: number): number {
  return Math.round(amount * 100);
}

/** The hundredths of an amount that is no finer than that; undefined for any other. */
export function exactHundredths(amount: number): number | undefined {
  const cents = hundredths(amount);
  return cents / 100 === amount ? cents : undefined;
}
