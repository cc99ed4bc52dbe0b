import { createRequire } from 'node:module';
import { once } from './once.ts';

const ALL_NARROW = /^[ -~]*$/;
/** Loaded for the first text that needs it: it makes a segmenter of texts, a tenth of what the start of a short command takes. */
const library = once(() => createRequire(import.meta.url)('string-width') as typeof import('string-width'));

/** How many columns a text takes on a terminal. */
export function textWidth(text: string): number {
  return isNarrow(text) ? text.length : library().default(text);
}

/** Whether each of its characters takes one column; it may be so of others, too. */
export function isNarrow(text: string): boolean {
  return ALL_NARROW.test(text);
}
