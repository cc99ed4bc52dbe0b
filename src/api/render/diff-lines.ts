/** A longer line is cut. */
export const MAX_WIDTH = 200;
/** Of a line that is cut, as much as is shown before what changed. */
const LEAD = 60;

export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The lines of a hunk, as a patch marks them. Of a long one that changed, the part that did. */
export function diffLines(marked: readonly string[]): readonly DiffLine[] {
  const lines = marked.filter((line) => !line.startsWith('\\'));
  return lines.map((line, at) => {
    const [mark, text] = [line[0], line.slice(1)];
    const change = mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same';
    if (text.length <= MAX_WIDTH) return { change, text };
    const partner = change === 'same' ? undefined : partnerOf(lines, at);
    const from = partner === undefined ? 0 : sameUntil(text, partner.slice(1)) - LEAD;
    return { change, text: part(text, Math.min(from, text.length - MAX_WIDTH)) };
  });
}

/** True when no line of these that came or went is cut. */
export function showsChanges(marked: readonly string[]): boolean {
  return marked.every((line) => line.startsWith(' ') || line.length <= MAX_WIDTH + 1);
}

/** What stands in the same place among the lines that came for those that went. */
function partnerOf(lines: readonly string[], at: number): string | undefined {
  const mark = lines[at]?.[0];
  let first = at;
  while (lines[first - 1]?.[0] === mark) first -= 1;
  let end = at;
  while (lines[end]?.[0] === mark) end += 1;
  const other = mark === '-' ? '+' : '-';
  let start = mark === '-' ? end : first;
  if (mark === '+') while (lines[start - 1]?.[0] === other) start -= 1;
  const partner = lines[start + at - first];
  return partner?.[0] === other ? partner : undefined;
}

function sameUntil(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function part(text: string, from: number): string {
  const start = Math.max(0, from);
  const end = start + MAX_WIDTH;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed();
}
