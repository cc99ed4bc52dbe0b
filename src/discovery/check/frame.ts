import stringWidth from 'string-width';
import type { TextSpan } from '../../base/json-positions.ts';
import { UNSEEN, unicodeEscape } from '../../domain/text.ts';

/** Columns of a frame's text: with the numbers before it, it fits into 80. */
const MAX_WIDTH = 64;
/** Of them, those before what is marked. */
const MAX_BEFORE = 32;
/** UTF-16 units on either side that are looked at: a file may be one line. */
const REACH = 200;

/** Where something stands that a frame shows. */
interface Marked extends TextSpan {
  /** 1-based. */
  readonly line: number;
}

/**
 * A few lines of a text with a mark under a place: the line before it, its own, and the mark. Long lines are cut around
 * the place. Of what is shown a terminal obeys nothing, and the mark stands right below wide characters too.
 */
export function frameOf(text: string, { offset, length, line }: Marked): string {
  const near = text.slice(Math.max(0, offset - REACH), offset);
  const lineStart = near.lastIndexOf('\n') + 1;
  const isCut = lineStart === 0 && offset > REACH;
  const rest = /^[^\r\n]*/.exec(text.slice(offset, offset + REACH))?.[0] ?? '';
  const before = lastColumns(shown(near.slice(lineStart)), MAX_BEFORE, isCut);
  const mark = firstColumns(shown(rest.slice(0, length)), MAX_WIDTH - stringWidth(before));
  const after = firstColumns(shown(rest.slice(length)), MAX_WIDTH - stringWidth(before + mark));
  const margin = ' '.repeat(String(line).length);
  const lines = [
    `> ${line} | ${before}${mark}${after}`,
    `  ${margin} | ${' '.repeat(stringWidth(before))}${'^'.repeat(Math.max(1, stringWidth(mark)))}`,
  ];
  const previous = isCut ? undefined : previousLine(text, offset - (near.length - lineStart));
  if (previous !== undefined) lines.unshift(`  ${String(line - 1).padStart(margin.length)} | ${previous}`);
  return lines.map((each) => each.trimEnd()).join('\n');
}

function previousLine(text: string, from: number): string | undefined {
  if (from === 0) return undefined;
  const near = text.slice(Math.max(0, from - 1 - REACH), from - 1);
  const start = near.lastIndexOf('\n') + 1;
  if (start === 0 && from - 1 > REACH) return '…';
  return firstColumns(shown(near.slice(start)), MAX_WIDTH);
}

/** In one line, with escapes for what a terminal could obey and for what cannot be seen. */
function shown(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .replace(/\r$/, '')
    .replace(/\p{Cc}/gu, unicodeEscape)
    .replace(UNSEEN, unicodeEscape)
    .toWellFormed();
}

function firstColumns(text: string, max: number): string {
  if (stringWidth(text) <= max) return text;
  let kept = '';
  for (const character of text) {
    if (stringWidth(kept + character) > max - 1) break;
    kept += character;
  }
  return max > 0 ? `${kept}…` : '';
}

function lastColumns(text: string, max: number, isCut: boolean): string {
  if (!isCut && stringWidth(text) <= max) return text;
  const characters = [...text];
  let kept = '';
  for (let index = characters.length - 1; index >= 0; index -= 1) {
    if (stringWidth(characters[index] + kept) > max - 1) break;
    kept = characters[index] + kept;
  }
  return `…${kept}`;
}
