import { LRUCache } from 'lru-cache';
import type { TextSpan } from '../../base/json-positions.ts';
import { once } from '../../base/once.ts';
import { isNarrow, textWidth } from '../../base/text-width.ts';
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
  const mark = firstColumns(shown(rest.slice(0, length)), MAX_WIDTH - before.columns);
  const after = firstColumns(shown(rest.slice(length)), MAX_WIDTH - before.columns - mark.columns);
  const margin = ' '.repeat(String(line).length);
  const lines = [
    `> ${line} | ${before.text}${mark.text}${after.text}`,
    `  ${margin} | ${' '.repeat(before.columns)}${'^'.repeat(Math.max(1, mark.columns))}`,
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
  return firstColumns(shown(near.slice(start)), MAX_WIDTH).text;
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

/** A text and the columns that it takes. */
interface Shown {
  readonly text: string;
  readonly columns: number;
}

/** When a line needs it: to make one takes 20 ms. */
const graphemes = once(() => new Intl.Segmenter());

/** What a reader sees as one character each, with its columns: measured once, however long the line is. */
function measured(text: string): Shown[] {
  return Array.from(graphemes().segment(text), ({ segment }) => ({
    text: segment,
    columns: columnsOf(segment),
  }));
}

/** Of the characters seen last: a text has few different ones, and the library takes microseconds for each. */
const known = new LRUCache<string, number>({ max: 1_000 });

function columnsOf(character: string): number {
  const found = known.get(character);
  if (found !== undefined) return found;
  const columns = textWidth(character);
  known.set(character, columns);
  return columns;
}

/** As many as fit into `max` columns, in their order, and whether that is all. */
function fitting(characters: readonly Shown[], max: number): { kept: Shown[]; isAll: boolean } {
  const kept: Shown[] = [];
  let columns = 0;
  for (const character of characters) {
    columns += character.columns;
    if (columns > max) return { kept, isAll: false };
    kept.push(character);
  }
  return { kept, isAll: true };
}

const ELLIPSIS: Shown = { text: '…', columns: 1 };

function joined(characters: readonly Shown[]): Shown {
  return {
    text: characters.map(({ text }) => text).join(''),
    columns: characters.reduce((sum, { columns }) => sum + columns, 0),
  };
}

function firstColumns(text: string, max: number): Shown {
  if (isNarrow(text)) return narrow(text.length <= max ? text : max > 0 ? `${text.slice(0, max - 1)}…` : '');
  const start = text.slice(0, 3 * Math.max(max, 0));
  const { kept, isAll } = fitting(measured(start), max);
  if ((isAll && start === text) || max <= 0) return joined(kept);
  return joined([...fitting(kept, max - 1).kept, ELLIPSIS]);
}

function lastColumns(text: string, max: number, isCut: boolean): Shown {
  if (isNarrow(text)) return narrow(!isCut && text.length <= max ? text : `…${text.slice(1 - max)}`);
  const end = text.slice(-3 * max);
  const { kept, isAll } = fitting(measured(end).reverse(), max);
  if (isAll && !isCut && end === text) return joined(kept.reverse());
  return joined([ELLIPSIS, ...fitting(kept, max - 1).kept.reverse()]);
}

/** A text of one column for each unit. */
function narrow(text: string): Shown {
  return { text, columns: text.length };
}
