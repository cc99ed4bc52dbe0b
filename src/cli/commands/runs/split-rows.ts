/** The text of one row, and the line on which it begins, counted from 1. */
export interface RowText {
  readonly line: number;
  readonly text: string;
}

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/** The rows of a file: the elements of a JSON array, else one on each line. None of them is parsed yet. */
export function splitRows(file: string): readonly RowText[] {
  const text = file.replace(/^\uFEFF/, '');
  return /^\s*\[/.test(text) ? elementsOf(text) : linesOf(text);
}

function linesOf(text: string): readonly RowText[] {
  return text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((row) => row.text !== '');
}

/** What stands between the outer brackets and the commas of the same depth, outside of strings. */
function elementsOf(text: string): readonly RowText[] {
  const rows: RowText[] = [];
  let depth = 0;
  let begin = 0;
  let inString = false;
  let line = 1;
  const take = (end: number) => {
    const raw = text.slice(begin, end);
    if (raw.trim() !== '') rows.push({ line: line - newlines(raw.trimStart()), text: raw.trim() });
    begin = end + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === '\n') line += 1;
    if (inString && sign === '\\') at += 1;
    else if (sign === '"') inString = !inString;
    else if (!inString && OPENING.has(sign)) {
      depth += 1;
      if (depth === 1) begin = at + 1;
    } else if (!inString && CLOSING.has(sign)) {
      if (depth === 1) take(at);
      depth -= 1;
    } else if (!inString && sign === ',' && depth === 1) take(at);
  }
  take(text.length);
  return rows;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
