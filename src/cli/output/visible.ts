/** C1 controls and delete, and the marks that reorder text, break lines or are not seen (Unicode TR 9 and TR 36). */
export const UNSEEN =
  /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const C0 = /[\u0000-\u001f]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text of a stranger for one line of a terminal: what could move the cursor, colour, reorder or hide is written out
 * as an escape, so that it is seen and does nothing.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(C0, (unit) => SHORT[unit] ?? unicodeEscape(unit))
    .replace(UNSEEN, unicodeEscape);
}

/** As JSON escapes it, in units of UTF-16. */
export function unicodeEscape(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** The same on several lines: line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}
