import { joinedWords, MOST_JOINED, WORD, wordsOf } from '../domain/text.ts';

/** A part of a text that has one of the words, in UTF-16 units: from the first to behind the last. */
export type WordPlace = readonly [from: number, to: number];

/**
 * Where a text has words that are, or begin with, one of those wanted, or some words in a row that are one of those written
 * as one; at most so many.
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

/** How an index keeps several words that are written as one: no word has an underscore, so that no completion is one of these. */
export function joinedToken(word: string): string {
  return `__${word}`;
}

/** A word is found by itself, and by its first letters when there are three of them. */
export function isBeginning(beginning: string, word: string): boolean {
  return word === beginning || (beginning.length >= SHORTEST_BEGINNING && word.startsWith(beginning));
}
export const SHORTEST_BEGINNING = 3;
