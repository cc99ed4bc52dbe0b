import { hasRandomRun, LONGEST_SHORT_RUN } from './random-text.ts';

/**
 * Texts that are allowed by their form and still carry what has no place there. These are rules of thumb, on the
 * side of refusing: random ids and numbers of people are caught, names of people cannot be.
 */

const DATES = /\b(?:19|20)\d\d-[01]\d-[0-3]\d\b/g;
const DIGIT_RUNS = {
  /** A telephone number has this many digits or more; addresses of articles often have up to eight. */
  id: /(?:\p{Nd}[ .+_'&-]*){9}/u,
  /** Words of a page have no reason for so many. */
  words: /(?:\p{Nd}[ .+_'&-]*){7}/u,
};
/** A number that goes over several segments, without the dates that addresses of articles have. */
const DIGITS_OF_A_PATH = /(?:\p{Nd}[/ .+_'&-]*){9}/u;
const DATES_OF_A_PATH = /\b(?:19|20)\d\d(?:[/-][01]?\d(?:[/-][0-3]?\d)?)?(?![\d])/g;
const ADDRESS_V4 = /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/;
const HEX_ID_LENGTH = 12;
const HEX_RUNS = /[0-9a-f]{12,}/gi;
/** In a decoded path; a `%` that is left was escaped twice. */
const OF_A_QUERY = /[@?#&=;:%\\\s\p{C}]/u;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Whether a text of a context match looks like an identifier, a number or an address of a person. */
export function isPersonal(text: string, form: keyof typeof DIGIT_RUNS): boolean {
  if (isPlainlyWords(text)) return false;
  return (
    DIGIT_RUNS[form].test(text.replace(DATES, 'date')) ||
    ADDRESS_V4.test(text) ||
    hasHexId(text) ||
    UUID.test(text) ||
    isRandom(text) ||
    hasRandomRun(text)
  );
}

/** Whether the path of a content's URL carries somebody: an id as a segment, or what only a query should have. */
export function isPersonalUrl(url: string): boolean {
  const decoded = url.includes('%') ? decodedUrl(url) : url;
  if (decoded === undefined) return true;
  const [host = '', ...path] = decoded.slice('https://'.length).split('/');
  if (path.some((segment) => OF_A_QUERY.test(segment))) return true;
  if ([host, ...path].some((part) => isPersonal(part, 'id'))) return true;
  const whole = path.join('/');
  return DIGITS_OF_A_PATH.test(whole.replace(DATES_OF_A_PATH, 'date')) || hasRandomRun(whole);
}

/** Most texts: short words of ASCII, few digits, and no hopping between digits, capitals and small letters. */
function isPlainlyWords(text: string): boolean {
  let digits = 0;
  let run = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    run = code >= 0x30 ? run + 1 : 0;
    if (code > 0x7f || run > LONGEST_SHORT_RUN) return false;
    if (code >= 0x30 && code <= 0x39) digits += 1;
  }
  const few = text.length < HEX_ID_LENGTH ? 4 : 1;
  return digits < few && !hasEnoughChanges(text, 4);
}

/** Digits and letters in one run: neither a number nor a word. */
function hasHexId(text: string): boolean {
  return text.match(HEX_RUNS)?.some((run) => /\d/.test(run) && /[a-f]/i.test(run)) === true;
}

/** Shorter texts need more: names of episodes and formats (`s01e02-4k`) change up to five times. */
function isRandom(text: string): boolean {
  if (text.length < 16) return text.length >= 10 && hasEnoughChanges(text, 6);
  return hasEnoughChanges(text, text.length < 30 ? 4 : 5);
}

/** How often neighbours differ in kind: digit, capital, small letter. A capital before a small letter is a word. */
export function hasEnoughChanges(text: string, enough: number): boolean {
  let changes = 0;
  let before = 0;
  for (let place = 0; place < text.length; place += 1) {
    const kind = kindOf(text.charCodeAt(place));
    if (kind !== before && kind !== 0 && before !== 0 && !(before === CAPITAL && kind === SMALL))
      changes += 1;
    before = kind;
  }
  return changes >= enough;
}

const CAPITAL = 2;
const SMALL = 3;

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 1;
  if (code >= 0x41 && code <= 0x5a) return CAPITAL;
  return code >= 0x61 && code <= 0x7a ? SMALL : 0;
}

function decodedUrl(url: string): string | undefined {
  try {
    return decodeURIComponent(url);
  } catch {
    return undefined;
  }
}
