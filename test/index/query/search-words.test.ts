import { describe, expect, test } from 'vitest';
import { joinedAround, joinedWords, wordsOf } from '../../../src/domain/text.ts';
import { wordPlaces } from '../../../src/index/query/search-words.ts';

describe('words that are written as one', () => {
  test.each<[string, string[]]>([
    ["O'Hara", ['ohara']],
    ['Ads & Co. GmbH', ['adsco', 'adscogmbh', 'cogmbh']],
    ['a b c d e', ['ab', 'abc', 'abcd', 'bc', 'bcd', 'bcde', 'cd', 'cde', 'de']],
    ['東京広告', []],
    ['東京 Ads Group', ['adsgroup']],
    [`${'x'.repeat(40)} ${'y'.repeat(40)}`, []],
    ['Solo', []],
  ])('of %j are %j', (text, joined) => expect(joinedWords(wordsOf(text))).toEqual(joined));

  test.each<[string, number, string[]]>([
    ['coca lola', 0, ['cocalola']],
    ['coca lola media', 1, ['cocalola', 'cocalolamedia', 'lolamedia']],
    ['a b c d e', 4, ['bcde', 'cde', 'de']],
    ['solo', 0, []],
  ])('of %j around the word %i are %j', (text, place, joined) =>
    expect(joinedAround(wordsOf(text), place)).toEqual(joined),
  );
});

test.each<[string, string[], string[]]>([
  ["The O'Hara Signals desk", ['ohara'], ["O'Hara"]],
  ['Ads & Co. GmbH', ['adsco', 'gmbh'], ['Ads & Co', 'GmbH']],
  ['Fullwidth Media', ['full', 'width'], ['Fullwidth']],
  ['viewable_rate of views', ['view'], ['viewable', 'views']],
  ['Löwen', ['lowen'], ['Löwen']],
  ['nothing here', ['ohara'], []],
])('in %j the words %j are found at %j', (text, words, found) => {
  expect(wordPlaces(text, words, 9).map(([from, to]) => text.slice(from, to))).toEqual(found);
});
