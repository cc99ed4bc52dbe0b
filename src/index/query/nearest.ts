import { distance } from 'fastest-levenshtein';
import type { NearestValues } from '../../domain/agent-search.ts';

/** Maximum number of suggestions for a word or value. */
export const MAX_SUGGESTIONS = 3;

/** Maximum number of unknown values that are compared with known ones: each comparison takes milliseconds. */
export const MAX_UNKNOWN = 3;

/** The words of a search that no agent has, without a similar known word. */
export function unknownValues(words: readonly string[]): readonly NearestValues[] {
  return words.slice(0, MAX_UNKNOWN).map((value) => ({ parameter: 'q', value, nearest: [] }));
}

/** A word of the index, and the number of agents that have it. */
export interface KnownWord {
  readonly word: string;
  readonly agents: number;
}

/** Maximum edit distance of a correction: 0 for a short word, which would be another word. */
export function maxEdits(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 5 ? 1 : 2;
}

/** A shorter word with two mistakes must begin correctly: `sails` is corrected to `sales`, but `radio` not to `audio`. */
const LONG_ENOUGH = 6;

/** Mistakes in the first letters of a word are rare, so known words that begin with them are tried first. */
const RARELY_WRONG = 2;

/**
 * The known words that a word with typing mistakes was probably meant to be: the fewest mistakes first, then the commonest.
 * Words with another beginning count only where none has the same.
 */
export function nearestWords(wanted: string, known: readonly KnownWord[]): readonly KnownWord[] {
  const most = maxEdits(wanted);
  const beginning = wanted.slice(0, RARELY_WRONG);
  const alike = known
    .map(({ word, agents }) => ({ word, agents, apart: distance(wanted, word) }))
    .filter(({ apart }) => apart <= most);
  const sameBeginning = alike.filter(({ word }) => word.startsWith(beginning));
  const others = alike.filter(({ apart }) => wanted.length >= LONG_ENOUGH || apart <= 1);
  return (sameBeginning.length > 0 ? sameBeginning : others).sort(compareAlike).slice(0, MAX_SUGGESTIONS);
}

/** The word itself comes last, so that all engines offer the same. */
function compareAlike(a: KnownWord & { readonly apart: number }, b: typeof a): number {
  return a.apart - b.apart || b.agents - a.agents || (a.word < b.word ? -1 : 1);
}

/** Shorter stems are shared by unrelated words. */
const SHORTEST_STEM = 5;
/** Edit distance within which a known word is related to a beginning of the searched word. */
const MOST_ENDING = 2;
const MOST_FORMS = 4;

/** At least half of a word, from its beginning; undefined for a word that is too short. */
export function stemOf(word: string): string | undefined {
  const length = Math.max(SHORTEST_STEM, Math.ceil(word.length / 2));
  return length < word.length ? word.slice(0, length).toWellFormed() : undefined;
}

/** The first beginnings of a word from its stem on. */
export function stemmedForms(word: string): readonly string[] {
  const stem = stemOf(word);
  if (stem === undefined) return [];
  return Array.from({ length: Math.min(MOST_FORMS, word.length - stem.length) }, (_, more) =>
    word.slice(0, stem.length + more).toWellFormed(),
  );
}

/** The known words of the same stem with another ending: `viewable` for `viewability`. The nearest first, then the commonest. */
export function relatedWords(wanted: string, known: readonly KnownWord[]): readonly KnownWord[] {
  const stem = stemOf(wanted);
  const forms = stemmedForms(wanted);
  return known
    .filter(({ word }) => stem !== undefined && word.startsWith(stem))
    .map(({ word, agents }) => ({
      ...{ word, agents },
      apart: Math.min(...forms.map((form) => distance(form, word))),
    }))
    .filter(({ apart }) => apart <= MOST_ENDING)
    .sort(compareAlike)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ word, agents }) => ({ word, agents }));
}

/** Minimum similarity of a suggestion. */
const LEAST_ALIKE = 0.3;
const MAX_COMPARED = 64;

/** Similarity of a value with its letters in another order, or of a short value with one letter wrong. */
const TYPO_ALIKE = 0.9;
const LONGEST_SHORT = 5;

/**
 * The known values that share the most trigrams with an unknown one: `viewable_rate` for `viewability`. A short value has too few,
 * so it is compared by edit distance: `MRC` for `MCR`.
 */
export function nearestValues(wanted: string, known: readonly string[]): readonly string[] {
  const parts = new Set(partsOf(wanted));
  return known
    .map((value) => {
      const alike = alikeness(parts, partsOf(value));
      return { value, alike: isTypo(wanted, value) ? Math.max(alike, TYPO_ALIKE) : alike };
    })
    .filter(({ alike }) => alike >= LEAST_ALIKE)
    .sort((a, b) => b.alike - a.alike)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value }) => value);
}

function isTypo(wanted: string, value: string): boolean {
  if (value.length > MAX_COMPARED || Math.abs(value.length - wanted.length) > 1) return false;
  const [a, b] = [wanted.toLowerCase(), value.toLowerCase()];
  if (lettersOf(a) === lettersOf(b)) return true;
  return a.length > 2 && a.length <= LONGEST_SHORT && distance(a, b) <= 1;
}

function lettersOf(text: string): string {
  return [...text].sort().join('');
}

/** The share of trigrams that two texts have in common (Dice coefficient). */
function alikeness(parts: ReadonlySet<string>, others: readonly string[]): number {
  const common = others.filter((part) => parts.has(part));
  // most values have nothing in common: skip the rest for them
  if (common.length === 0) return 0;
  return (2 * new Set(common).size) / (parts.size + new Set(others).size);
}

/** The trigrams of a text, padded at its beginning and end. */
function partsOf(value: string): readonly string[] {
  const text = `  ${value.slice(0, MAX_COMPARED).toLowerCase()} `;
  const parts: string[] = [];
  for (let at = 0; at < text.length - 2; at += 1) parts.push(text.slice(at, at + 3));
  return parts;
}

/** Maximum number of suggestions for a domain. */
const MOST_DOMAINS = 5;

/** The known domains with the most similar spelling; at least two thirds must be equal. */
export function nearestDomains(wanted: string, known: readonly string[]): readonly string[] {
  return known
    .map((domain) => ({ domain, apart: distance(wanted, domain) }))
    .filter(({ domain, apart }) => domain !== wanted && apart <= Math.max(wanted.length, domain.length) / 3)
    .sort((a, b) => a.apart - b.apart)
    .slice(0, MOST_DOMAINS)
    .map(({ domain }) => domain);
}
