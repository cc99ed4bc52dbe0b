import { pointerOf, pointerTo } from '../base/json.ts';
import { keyText, type Place, placesOf, type TextSpan } from '../base/json-positions.ts';
import { type JsonToken, JsonTokens, type TokenFault } from '../base/json-tokens.ts';
import type { FindingCode } from './finding-codes.ts';
import { MAX_FINDINGS, type Report } from './report.ts';

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
  const repeated: Repeated[] = [];
  let unnamed = 0;
  for (const path of repeatedKeys(text)) {
    if (repeated.length < MAX_FINDINGS) repeated.push(path());
    else unnamed += 1;
  }
  const placeOf = placesOf(
    text,
    repeated.map(({ span }) => span),
  );
  for (const { steps, span } of repeated) {
    const { line, column } = placeOf(span);
    report.add('duplicate_key', pointerOf(steps), steps.at(-1), { line, column });
  }
  report.leaveOut(unnamed);
}

interface Repeated {
  readonly steps: readonly (string | number)[];
  /** Of the key. */
  readonly span: TextSpan;
}

/** An array or object that the pass is inside of. */
interface Open {
  /** Undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** The key or index of what is read in it. */
  step: string | number;
}

/** Each repeated key of a text that JSON.parse accepts; its path is made only when it is asked for. */
function* repeatedKeys(text: string): Generator<() => Repeated> {
  const tokens = new JsonTokens(text);
  const open: Open[] = [];
  let isKey = false;
  for (let kind = tokens.next(); kind !== 'end'; kind = tokens.next()) {
    const top = open.at(-1);
    if (kind === '{') open.push({ keys: new Set(), step: '' });
    else if (kind === '[') open.push({ keys: undefined, step: 0 });
    else if (kind === '}' || kind === ']') open.pop();
    else if (kind === ',' && typeof top?.step === 'number') top.step += 1;
    else if (kind === 'string' && isKey && top?.keys !== undefined) {
      const span = { offset: tokens.offset, length: tokens.end - tokens.offset };
      top.step = keyText(text, span);
      if (top.keys.has(top.step)) yield () => ({ steps: open.map(({ step }) => step), span });
      top.keys.add(top.step);
    }
    isKey = (kind === '{' || kind === ',') && open.at(-1)?.keys !== undefined;
  }
}

/**
 * Takes out of a parsed document, in place, what is over a bound or unsafe, with a finding for each; returns
 * the document, undefined when nothing of it may stay. A value becomes null: the pointers of its neighbours stay
 * right, and a member that should narrow something is still seen to stand there.
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
  return Object.fromEntries(entries.map(([key, item]) => [key, item ?? null]));
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

interface SyntaxFault extends Place {
  readonly reason: string;
}

const IN_TOKEN: Readonly<Record<TokenFault, string>> = {
  unknown_word: 'an unknown word',
  broken_number: 'a broken number',
  open_string: 'a text is not closed',
  control_character: 'a control character inside a text',
  unknown_escape: 'an unknown escape',
  broken_unicode_escape: 'a broken \\u escape',
  comment: 'comments are not part of JSON',
};

/** What may come next in a document. */
type Expected = keyof typeof EXPECTED;
const EXPECTED = {
  value: 'a value was expected here',
  first_value: 'a value was expected here',
  key: 'a key in double quotes was expected here',
  first_key: 'a key in double quotes was expected here',
  colon: 'a colon was expected here',
  comma: 'a comma was expected here',
  end: 'something follows the end of the document',
} as const;

/** The first place at which a text stops being JSON, and the token there; undefined when it is JSON. */
export function syntaxFault(text: string): SyntaxFault | undefined {
  const tokens = new JsonTokens(text);
  const open: ('{' | '[')[] = [];
  let expected: Expected | undefined = 'value';
  while (expected !== undefined) {
    const kind = tokens.next();
    if (kind === 'end' && expected === 'end') return undefined;
    const reason = tokens.fault === undefined ? unclosed(kind, open) : IN_TOKEN[tokens.fault];
    const next: Expected | undefined = reason === undefined ? after(kind, expected, open) : undefined;
    if (next === undefined) {
      const span = { offset: tokens.offset, length: tokens.end - tokens.offset };
      return { ...placesOf(text, [span])(span), reason: reason ?? EXPECTED[expected] };
    }
    expected = next;
  }
  return undefined;
}

function unclosed(kind: JsonToken, open: readonly string[]): string | undefined {
  if (kind !== 'end' || open.length === 0) return undefined;
  return open.at(-1) === '{' ? 'a closing brace is missing' : 'a closing bracket is missing';
}

/** What is expected after a token that is; undefined for one that is not expected. */
function after(kind: JsonToken, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const inObject = open.at(-1) === '{';
  switch (kind) {
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    case ',':
      if (expected !== 'comma') return undefined;
      return inObject ? 'key' : 'value';
    case '}':
    case ']': {
      const isFirst = expected === (inObject ? 'first_key' : 'first_value');
      if (inObject !== (kind === '}') || open.length === 0 || !(isFirst || expected === 'comma'))
        return undefined;
      open.pop();
      return open.length === 0 ? 'end' : 'comma';
    }
    case 'string':
      if (expected === 'key' || expected === 'first_key') return 'colon';
      break;
    default:
  }
  if (expected !== 'value' && expected !== 'first_value') return undefined;
  if (kind === '{' || kind === '[') {
    open.push(kind);
    return kind === '{' ? 'first_key' : 'first_value';
  }
  if (kind === 'end') return undefined;
  return open.length === 0 ? 'end' : 'comma';
}
