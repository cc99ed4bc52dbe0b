import { structuredPatch } from 'diff';
import { depthOf, parseObject } from '../../base/json.ts';

/** A longer text is not compared, nor one with more lines than these. */
export const MAX_COMPARED = 256 * 1024;
const MAX_LINES = 5_000;
/** Lines that came or went; behind that a comparison costs more than it shows. */
const MAX_CHANGED = 400;
/** A longer line is cut; what is told of all. */
const [MAX_WIDTH, MAX_TOLD] = [200, 400];
/** A text with longer lines than these on average was not written to be read, so it is laid out before. */
const MAX_AVERAGE = 200;
/** Each level is a blank more on each of its lines. */
const MAX_DEPTH = 64;

export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed';
  readonly text: string;
}

export interface DiffHunk {
  /** Where it begins, before and after, 1-based. */
  readonly before_line: number;
  readonly after_line: number;
  readonly lines: readonly DiffLine[];
}

/** What changed between two texts, or why that is not shown. */
export type FileDiff =
  | {
      readonly hunks: readonly DiffHunk[];
      readonly truncated?: true;
      readonly laid_out?: true;
      /** No line says something else, and yet the texts differ. */
      readonly only_form?: true;
    }
  | { readonly not_shown: 'not_kept' | 'too_long' | 'too_many_changes' };

/**
 * Compares two texts line by line, whatever their lines end with. Bounded in bytes, lines and steps, whatever they are.
 * A mark of the byte order is part of them.
 */
export function fileDiff(before: string, after: string): FileDiff {
  const isLaidOut = isDense(before) || isDense(after);
  const [old, now] = [before, after].map(inLines).map((text) => (isLaidOut ? laidOut(text) : text));
  if (old === undefined || now === undefined || hasManyLines(old) || hasManyLines(now))
    return { not_shown: 'too_long' };
  const patch = structuredPatch('', '', old, now, '', '', { context: 2, maxEditLength: MAX_CHANGED });
  if (patch === undefined) return { not_shown: 'too_many_changes' };
  let left = MAX_TOLD;
  const hunks = patch.hunks.flatMap(({ oldStart, newStart, lines }): DiffHunk[] => {
    const told = lines.filter((line) => !line.startsWith('\\')).slice(0, left);
    left -= told.length;
    if (told.length === 0) return [];
    return [{ before_line: oldStart, after_line: newStart, lines: told.map(diffLine) }];
  });
  const isCut = patch.hunks.reduce((sum, { lines }) => sum + lines.length, 0) > MAX_TOLD;
  return {
    hunks,
    ...(isCut && { truncated: true }),
    ...(isLaidOut && { laid_out: true }),
    ...(patch.hunks.length === 0 && before !== after && { only_form: true }),
  };
}

function diffLine(line: string): DiffLine {
  const [mark, text] = [line[0], line.slice(1)];
  const change = mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same';
  return { change, text: text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH)}…`.toWellFormed() : text };
}

/** Each line with a line feed at its end, and no mark of the byte order: none of them is what a line says. */
function inLines(text: string): string {
  const lines = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
}

function isDense(text: string): boolean {
  return text.length > MAX_AVERAGE * (lineCount(text, text.length / MAX_AVERAGE + 1) + 1);
}

function hasManyLines(text: string): boolean {
  return lineCount(text, MAX_LINES) >= MAX_LINES;
}

function lineCount(text: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && count < most; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Undefined for what is no JSON object, or has so many values or levels that nobody reads it. */
function laidOut(text: string): string | undefined {
  const value = parseObject(text);
  const commas = value === undefined ? MAX_LINES : (text.match(/[,[{]/g)?.length ?? 0);
  const isTooMuch = commas >= MAX_LINES || depthOf(value, MAX_DEPTH) > MAX_DEPTH;
  return isTooMuch ? undefined : JSON.stringify(value, null, 1);
}
