import { pointerOf, pointerTo } from '../base/json.ts';
import { keyText, placesOf, type TextSpan } from '../base/json-positions.ts';
import { JsonTokens } from '../base/json-tokens.ts';
import { Stopped } from './check/lenient-cursor.ts';
import { NOT_JSON, walkJson } from './check/lenient-walk.ts';
import type { SyntaxFault } from './check/syntax-faults.ts';
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
  const isCut = kept.length < keys.length;
  const entries = kept.map((key) => {
    const item: unknown = (value as Record<string, unknown>)[key];
    return [key, withoutFaults(item, bounds, report, pointerTo(pointer, key))] as const;
  });
  const object = Object.fromEntries(entries.map(([key, item]) => [key, item ?? null]));
  if (isCut) cut.add(object);
  return object;
}

const cut = new WeakSet<object>();

/** Whether members of an object were left out of it, so that it shows less than its author wrote. */
export function isCutShort(object: object): boolean {
  return cut.has(object);
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

/** The first fault of a text that JSON.parse refuses, and that is no deeper than `depth` levels. */
export function firstFault(text: string, depth: number): SyntaxFault {
  let first: SyntaxFault | undefined;
  const stop = (fault: SyntaxFault): never => {
    first = fault;
    throw new Stopped();
  };
  walkJson(text, stop, depth);
  return first ?? NOT_JSON;
}
