import type { Piece } from './lexer.ts';
import type { Amount, BriefWish } from './wish.ts';

/** What a number was about, and how many pieces of the text belong to it, itself included. */
export interface ReadNumber {
  readonly found: Pick<BriefWish, 'budget' | 'maxPrice' | 'days' | 'limit'>;
  readonly pieces: number;
}

const CURRENCY_WORDS: ReadonlyMap<string, string> = new Map([
  ['euro', 'EUR'],
  ['eur', 'EUR'],
  ['pound', 'GBP'],
  ['gbp', 'GBP'],
  ['dollar', 'USD'],
  ['usd', 'USD'],
]);
const TIMES: ReadonlyMap<string, number> = new Map([
  ['k', 1_000],
  ['thousand', 1_000],
  ['m', 1_000_000],
  ['mio', 1_000_000],
  ['mln', 1_000_000],
  ['million', 1_000_000],
]);
const DAYS: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 30],
]);
const PRODUCT_WORDS = new Set(['product', 'option', 'result', 'choice', 'proposal']);
const BUDGET_WORDS = new Set(['budget', 'spend', 'spending', 'invest']);
const MODELS = new Set(['cpm', 'cpc', 'cpcv']);
const PRICE_WORDS = new Set([...MODELS, 'price', 'mille', 'impression', 'click', 'view']);
const CEILING_WORDS = new Set(['under', 'below', 'max', 'maximum', 'most', 'cheaper', 'than', 'within']);

/** A ceiling up to this is taken for a price, a higher one for a budget. */
const HIGHEST_PRICE = 200;
const MAX_DAYS = 365;
const MAX_AMOUNT = 1e12;

/**
 * What the number at `index` says: money (a budget or the highest price), the length of a flight, or how many products.
 * `before` holds the words that stand before it in its clause.
 */
export function readNumber(pieces: readonly Piece[], index: number, before: readonly string[]): ReadNumber {
  const value = (pieces[index] as Extract<Piece, { kind: 'number' }>).value;
  const times = TIMES.get(wordAt(pieces, index + 1)) ?? 1;
  const after = index + (times === 1 ? 1 : 2);
  const currencyAfter = currencyAt(pieces, after);
  const currency = currencyAfter ?? currencyAt(pieces, index - 1);
  const length = after - index + (currencyAfter === undefined ? 0 : 1);
  const unit = wordAt(pieces, index + 1);
  const days = DAYS.get(unit);
  if (days !== undefined) return { found: { days: clamp(Math.round(value * days), MAX_DAYS) }, pieces: 2 };
  if (currency === undefined && times === 1 && countsProducts(unit, before)) {
    return { found: { limit: clamp(Math.round(value), 1_000) }, pieces: PRODUCT_WORDS.has(unit) ? 2 : 1 };
  }
  const bare = unit === '' && before.some((word) => CEILING_WORDS.has(word));
  const isMoney =
    currency !== undefined ||
    times > 1 ||
    bare ||
    before.some((word) => BUDGET_WORDS.has(word) || PRICE_WORDS.has(word));
  if (!isMoney || value <= 0) return { found: {}, pieces: 1 };
  const amount: Amount = {
    amount: Math.min(value * times, MAX_AMOUNT),
    ...(currency !== undefined && { currency }),
  };
  const near = [...before, wordAt(pieces, index + length), wordAt(pieces, index + length + 1)];
  if (!isPrice(amount, near)) return { found: { budget: amount }, pieces: length };
  const model = near.find((word) => MODELS.has(word));
  return { found: { maxPrice: { ...amount, ...(model !== undefined && { model }) } }, pieces: length };
}

function isPrice({ amount }: Amount, near: readonly string[]): boolean {
  if (near.some((word) => BUDGET_WORDS.has(word))) return false;
  return near.some((word) => PRICE_WORDS.has(word) || (CEILING_WORDS.has(word) && amount <= HIGHEST_PRICE));
}

function countsProducts(unit: string, before: readonly string[]): boolean {
  return PRODUCT_WORDS.has(unit) || before.at(-1) === 'top';
}

function wordAt(pieces: readonly Piece[], index: number): string {
  const piece = pieces[index];
  return piece?.kind === 'word' ? piece.word : '';
}

function currencyAt(pieces: readonly Piece[], index: number): string | undefined {
  const piece = pieces[index];
  return piece?.kind === 'sign' ? piece.currency : CURRENCY_WORDS.get(wordAt(pieces, index));
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 1), most);
}
