import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { placesOf } from '../../base/json-positions.ts';
import { type DiffLine, diffLines, showsChanges } from './diff-lines.ts';
import { type LaidOut, laidOut } from './laid-out.ts';

/** A longer text is not compared, nor one with more lines than these. */
export const MAX_COMPARED = 256 * 1024;
const MAX_LINES = 5_000;
/** Lines that came or went; behind that a comparison costs more than it shows. */
const MAX_CHANGED = 400;
/** Lines that are told of all. */
const MAX_TOLD = 400;
/** A text with longer lines than these on average was not written to be read. */
const MAX_AVERAGE = 200;

export interface DiffHunk {
  /** Where it begins in the text itself, before and after, 1-based. */
  readonly before_line: number;
  readonly after_line: number;
  /** Of texts that were laid out, in UTF-16 units. */
  readonly before_column?: number;
  readonly after_column?: number;
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
 * Compares two texts line by line, whatever their lines end with. Where a line that changed is too long to be shown, their
 * JSON is laid out before. Bounded in bytes, lines and steps, whatever they are. A mark of the byte order is part of them.
 */
export function fileDiff(before: string, after: string): FileDiff {
  const [old, now] = [inLines(before), inLines(after)];
  const asIs = compared(old, now);
  if ('hunks' in asIs && asIs.hunks.every(({ lines }) => showsChanges(lines)))
    return told(asIs.hunks, before !== after);
  const [oldLaid, nowLaid] = [laidOut(old), laidOut(now)];
  if (oldLaid !== undefined && nowLaid !== undefined) {
    const apart = compared(oldLaid.text, nowLaid.text);
    if (!('hunks' in apart)) return apart;
    const places = placesIn([old, oldLaid], [now, nowLaid], apart.hunks);
    return { ...told(apart.hunks, before !== after, places), laid_out: true };
  }
  if (!('hunks' in asIs)) return asIs;
  return isDense(old) || isDense(now) ? { not_shown: 'too_long' } : told(asIs.hunks, before !== after);
}

type Patch =
  | { readonly hunks: readonly StructuredPatchHunk[] }
  | Extract<FileDiff, { readonly not_shown: unknown }>;
type Start = Omit<DiffHunk, 'lines'>;

function compared(old: string, now: string): Patch {
  if (hasManyLines(old) || hasManyLines(now)) return { not_shown: 'too_long' };
  const options = { context: 2, maxEditLength: MAX_CHANGED };
  return structuredPatch('', '', old, now, '', '', options) ?? { not_shown: 'too_many_changes' };
}

function told(
  all: readonly StructuredPatchHunk[],
  differs: boolean,
  startOf: (hunk: StructuredPatchHunk) => Start = ({ oldStart, newStart }) => ({
    ...{ before_line: oldStart, after_line: newStart },
  }),
): Extract<FileDiff, { readonly hunks: unknown }> {
  let left = MAX_TOLD;
  const hunks = all.flatMap((hunk): DiffHunk[] => {
    const lines = diffLines(hunk.lines).slice(0, left);
    left -= lines.length;
    return lines.length === 0 ? [] : [{ ...startOf(hunk), lines }];
  });
  const isCut = all.reduce((sum, { lines }) => sum + lines.length, 0) > MAX_TOLD;
  return {
    hunks,
    ...(isCut && { truncated: true }),
    ...(all.length === 0 && differs && { only_form: true }),
  };
}

type Laid = readonly [text: string, laid: LaidOut];

/** Where hunks of lines of ours begin in the texts themselves. */
function placesIn(before: Laid, after: Laid, hunks: readonly StructuredPatchHunk[]) {
  const reader = ([text, { offsets }]: Laid, starts: readonly number[]) => {
    const spans = starts.map((line) => ({ offset: offsets[line - 1] ?? 0, length: 0 }));
    const place = placesOf(text, spans);
    return new Map(starts.map((line, at) => [line, place(spans[at] ?? { offset: 0, length: 0 })]));
  };
  const old = reader(
    before,
    hunks.map(({ oldStart }) => oldStart),
  );
  const now = reader(
    after,
    hunks.map(({ newStart }) => newStart),
  );
  return ({ oldStart, newStart }: StructuredPatchHunk): Start => ({
    before_line: old.get(oldStart)?.line ?? 1,
    after_line: now.get(newStart)?.line ?? 1,
    before_column: old.get(oldStart)?.column ?? 1,
    after_column: now.get(newStart)?.column ?? 1,
  });
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
