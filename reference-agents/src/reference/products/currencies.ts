/** What a euro is worth in the sandbox; fixed, so that prices and rankings never change by themselves. */
const RATES: Readonly<Record<string, number>> = { EUR: 1, GBP: 0.86, USD: 1.08 };

/** Currencies in which products are priced. */
export const PRICE_CURRENCIES = Object.keys(RATES);

/** An amount in another currency, in whole hundredths; one without a rate counts as euros. */
export function inCurrency(amount: number, from: string, to: string): number {
  if (from === to) return amount;
  return Math.round(((amount * rateOf(to)) / rateOf(from)) * 100) / 100;
}

function rateOf(currency: string): number {
  return Object.hasOwn(RATES, currency) ? (RATES[currency] as number) : 1;
}
