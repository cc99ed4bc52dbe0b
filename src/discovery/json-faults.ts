import { visit } from 'jsonc-parser';
import { pointerTo } from '../base/json.ts';
import type { Position } from '../base/json-positions.ts';
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
export const UNSAFE_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

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

interface SyntaxFault extends Position {
  readonly reason: string;
}

/** By the parser's own error codes (jsonc-parser, ParseErrorCode). */
const REASONS: readonly string[] = [
  '',
  'an unknown word',
  'a broken number',
  'a key in double quotes was expected here',
  'a value was expected here',
  'a colon was expected here',
  'a comma was expected here',
  'a closing brace is missing',
  'a closing bracket is missing',
  'something follows the end of the document',
  'comments are not part of JSON',
  'comments are not part of JSON',
  'a text is not closed',
  'a broken number',
  'a broken \\u escape',
  'an unknown escape',
  'a control character inside a text',
];

/** The first place at which a text stops being JSON; undefined when this parser sees no error. */
export function syntaxFault(text: string): SyntaxFault | undefined {
  const stop = new Error('first error');
  let fault: SyntaxFault | undefined;
  const onError = (
    code: number,
    _offset: number,
    _length: number,
    line: number,
    character: number,
  ): never => {
    fault = { line: line + 1, column: character + 1, reason: REASONS[code] ?? 'broken here' };
    throw stop; // what follows a broken string may nest without end, so nothing after the error is read
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch (error) {
    if (error !== stop) throw error;
  }
  return fault;
}
