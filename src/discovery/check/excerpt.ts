import { structuredPatch } from 'diff';
import { withinBytes } from '../../base/json-bytes.ts';

/** A line of a text as a page shows it. */
export interface TextLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** A fix changes it, or made it. */
  readonly changed?: true;
  /** The line is longer than it is shown. */
  readonly cut?: true;
}

/** A file and its corrected form, line by line: all of both where they are short, else what is around findings and fixes. */
export interface FileExcerpt {
  readonly given: readonly TextLine[];
  /** Empty where there is no corrected form. */
  readonly fixed: readonly TextLine[];
}

const MOST_WHOLE = 250;
const AROUND = 2;
const LINE_CHARACTERS = 300;
const EXCERPT_BYTES = 32 * 1024;
/** Above it a comparison costs more than it shows. */
const MAX_CHANGED = 500;

/** `marked` are lines of `text` that are to be seen, 1-based. */
export function excerptOf(text: string, fixed: string | undefined, marked: readonly number[]): FileExcerpt {
  const changes = fixed === undefined ? { given: [], fixed: [] } : changedLines(text, fixed);
  return {
    given: shownLines(text, changes.given, [...marked, ...changes.given]),
    fixed: fixed === undefined ? [] : shownLines(fixed, changes.fixed, changes.fixed),
  };
}

function changedLines(text: string, fixed: string) {
  const options = { context: 0, maxEditLength: MAX_CHANGED };
  const hunks = structuredPatch('', '', text, fixed, '', '', options)?.hunks ?? [];
  const range = (start: number, count: number) => Array.from({ length: count }, (_, at) => start + at);
  return {
    given: hunks.flatMap(({ oldStart, oldLines }) => range(oldStart, oldLines)),
    fixed: hunks.flatMap(({ newStart, newLines }) => range(newStart, newLines)),
  };
}

function shownLines(
  text: string,
  changed: readonly number[],
  wanted: readonly number[],
): readonly TextLine[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const near = new Set(wanted.flatMap((line) => nearTo(line)));
  const isChanged = new Set(changed);
  const isWhole = lines.length <= MOST_WHOLE;
  const shown = lines.flatMap((all, at): TextLine[] => {
    const line = at + 1;
    if (!isWhole && !near.has(line)) return [];
    const isCut = all.length > LINE_CHARACTERS;
    return [
      {
        line,
        text: isCut ? all.slice(0, LINE_CHARACTERS).toWellFormed() : all,
        ...(isChanged.has(line) && { changed: true }),
        ...(isCut && { cut: true }),
      },
    ];
  });
  return withinBytes(shown.slice(0, MOST_WHOLE), EXCERPT_BYTES);
}

function nearTo(line: number): readonly number[] {
  return Array.from({ length: 2 * AROUND + 1 }, (_, at) => line - AROUND + at);
}
