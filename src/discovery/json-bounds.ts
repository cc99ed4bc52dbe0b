import { visit } from 'jsonc-parser';
import { pointerTo } from '../base/json-pointer.ts';
import type { FindingCode } from './finding-codes.ts';
import type { Report } from './report.ts';

/** What may stand in a JSON document. All are counts; strings and keys in UTF-16 units. */
export interface JsonBounds {
  /** Nested arrays and objects; default 32. */
  readonly depth: number;
  /** Values of any kind in the document; default 1,000,000. */
  readonly values: number;
  /** Keys of one object; default 10,000. */
  readonly keys: number;
  /** One string or key; default 65,536. */
  readonly string: number;
}

export const JSON_BOUNDS: JsonBounds = { depth: 32, values: 1_000_000, keys: 10_000, string: 65_536 };
/** Names that reach an object's prototype when they are copied carelessly. */
const UNSAFE_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

interface TextShape {
  readonly depth: number;
  /** An upper bound of the values. */
  readonly values: number;
  /** Keys, counted with their repetitions. */
  readonly keys: number;
}

type JsonMembers = Readonly<Record<string, unknown>>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Counts what a JSON text holds without parsing it, in one pass; broken JSON gives some numbers too. */
export function shapeOf(text: string): TextShape {
  let [depth, deepest, values, keys] = [0, 0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else if (code === COLON) keys += 1;
    else if (code === 0x7b || code === 0x5b) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { depth: deepest, values, keys };
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end))
    end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** True when a parsed document has exactly `keys` keys and nothing in it is over a bound or unsafe. */
export function isPlain(value: unknown, keys: number, bounds: JsonBounds): boolean {
  const count = countKeys(value, bounds);
  return count === keys;
}

/** The number of keys; -1 when something is over a bound or unsafe. The depth was bounded before. */
function countKeys(value: unknown, bounds: JsonBounds): number {
  if (typeof value === 'string') return value.length > bounds.string ? -1 : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? countInside(value, bounds) : countMembers(value as JsonMembers, bounds);
}

function countInside(items: readonly unknown[], bounds: JsonBounds): number {
  let count = 0;
  for (const item of items) {
    const inner = countKeys(item, bounds);
    if (inner < 0) return -1;
    count += inner;
  }
  return count;
}

function countMembers(object: JsonMembers, bounds: JsonBounds): number {
  let [own, count] = [0, 0];
  for (const key in object) {
    own += 1;
    if (own > bounds.keys || isBadKey(key, bounds)) return -1;
    const inner = countKeys(object[key], bounds);
    if (inner < 0) return -1;
    count += inner;
  }
  return own + count;
}

function isBadKey(key: string, bounds: JsonBounds): boolean {
  return key.length > bounds.string || UNSAFE_KEYS.includes(key);
}

/**
 * Reports keys that stand twice in one object, with the place of the later one. Compared as they are after
 * unescaping; RFC 8259, section 4, leaves open which one counts: here it is the last, as with JSON.parse.
 */
export function reportDuplicateKeys(text: string, report: Report): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, line, character, path) => {
      const keys = open.at(-1);
      if (keys?.has(key)) {
        const pointer = [...path(), key].reduce(pointerTo, '');
        report.add('duplicate_key', pointer, key, { line: line + 1, column: character + 1 });
      }
      keys?.add(key);
    },
  });
}

/**
 * Takes out of a parsed document, in place, what is over a bound or unsafe, with a finding for each; returns
 * the document, undefined when nothing of it may stay. An element of an array becomes null, so that the
 * pointers of its neighbours stay right.
 */
export function withoutFaults(value: unknown, bounds: JsonBounds, report: Report, pointer = ''): unknown {
  if (typeof value === 'string')
    return value.length > bounds.string ? leaveOut(report, 'string_too_long', pointer) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutFaults(item, bounds, report, pointerTo(pointer, index)) ?? null);
  }
  const keys = Object.keys(value);
  if (keys.length > bounds.keys) return leaveOut(report, 'too_many_keys', pointer);
  const kept = keys.filter((key) => isKept(key, bounds, report, pointer));
  const entries = kept.map((key) => {
    const item: unknown = (value as Record<string, unknown>)[key];
    return [key, withoutFaults(item, bounds, report, pointerTo(pointer, key))] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function isKept(key: string, bounds: JsonBounds, report: Report, pointer: string): boolean {
  if (UNSAFE_KEYS.includes(key)) report.add('unsafe_key', pointerTo(pointer, key), key);
  else if (key.length > bounds.string) report.add('string_too_long', pointer);
  else return true;
  return false;
}

function leaveOut(report: Report, code: FindingCode, pointer: string): undefined {
  report.add(code, pointer);
  return undefined;
}
