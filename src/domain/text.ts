import { elements } from '../base/json.ts';
import type { KeptHeaders } from './capture.ts';

/** C0 and C1 controls that are no white space, and the marks that reorder text (Unicode TR 9). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Nothing to clean, as nearly every text is. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Text of a stranger without control characters: white space becomes single spaces, lone surrogates become
 * U+FFFD. Mark-up stays: it is text, and is escaped where it is shown.
 */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim().toWellFormed();
}

/** The same, cut to at most `max` code points; undefined for what is no text or empty. */
export function shortText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  // cut before cleaning: a hostile text of megabytes is not worth its cost
  const text = cutText(cleanText(value.slice(0, max * 4)), max);
  return text === '' ? undefined : text;
}

/** The texts of a list, cleaned, each once, at most `max`; what is no text is left out. */
export function distinctTexts(value: unknown, max: number, longest = 256): readonly string[] {
  const texts = new Set<string>();
  for (const item of elements(value)) {
    if (texts.size >= max) break;
    const text = shortText(item, longest);
    if (text !== undefined) texts.add(text);
  }
  return [...texts];
}

/** Length in code points, as people count characters. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count -= 1;
  }
  return count;
}

/** An unsigned 32-bit number that is always the same for a text: FNV-1a over its UTF-16 units. Not for secrets. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function cutText(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}

/** C1 controls and delete, and the marks that reorder text, break lines or are not seen (Unicode TR 9 and TR 36). */
export const UNSEEN =
  /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** As JSON escapes it, in units of UTF-16. */
export function unicodeEscape(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The text without these characters at its end. In one step for each, which `/[…]+$/` is not where they stand inside. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const S_MAXAGE = /(?:^|[\s,])s-maxage\s*=\s*"?(\d{1,10})"?/;
const MAX_AGE = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})"?/;

/**
 * How long an answer is fresh by its Cache-Control, milliseconds, less the Age it came with (RFC 9111, sections
 * 4.2 and 5.2.2); 0 where it must not be reused unasked, undefined where it says nothing.
 */
export function cacheLifetime(headers: KeptHeaders): number | undefined {
  const directives = (headers['cache-control'] ?? '').toLowerCase();
  if (/(^|[\s,])(no-store|no-cache)($|[\s,=])/.test(directives)) return 0;
  const seconds = secondsIn(S_MAXAGE.exec(directives)) ?? secondsIn(MAX_AGE.exec(directives));
  if (seconds === undefined) return undefined;
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(seconds - age, 0) * 1_000;
}

function secondsIn(match: RegExpExecArray | null): number | undefined {
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/**
 * How long a Retry-After asks to wait, milliseconds from `now`: seconds or an HTTP date (RFC 9110, sections 5.6.7 and
 * 10.2.3), which is always in GMT. Undefined for anything else; 0 for a moment that has passed.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const date = /^[a-z]{3,9},.* GMT$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/** Longer words are cut. */
const MAX_WORD = 48;

/** Scripts that put no space between words: each of their characters is a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
/** A run of letters, digits and marks. */
export const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Diacritical marks of Latin, Greek and Cyrillic. */
const DIACRITICS = /[\u0300-\u036f]/g;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * The words of a text in the form in which they are indexed and searched for: letters and digits of any script in lower
 * case, without diacritics; `viewable_rate` is two words. Nothing else of the text is left, so no syntax of an engine is.
 */
export function wordsOf(text: string): readonly string[] {
  const lowered = text.toLowerCase();
  return (folded(lowered).match(WORD) ?? []).map(cutWord);
}

/** Words that are joined at most. */
export const MOST_JOINED = 4;

/**
 * Each 2 to 4 words in a row written as one, as people write `ohara` for `O'Hara` and `adsco` for `Ads & Co.`. Words of
 * scripts without spaces are not joined: there everybody writes them as one.
 */
export function joinedWords(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((_, at) => joinsFrom(words, at)))];
}

/** The same of the runs that the word at a place is in. */
export function joinedAround(words: readonly string[], place: number): readonly string[] {
  const first = Math.max(0, place - MOST_JOINED + 1);
  const joins = words
    .slice(first, place + 1)
    .flatMap((_, at) => joinsFrom(words, first + at).slice(Math.max(0, place - first - at - 1)));
  return [...new Set(joins)];
}

/** The runs that begin at a place, the shortest first. */
function joinsFrom(words: readonly string[], at: number): readonly string[] {
  const joins: string[] = [];
  let joined = words[at] ?? '';
  if (isUnspaced(joined)) return joins;
  for (const word of words.slice(at + 1, at + MOST_JOINED)) {
    joined += word;
    if (isUnspaced(word) || joined.length > MAX_WORD) break;
    joins.push(joined);
  }
  return joins;
}

function isUnspaced(word: string): boolean {
  return !ASCII.test(word) && word.replace(UNSPACED, '') === '';
}

function folded(text: string): string {
  if (ASCII.test(text)) return text;
  const plain = text.normalize('NFKD').replace(DIACRITICS, '').normalize('NFC').toLowerCase();
  return plain.replaceAll('ß', 'ss').replaceAll('ς', 'σ').replace(UNSPACED, ' $& ');
}

function cutWord(word: string): string {
  return word.length <= MAX_WORD ? word : word.slice(0, MAX_WORD).toWellFormed().replace('\ufffd', '');
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(T(?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i;

interface Instant {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Only a date was given; midnight UTC was taken. */
  readonly isDate: boolean;
}

/** Reads an RFC 3339 time, or a bare date; undefined for anything else and for days that no calendar has. */
export function readInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day || month < 1) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : { at, isDate: match[4] === undefined };
}
