import { WORD, wordsOf } from '../domain/text.ts';

/** A part of a text that has one of the words, in UTF-16 units: from the first to behind the last. */
export type WordPlace = readonly [from: number, to: number];

/** Where a text has words that are, or begin with, one of those wanted; at most so many. */
export function wordPlaces(text: string, wanted: readonly string[], most: number): readonly WordPlace[] {
  const places: WordPlace[] = [];
  for (const { index, 0: part } of text.matchAll(WORD)) {
    if (places.length >= most) break;
    const fits = wordsOf(part).some((word) => wanted.some((one) => isBeginning(one, word)));
    if (fits) places.push([index, index + part.length]);
  }
  return places;
}

/** A word is found by itself, and by its first letters when there are three of them. */
export function isBeginning(beginning: string, word: string): boolean {
  return word === beginning || (beginning.length >= SHORTEST_BEGINNING && word.startsWith(beginning));
}
export const SHORTEST_BEGINNING = 3;
