import { isObject } from '../../base/json.ts';
import { table } from './print.ts';
import { visible } from './visible.ts';

const MAX_TEXT = 300;
const MAX_KEY = 80;
const MAX_CELL = 48;
const MAX_COLUMNS = 8;
const MAX_WIDTH = 150;
const MAX_ITEMS = 50;
const MAX_DEPTH = 8;
const MAX_LINES = 400;
const MAX_INLINE = 100;

/**
 * A JSON value for people: members with their values, lists of flat objects as tables, other lists item by item. Long
 * texts are cut and say how long they are, long lists how many items they have; at most 400 lines.
 */
export function showValue(value: unknown, indent = '  '): readonly string[] {
  const shown: string[] = [];
  for (const line of linesOf(value, indent, 0)) {
    if (shown.length === MAX_LINES) return [...shown, `${indent}… truncated: --format json shows everything`];
    shown.push(line);
  }
  return shown;
}

/** A text on one line, cut with its length. */
export function shownText(text: string, max = MAX_TEXT): string {
  if (text.length <= max) return visible(text);
  return `${visible(text.slice(0, max))}… (${text.length.toLocaleString('en-GB')} characters)`;
}

/** Whether a line of `showValue` shows less than all of a text. */
export function isCut(line: string): boolean {
  return /… \([\d,]+ characters\)$/.test(line);
}

function* linesOf(value: unknown, indent: string, depth: number): Generator<string> {
  if (Array.isArray(value)) yield* listLines(value, indent, depth);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const name = shownText(key, MAX_KEY);
      const inline = inlined(item);
      if (inline !== undefined) yield `${indent}${name}: ${inline}`;
      else {
        yield `${indent}${name}${Array.isArray(item) ? ` (${item.length})` : ''}:`;
        yield* nested(item, indent, depth);
      }
    }
  } else yield `${indent}${scalar(value)}`;
}

function* nested(value: unknown, indent: string, depth: number): Generator<string> {
  if (depth >= MAX_DEPTH) yield `${indent}  … nested deeper`;
  else yield* linesOf(value, `${indent}  `, depth + 1);
}

function* listLines(list: readonly unknown[], indent: string, depth: number): Generator<string> {
  const items = list.slice(0, MAX_ITEMS);
  const rows = tableRows(items);
  if (rows !== undefined) for (const line of table(rows).split('\n')) yield `${indent}${line}`;
  else for (const item of items) yield* itemLines(item, indent, depth);
  if (list.length > items.length) yield `${indent}… and ${list.length - items.length} more`;
}

function* itemLines(item: unknown, indent: string, depth: number): Generator<string> {
  const inline = inlined(item);
  if (inline !== undefined) {
    yield `${indent}- ${inline}`;
    return;
  }
  let mark = '- ';
  for (const line of nested(item, indent, depth)) {
    yield `${indent}${mark}${line.slice(indent.length + 2)}`;
    mark = '  ';
  }
}

/** A header and a row for each item, where all are flat, few columns are needed and every cell is short. */
function tableRows(items: readonly unknown[]): readonly (readonly string[])[] | undefined {
  if (items.length === 0 || !items.every(isObject)) return undefined;
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (keys.length === 0 || keys.length > MAX_COLUMNS) return undefined;
  const rows = items.map((item) => keys.map((key) => (Object.hasOwn(item, key) ? inlined(item[key]) : '')));
  const header = keys.map((key) => shownText(key, MAX_KEY));
  if (rows.some((row) => row.some((cell) => cell === undefined || cell.length > MAX_CELL))) return undefined;
  const shown = [header, ...(rows as readonly (readonly string[])[])];
  return widthOf(shown) <= MAX_WIDTH ? shown : undefined;
}

function widthOf(rows: readonly (readonly string[])[]): number {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return widths.reduce((sum, width) => sum + width + 2, 0);
}

/** A value that fits behind its name: anything single, and short lists of single values. */
function inlined(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS || value.some((item) => typeof item === 'object' && item !== null))
      return undefined;
    const text = value.length === 0 ? '(none)' : value.map(scalar).join(', ');
    return text.length <= MAX_INLINE ? text : undefined;
  }
  if (isObject(value)) return Object.keys(value).length === 0 ? '(empty)' : undefined;
  return scalar(value);
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return value === '' ? "''" : shownText(value);
}
