import type { SearchQuery } from '../../domain/agent-search.ts';
import { EVERYBODY } from '../query/index-fields.ts';
import { conditionMarks } from '../query/search-filters.ts';
import type { KnownWords } from './known-words.ts';
import { markToken } from './tables.ts';

/** Agents of a hundred that have a word which is too common to be asked for. */
const COMMON_SHARE = 0.99;
/** Common words that are looked for in the texts, and what may stand for one: each number is a statement of its own. */
const MAX_COMMON = 3;
const MAX_ALTERNATIVES = 8;

/**
 * What is asked of the full-text table, and what is looked for in the texts of those it finds. The table goes through the whole
 * list of a word for a few agents of another, so that it is not asked for what nearly everybody has.
 */
export interface AskedText {
  /** An expression of FTS5 that all who fit meet. */
  readonly match: string;
  /** One that nobody else meets. */
  readonly exact: string;
  /** Of each list the texts have one, as it stands there. All lists are equally long. */
  readonly common: readonly (readonly string[])[];
  /** Agents at most that meet `match` and do not fit. */
  readonly unfit: number;
}

/** `agents` is how many there are in all. */
export function askedText(
  words: readonly KnownWords[],
  { filter }: Pick<SearchQuery, 'filter'>,
  agents: number,
): AskedText {
  const marks = conditionMarks(filter).map((some) => some.map(markToken));
  const isAsked = (one: KnownWords) =>
    heldBy(one) < agents * COMMON_SHARE || one.words.length > MAX_ALTERNATIVES;
  const asked = words.filter(isAsked);
  const others = words.filter((one) => !isAsked(one));
  const lacked = others.filter((one) => heldBy(one) < agents);
  const looked = lacked.slice(0, MAX_COMMON);
  const match = [...asked, ...lacked.slice(MAX_COMMON)].map(tokensOf);
  return {
    match: expression([...match, ...marks]),
    exact: expression([...asked, ...lacked].map(tokensOf).concat(marks)),
    common: looked.map((one) => {
      const texts = tokensOf(one).map((word) => ` ${word} `);
      return Array.from({ length: MAX_ALTERNATIVES }, (_, at) => texts[at] ?? texts[0] ?? '');
    }),
    unfit: looked.reduce((sum, one) => sum + agents - heldBy(one), 0),
  };
}

/** Agents at least that have one of the words. */
function heldBy({ words }: KnownWords): number {
  return Math.max(0, ...words.map(({ agents }) => agents));
}

function tokensOf({ words }: KnownWords): readonly string[] {
  return words.map(({ word }) => word);
}

/** Of quoted tokens alone: words are letters and digits, marks are digests. */
function expression(choices: readonly (readonly string[])[]): string {
  const all = choices.length === 0 ? [[markToken(EVERYBODY)]] : choices;
  return all.map((tokens) => `(${tokens.map((token) => `"${token}"`).join(' OR ')})`).join(' AND ');
}
