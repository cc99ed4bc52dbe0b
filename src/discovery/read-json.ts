import { isUtf8 } from 'node:buffer';
import { type JsonObject, quotedEnd } from '../base/json.ts';
import { type Position, placesOf, positionsOf, type ValuePlace } from '../base/json-positions.ts';
import type { Finding } from '../domain/finding.ts';
import { syntaxFinding } from './check/syntax-faults.ts';
import type { FindingCode } from './finding-codes.ts';
import {
  firstFault,
  JSON_BOUNDS,
  type JsonBounds,
  reportDuplicateKeys,
  UNSAFE_KEYS,
  withoutFaults,
} from './json-faults.ts';
import { createReport, findingOf } from './report.ts';

/** What became of some bytes that should be JSON. */
interface JsonReading {
  /** Undefined when there is no usable document; then a finding says why. */
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** Where the value of a JSON pointer stands; undefined when the document could not be read. */
  locate(pointer: string): ValuePlace | undefined;
  /** The findings with their places; one pass over the text, and none when there are no findings. */
  place(findings: readonly Finding[]): readonly Finding[];
}

/**
 * Reads UTF-8 JSON (RFC 8259) within bounds. Never throws for content, however it is nested. An ordinary file
 * costs JSON.parse and two cheap counts; repeated keys, unsafe keys and positions are looked for only when
 * those counts disagree or something was found.
 */
export function readJson(
  bytes: Uint8Array<ArrayBufferLike>,
  bounds: JsonBounds = JSON_BOUNDS,
  isOwn = false,
): JsonReading {
  const coding = compressionOf(bytes);
  if (coding !== undefined) return unreadable('compressed', coding);
  if (!isUtf8(bytes)) return unreadable('not_utf8', startsUtf16(bytes) ? 'it looks like UTF-16' : undefined);
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = textOf(hasBom ? bytes.subarray(3) : bytes);
  if (isOwn && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0); // not before its caller returns otherwise
  const problem = notJson(text);
  if (problem !== undefined) return unreadable(problem);
  const shape = shapeOf(text);
  if (shape.depth > bounds.depth) return unreadable('too_deep', `more than ${bounds.depth} levels`);
  if (shape.values > bounds.values) return unreadable('too_many_values', `more than ${bounds.values}`);
  if (shape.fullest > bounds.keys * BEYOND_READING) return unreadable('too_many_keys', `${shape.fullest}`);
  const parsed = parse(text, bounds);
  if ('fault' in parsed) return { ...unreadable('syntax'), findings: [parsed.fault] };
  const bom = hasBom ? [findingOf('bom', '')] : [];
  if (isPlain(parsed.value, shape.keys, bounds)) return reading(text, parsed.value, bom);
  const report = createReport();
  const value = withoutFaults(parsed.value, bounds, report);
  reportDuplicateKeys(text, report);
  return reading(text, value, [...bom, ...report.list()]);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function startsUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** How compressed data begins (RFC 1952, section 2.3.1; RFC 8878, section 3.1.1; RFC 1950, section 2.2); no JSON does. */
const MAGIC = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', [0x78, 0x01]],
  ['deflate', [0x78, 0x9c]],
  ['deflate', [0x78, 0xda]],
] as const;
export type Coding = (typeof MAGIC)[number][0];

/** The coding of bytes that are compressed data. */
export function compressionOf(bytes: Uint8Array): Coding | undefined {
  return MAGIC.find(([, magic]) => magic.every((byte, at) => bytes[at] === byte))?.[0];
}

function notJson(text: string): FindingCode | undefined {
  const start = text.trimStart().slice(0, 1_000);
  if (start === '') return 'empty_file';
  if (!start.startsWith('<')) return undefined;
  return start.startsWith('<?xml') && !/<html/i.test(start) ? 'xml_not_json' : 'html_not_json';
}

function parse(text: string, bounds: JsonBounds): { readonly value: unknown } | { readonly fault: Finding } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    const fault = firstFault(text, bounds.depth);
    return { fault: { ...syntaxFinding(fault), ...placeOf(placesOf(text, [fault])(fault)) } };
  }
}

function unreadable(code: FindingCode, detail?: string): JsonReading {
  const findings = [findingOf(code, '', detail)];
  return { value: undefined, findings, locate: () => undefined, place: (found) => found };
}

function reading(text: string, value: unknown, findings: readonly Finding[]): JsonReading {
  return {
    value,
    findings,
    locate: (pointer) => positionsOf(text, [pointer]).get(pointer),
    place: (found) => placed(text, found),
  };
}

/** In the order of the text. A finding inside something that is missing stands where its container does. */
function placed(text: string, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const unplaced = findings.filter((finding) => finding.line === undefined);
  const positions = positionsOf(
    text,
    unplaced.map((finding) => finding.pointer),
  );
  const all = findings.map((finding) => ({
    ...finding,
    ...placeOf(positions.get(finding.pointer) ?? {}),
    ...placeOf(finding),
  }));
  return all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

function placeOf({ line, column }: Partial<Position>): Partial<Position> {
  return line === undefined || column === undefined ? {} : { line, column };
}

interface TextShape {
  readonly depth: number;
  /** An upper bound of the values. */
  readonly values: number;
  /** Keys, counted with their repetitions. */
  readonly keys: number;
  /** The most keys that one object has. */
  readonly fullest: number;
}

/** An object with so many times the keys that it may have takes too much memory to be read and left out. */
const BEYOND_READING = 10;
/** Of the objects that are open, by depth; deeper texts are refused. */
const KEYS_AT = new Uint32Array(64);
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Counts what a JSON text holds without parsing it, in one pass; broken JSON gives some numbers too. */
function shapeOf(text: string): TextShape {
  let [depth, deepest, values, keys, fullest] = [0, 0, 1, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = quotedEnd(text, at);
    else if (code === COMMA) values += 1;
    else if (code === COLON) {
      keys += 1;
      const own = (KEYS_AT[depth & 63] ?? 0) + 1;
      KEYS_AT[depth & 63] = own;
      if (own > fullest) fullest = own;
    } else if (code === 0x7b || code === 0x5b) {
      values += 1;
      depth += 1;
      KEYS_AT[depth & 63] = 0;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return { depth: deepest, values, keys, fullest };
}

/** True when a parsed document has exactly `keys` keys and nothing in it is over a bound or unsafe. */
function isPlain(value: unknown, keys: number, bounds: JsonBounds): boolean {
  return countKeys(value, bounds) === keys;
}

/** The number of keys; -1 when something is over a bound or unsafe. The depth was bounded before. */
function countKeys(value: unknown, bounds: JsonBounds): number {
  if (typeof value === 'string') return value.length > bounds.string ? -1 : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? countInside(value, bounds) : countMembers(value as JsonObject, bounds);
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

function countMembers(object: JsonObject, bounds: JsonBounds): number {
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
