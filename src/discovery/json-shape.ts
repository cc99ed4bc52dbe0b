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
export const UNSAFE_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

export interface TextShape {
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
