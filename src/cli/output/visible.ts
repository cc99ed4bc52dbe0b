import { UNSEEN, unicodeEscape } from '../../domain/text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const C0 = /[\u0000-\u001f]/g;

/** All that a terminal could obey, but for line ends, tabs and the colours of `paint`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OBEYED = /(?!\u001b\[(?:[0-2]|22|3[0-79]|90)m)[\u0000-\u0008\u000b-\u001f]/g;

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

/** The same on several lines: line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** The last look at what goes to a terminal, line ends and our colours apart: a stranger's text may be anywhere in it. */
export function harmless(text: string): string {
  return text.replace(OBEYED, unicodeEscape).replace(UNSEEN, unicodeEscape);
}
