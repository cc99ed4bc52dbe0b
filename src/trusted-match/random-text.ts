/**
 * Letters that stand side by side in words of European languages, as the second letters of each first one. Random
 * letters are such a pair in half of the places, words nearly everywhere.
 */
const USUAL_PAIRS = [
  'abcdfgiklmnprstuvy',
  'abeilorsuy',
  'acehikloqrtuy',
  'adeioruswy',
  'abcdefgiklmnprstuvwxyz',
  'aefiloruty',
  'aeghilnorsuty',
  'aeilmnortuwy',
  'acdefgjklmnoprstvxz',
  'aeou',
  'aeiklnorstuy',
  'abcdefgiklmopstuvy',
  'abceimnopsuy',
  'acdefgijknostuvyz',
  'abcdefgiklmnoprstuvwxy',
  'aefhiloprstuy',
  'u',
  'abcdefgiklmnoprstuvyz',
  'acehiklmnopqrstuwyz',
  'aceghilnorstuwyz',
  'abcdefgilmnoprstvxyz',
  'aeiorsy',
  'aehilnorsuy',
  'aceioptuy',
  'acdeilmnopst',
  'aehilouwyz',
];
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const IS_USUAL = Uint8Array.from({ length: 26 * 26 }, (_, pair) =>
  USUAL_PAIRS[Math.floor(pair / 26)]?.includes(ALPHABET[pair % 26] ?? '') ? 1 : 0,
);

/** A run of letters and digits that is no longer could be the name of anything. */
export const LONGEST_SHORT_RUN = 11;
/** So many characters of short groups make an id; formats and episodes (`s01e02-4k-hdr10`) have fewer. */
const MIN_IN_GROUPS = 12;
const RUNS = /[a-z\d]+/gi;
/** Groups with digits that are words of a page: a word with its number, a size, a number with its unit. */
const NAMED_NUMBER = /^(?:[a-z]{2,}\d{1,4}|\d{1,5}[a-z]{1,3}|\d+x\d+|s\d+e\d+|\d+|[a-z]+)$/i;

/** Whether a text has a run of letters and digits which is no word, or several short ones which together are an id. */
export function hasRandomRun(text: string): boolean {
  let inGroups = 0;
  for (const [run] of text.matchAll(RUNS)) {
    if (run.length <= LONGEST_SHORT_RUN) inGroups += NAMED_NUMBER.test(run) ? 0 : run.length;
    else if (isRandomRun(run)) return true;
  }
  return inGroups >= MIN_IN_GROUPS;
}

/** Many neighbours are no word and no number: a digit beside a letter, or letters that are no usual pair. */
function isRandomRun(run: string): boolean {
  let odd = 0;
  for (let place = 1; place < run.length; place += 1) {
    const first = letterOf(run.charCodeAt(place - 1));
    const second = letterOf(run.charCodeAt(place));
    if (first === -1 ? second !== -1 : second === -1 || IS_USUAL[first * 26 + second] === 0) odd += 1;
  }
  // the longest words of the languages have one in five; short runs with numbers, such as `utf8mb4unicode`, have more
  return odd * 15 >= (run.length - 1) * (run.length < 16 ? 6 : 5);
}

/** From 0; -1 for a digit. */
function letterOf(code: number): number {
  return code >= 0x41 ? (code | 0x20) - 0x61 : -1;
}
