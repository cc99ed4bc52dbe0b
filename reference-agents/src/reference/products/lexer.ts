/** A piece of a text, in its order. */
export type Piece =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'sign'; readonly currency: string }
  /** The end of a clause. */
  | { readonly kind: 'end' };

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['$', 'USD'],
]);

const PIECES =
  /\d{1,3}(?:[ .,'’]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,15}(?:[.,]\d{1,6})?|[€£$]|\p{L}{1,64}|[,;.!?\n()]/gu;

/**
 * Takes a text apart into words (lower case, without accents, in the singular), numbers, signs of currencies and ends
 * of clauses. Anything else is left out. Takes time in proportion to the text.
 */
export function piecesOf(text: string): readonly Piece[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  return Array.from(plain.matchAll(PIECES), ([piece]) => pieceOf(piece));
}

function pieceOf(piece: string): Piece {
  const currency = SIGNS.get(piece);
  if (currency !== undefined) return { kind: 'sign', currency };
  if (/^\d/.test(piece)) return { kind: 'number', value: numberOf(piece) };
  return /^\p{L}/u.test(piece) ? { kind: 'word', word: singular(piece) } : { kind: 'end' };
}

/** `20,000` and `20.000` are twenty thousand, `9,25` and `9.25` nine and a quarter, `1.234,50` has both. Spaces group as well. */
function numberOf(text: string): number {
  const groups = text.split(/[ .,'’]/);
  const last = groups.at(-1) as string;
  const grouped = last.length === 3 && groups[0] !== '0';
  if (groups.length === 1 || grouped) return Number(groups.join(''));
  return Number(`${groups.slice(0, -1).join('')}.${last}`);
}

const IN_THE_SINGULAR: ReadonlySet<string> = new Set(['news', 'series', 'always', 'perhaps']);

/** Coarse, and the same for what is searched and what is found. */
export function singular(word: string): string {
  if (IN_THE_SINGULAR.has(word)) return word;
  if (word.length <= 3 || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is')) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
