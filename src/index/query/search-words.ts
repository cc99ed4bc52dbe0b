import { joinedWords, MOST_JOINED, WORD, wordsOf } from '../../domain/text.ts';

/** Stop words: words of a sentence that do not describe an agent. */
export const SMALL_WORDS: ReadonlySet<string> = new Set(
  `a about accredited advertising agent agents all an and any are as at available be best buy by can company companies could
  do does existing find for from get give good have help how i in is it list looking me my need of offer offers on one or our
  please provide provider providers search service services show some that the their them there these they thing this to tool
  tools us use vendor vendors want we what where which who will with would you your`.split(/\s+/),
);

/** The words of a search as they were typed, in the order given. A word that was typed as part of another is in normal form. */
export function asTyped(text: string, words: readonly string[]): readonly string[] {
  const typed = new Map<string, string>();
  for (const [part] of text.matchAll(WORD)) {
    const [word, ...others] = wordsOf(part);
    if (word !== undefined && others.length === 0 && !typed.has(word)) typed.set(word, part);
  }
  return words.map((word) => typed.get(word) ?? word);
}

/** A part of a text that has one of the words, in UTF-16 units: from (inclusive) and to (exclusive). */
export type WordPlace = readonly [from: number, to: number];

/**
 * The places in a text of words that equal or begin with a wanted word, or of consecutive words that together spell one; at most
 * `most`.
 */
export function wordPlaces(text: string, wanted: readonly string[], most: number): readonly WordPlace[] {
  const joins = joinedWords(wanted);
  const places: WordPlace[] = [];
  let row: { readonly from: number; readonly words: readonly string[] }[] = [];
  for (const { index, 0: part } of text.matchAll(WORD)) {
    if (places.length >= most) break;
    const words = wordsOf(part);
    row = [...row, { from: index, words }].slice(-MOST_JOINED);
    const to = index + part.length;
    if (words.some((word) => joins.includes(word) || wanted.some((one) => isBeginning(one, word)))) {
      places.push([index, to]);
      row = [];
      continue;
    }
    const at = row.findIndex((_, from) =>
      wanted.includes(
        row
          .slice(from)
          .flatMap((one) => one.words)
          .join(''),
      ),
    );
    if (at === -1) continue;
    places.push([row[at]?.from ?? index, to]);
    row = [];
  }
  return places;
}

/** The token of consecutive words that are written as one. No word has an underscore, so no prefix of a word matches a token. */
export function joinedToken(word: string): string {
  return `__${word}`;
}

/** Whether a word equals a searched word, or begins with it; a prefix has at least three letters. */
export function isBeginning(beginning: string, word: string): boolean {
  return word === beginning || (beginning.length >= SHORTEST_BEGINNING && word.startsWith(beginning));
}
export const SHORTEST_BEGINNING = 3;
